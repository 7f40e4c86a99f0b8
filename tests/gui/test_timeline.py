"""The timeline: the events of a step as a tree and over time, the way back to any of them, and what is said of gaps."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QModelIndex, QPoint, QPointF, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QMainWindow, QToolButton
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.figures.lanes import StepTrace
from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.stop_follower import StopFollower
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.gui.timeline.dock import TimelineDock
from hookscope.gui.timeline.event_filter import parse_filter
from hookscope.gui.timeline.event_model import LOOK_ROLE, Column
from hookscope.gui.timeline.event_tree import NO_EVENT, TOP, EventRows
from hookscope.gui.timeline.names import signed_bytes
from hookscope.gui.timeline.shapes import SHAPES, color_of
from hookscope.gui.timeline.time_window import TimeWindow, time_ticks
from hookscope.protocol.events import StepFinished, ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import ContinueMode, EventKind, StepEvent
from hookscope.protocol.views import NoPicture, NoPictureReason, Statistics
from hookscope.protocol.workload import parse_source
from tests.figures.stepped import BACK, BACKWARD, DONE, ENTER, FORWARD, LEAVE, events_of, on_device, whole_step
from tests.gui.fakes import FakeBridge, FakeSession, tree_of
from tests.gui.panel_fakes import PanelWindow, colors_of, pump, texts_of

PATIENCE_MS = 60_000

TREE = tree_of(
    [
        ("", "Net"),
        ("features", "Sequential"),
        ("features.0", "Conv2d"),
        ("features.1", "ReLU"),
        ("head", "Linear"),
        ("unused", "Linear"),
    ]
)


def outline(rows: EventRows, row: int = TOP) -> list[object]:
    """Return the numbers of rows, each followed by the list of those inside it."""
    found: list[object] = []
    for inner in rows.inside.get(row, ()):
        found.append(rows.number[inner])
        if inner in rows.inside:
            found.append(outline(rows, inner))
    return found


class TimelineWindow(QMainWindow):
    def __init__(self, width: int = 1000, height: int = 320) -> None:
        super().__init__()
        self.bridge = FakeBridge(FakeSession(TREE))
        self.session = self.bridge.session
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.follower = StopFollower(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.dock = TimelineDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.dock)
        self.resize(width, height)
        self.show()
        pump()

    def trace(self, step: int, events: list[StepEvent] | None = None, *, is_finished: bool = True) -> None:
        self.bridge.add_events(step, *(events if events is not None else whole_step()))
        if is_finished:
            self.finish(step)

    def finish(self, step: int) -> None:
        finished = StepFinished(step, 0.5, 0.1, 0.05, 0.05, 0, 0, False)
        self.session.history.append(finished)
        self.bridge.step_finished.emit(finished)

    def settle(self, step: int) -> None:
        pump(lambda: self.dock.shown_step == step)
        assert self.dock.shown_step == step

    def stop_at(self, number: int, step: int = 1, ref: TensorRef | None = None) -> None:
        """Stop a step at an event that happens in every step."""
        events = whole_step()
        for event in events[len(self.session.events.of(step)) : number + 1]:
            self.bridge.add_events(step, event)
        self.bridge.stop_at(self.session.events.of(step)[number], ref=ref, step=step)

    def index_of(self, number: int) -> QModelIndex:
        model = self.dock.list.events
        return model.index_of_row(model.rows.row_of[number])

    def texts(self) -> list[str]:
        """Return what stands in the rows that show, with their depth."""
        found: list[str] = []
        self._collect(QModelIndex(), 0, found)
        return found

    def _collect(self, parent: QModelIndex, depth: int, found: list[str]) -> None:
        model = self.dock.list.events
        for row in range(model.rowCount(parent)):
            index = model.index(row, Column.NAME, parent)
            number = index.siblingAtColumn(Column.NUMBER).data()
            found.append(f"{'  ' * depth}{number} {index.data()} {index.data(LOOK_ROLE).note}".rstrip())
            if self.dock.list.isExpanded(index):
                self._collect(index, depth + 1, found)


@pytest.fixture
def window(qapp: object) -> Iterator[TimelineWindow]:
    apply_theme(qapp, DARK)  # type: ignore[arg-type]
    window = TimelineWindow()
    yield window
    window.close()
    window.deleteLater()


# -- the tree ----------------------------------------------------------------------------------------------------------


def test_that_events_are_inside_the_pass_of_the_call_that_they_belong_to() -> None:
    rows = EventRows(StepTrace(whole_step()))
    forward = [0, [1, [2, [3], 4, [5], 6], 7, [8], 9]]
    backward = [12, [11, [13, 14], 16, [15, [17], 18, [19, 20], 21], 22]]
    assert outline(rows) == [*forward, 10, *backward, 23]
    assert [rows.number[row] for row in rows.row_of] == list(range(24))


def test_that_a_call_has_a_row_before_its_entering_is_known() -> None:
    rows = EventRows(StepTrace(events_of(*FORWARD, *BACKWARD[:1])))
    assert outline(rows)[3:] == [NO_EVENT, [11]]
    assert rows.event(rows.inside[TOP][-1]) is None


def test_that_a_module_that_runs_again_during_backward_is_inside_of_backward() -> None:
    again = [(BACK, ""), (ENTER, "features", 1), (LEAVE, "features", 1), (BACK, "features", 1), (DONE, "")]
    assert outline(EventRows(StepTrace(events_of(*FORWARD, *again))))[3:] == [11, [12, [13], 14, 15]]


def test_that_rows_that_grow_are_the_same_as_rows_made_at_once() -> None:
    trace = StepTrace()
    grown = EventRows(trace)
    for event in whole_step():
        trace.extend([event])
        grown.extend()
    assert outline(grown) == outline(EventRows(StepTrace(whole_step())))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", list(range(24))),
        ("features.1", [4, 5, 15, 17]),
        ("HEAD", [7, 8, 11, 13, 14]),
        ("features.? forward", [2, 3, 4, 5]),
        ("grad", [14, 19]),
        ("grad features", [19]),
        ("backward -grad -features.*", [11, 12, 13, 16, 21, 22]),
        ("-", list(range(24))),
        ("nowhere", []),
    ],
)
def test_that_a_filter_keeps_the_events_that_meet_all_its_terms(text: str, numbers: list[int]) -> None:
    wanted = parse_filter(text)
    events = whole_step()
    # The optimizer's event is the last one.
    assert [event.number for event in events if wanted.matches(event)] == numbers


def test_that_a_filter_keeps_what_its_matches_are_inside_of() -> None:
    rows = EventRows(StepTrace(whole_step()))
    kept = parse_filter("grad features.0").kept(rows)
    assert [rows.number[row] for row in kept] == [12, 16, 18, 19]


def test_that_the_list_shows_names_classes_and_calls_with_the_calls_that_hold_others_open(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    assert window.texts()[:9] == [
        "0 Net forward",
        "  1 features Sequential",
        "    2 0 Conv2d",
        "    4 1 ReLU",
        "    6 output",
        "  7 head Linear",
        "  9 output",
        "10 loss",
        "12 Net backward",
    ]
    assert window.index_of(2).siblingAtColumn(Column.DURATION).data() == "1.0 ms"
    assert window.index_of(14).data() == "weight grad"


def test_that_every_kind_of_event_has_a_shape_of_its_own() -> None:
    assert set(SHAPES) == set(EventKind)
    assert len(set(SHAPES.values())) == len(EventKind)
    assert color_of(EventKind.FORWARD_ENTER, DARK) != color_of(EventKind.BACKWARD_ENTER, DARK)


def test_that_the_model_obeys_qt_while_events_come(window: TimelineWindow, qtbot: QtBot) -> None:
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(window.dock.list.events, mode)
    for number in (0, 2, 5, 9, 11, 12, 14, 16, 23):
        window.stop_at(number)
        pump()
    window.bridge.go_on()
    window.finish(1)
    pump()
    assert outline(window.dock.list.events.rows) == outline(EventRows(StepTrace(whole_step())))
    window.dock.controls.filter.setText("grad")
    pump(lambda: len(window.texts()) == 6)
    assert [text.strip() for text in window.texts()] == [
        "12 Net backward",
        "11 head Linear",
        "14 weight grad",
        "16 features Sequential",
        "18 0 Conv2d",
        "19 weight grad",
    ]
    tester.deleteLater()


def test_that_what_a_person_opened_is_open_in_the_next_step_too(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.dock.list.expand(window.index_of(7))
    window.dock.list.collapse(window.index_of(1))
    window.trace(2)
    window.settle(2)
    assert window.texts()[:5] == ["0 Net forward", "  1 features Sequential", "  7 head Linear", "    8 output", "  9 output"]


# -- stopped -----------------------------------------------------------------------------------------------------------


def test_that_the_arrow_is_at_the_event_at_hand_until_the_step_goes_on(window: TimelineWindow) -> None:
    window.stop_at(4)
    assert window.dock.list.at_hand == 4
    assert window.dock.lanes.scene.at_hand_path == "features.1"
    assert DARK.at_hand in colors_of(window.dock.list)
    assert DARK.at_hand in colors_of(window.dock.lanes)
    window.bridge.go_on()
    pump(lambda: window.dock.list.at_hand is None)
    assert DARK.at_hand not in colors_of(window.dock.list)


def test_that_an_event_inside_a_closed_call_is_shown_as_long_as_it_is_at_hand(window: TimelineWindow) -> None:
    window.stop_at(3)
    assert window.dock.list.isExpanded(window.index_of(2))
    window.stop_at(4)
    assert not window.dock.list.isExpanded(window.index_of(2))


def test_that_what_has_yet_to_come_is_listed_and_drawn_while_the_step_is_stopped(window: TimelineWindow) -> None:
    window.stop_at(4)
    coming = [text.strip() for text in window.texts()[-4:]]
    assert coming == ["head not reached", "unused not reached", "features.0 pending", "6"] or coming[-3:] == [
        "head not reached",
        "unused not reached",
        "features.0 pending",
    ]
    looks = [window.dock.list.events.index(row, 0).data(LOOK_ROLE) for row in (1, 3)]
    assert [(look.is_coming, look.is_pending) for look in looks] == [(True, False), (True, True)]
    index = window.dock.list.events.index(3, 0)
    assert "backward has not come here yet" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert not index.flags() & Qt.ItemFlag.ItemIsSelectable
    window.bridge.go_on()
    pump(lambda: len(window.texts()) < 5)
    assert not any("pending" in text for text in window.texts())


def test_that_a_stop_makes_the_latest_step_the_shown_one(window: TimelineWindow) -> None:
    for step in (1, 2):
        window.trace(step)
    window.settle(2)
    window.current.show_step(1)
    window.settle(1)
    window.stop_at(4, step=3, ref=TensorRef("features.1", Slot.INPUT, "args.0"))
    assert (window.current.step, window.dock.shown_step) == (None, 3)
    assert window.current.ref == TensorRef("features.1", Slot.INPUT, "args.0")


# -- lanes and flame ---------------------------------------------------------------------------------------------------


def bar_of(window: TimelineWindow, path: str, *, is_backward: bool) -> QPoint:
    lanes = window.dock.lanes
    number = next(number for number, row in enumerate(lanes.scene.rows) if row.path == path)
    span = next(span for span in lanes.scene.rows[number].spans if span.is_backward is is_backward)
    geometry = lanes.geometry_now
    x = geometry.x_of((span.begin_s + span.end_s) / 2, lanes.scene.window)
    return QPointF(x, geometry.area_of(number).center().y()).toPoint()


def click(window: TimelineWindow, place: QPoint) -> None:
    QTest.mouseClick(window.dock.lanes.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_that_lanes_have_a_row_for_each_module_and_both_passes_in_their_colours(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "features.0", "features.1", "head"]
    assert {DARK.forward, DARK.backward} <= colors_of(window.dock.lanes)


@pytest.mark.parametrize(
    ("path", "is_backward", "ref"),
    [
        ("head", False, TensorRef("head", Slot.OUTPUT, "out")),
        ("head", True, TensorRef("head", Slot.GRAD_OUTPUT, "out")),
        ("features.1", True, TensorRef("features.1", Slot.GRAD_OUTPUT, "out")),
    ],
)
def test_that_a_click_on_a_bar_looks_at_what_it_gave(
    window: TimelineWindow, path: str, is_backward: bool, ref: TensorRef
) -> None:
    window.trace(1)
    window.settle(1)
    click(window, bar_of(window, path, is_backward=is_backward))
    assert window.current.ref == ref
    assert window.dock.lanes.scene.current == window.current.moment.event.number


def test_that_a_label_opens_and_closes_its_container_or_looks_at_its_module(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    geometry = window.dock.lanes.geometry_now
    triangle = QPoint(geometry.indent // 2, geometry.row_height // 2)
    click(window, triangle)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "head"]
    window.trace(2)
    window.settle(2)
    assert [row.path for row in window.dock.lanes.scene.rows] == ["features", "head"]
    click(window, triangle)
    assert len(window.dock.lanes.scene.rows) == 4
    geometry = window.dock.lanes.geometry_now
    click(window, QPoint(geometry.label_width // 2 + geometry.indent, round(3.5 * geometry.row_height)))
    assert window.current.path == "head"


def test_that_the_wheel_zooms_about_the_pointer_and_f_shows_everything_again(window: TimelineWindow, qtbot: QtBot) -> None:
    window.trace(1)
    window.settle(1)
    lanes = window.dock.lanes
    place = bar_of(window, "features.1", is_backward=False)
    time_s = lanes.geometry_now.time_at(place.x(), lanes.scene.window)
    for _ in range(5):
        qtbot.wheel(lanes.viewport(), place) if hasattr(qtbot, "wheel") else wheel(window, place, 120)
    assert lanes.scene.window.length_s < 0.5 * 0.023
    assert lanes.geometry_now.time_at(place.x(), lanes.scene.window) == pytest.approx(time_s)
    QTest.keyClick(lanes, Qt.Key.Key_F)
    assert lanes.scene.window.is_whole


def wheel(window: TimelineWindow, place: QPoint, delta: int) -> None:
    from PySide6.QtGui import QWheelEvent  # noqa: PLC0415

    viewport = window.dock.lanes.viewport()
    at = QPointF(place)
    event = QWheelEvent(
        at,
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    window.dock.lanes.wheelEvent(event)
