"""The timeline's list: the events of a step as a tree, what is at hand, and going from one to the other."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from hookscope.figures.lanes import StepTrace
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.gui.timeline.bookmark_keys import BookmarkKeys
from hookscope.gui.timeline.event_filter import parse_filter
from hookscope.gui.timeline.event_model import LOOK_ROLE, Column
from hookscope.gui.timeline.event_tree import NO_EVENT, TOP, EventRows
from hookscope.gui.timeline.shapes import SHAPES, color_of
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import EventKind
from tests.figures.stepped import BACK, BACKWARD, DONE, ENTER, FORWARD, LEAVE, events_of, whole_step
from tests.gui.panel_fakes import colors_of, pump
from tests.gui.timeline_driving import TREE, TimelineWindow, outline


@pytest.fixture
def window(qapp: object) -> Iterator[TimelineWindow]:
    apply_theme(qapp, DARK)  # type: ignore[arg-type]
    window = TimelineWindow()
    yield window
    window.close()
    window.deleteLater()


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


def test_that_the_list_has_names_classes_and_times_with_the_calls_open_that_hold_others(
    window: TimelineWindow,
) -> None:
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
    mode = QAbstractItemModelTester.FailureReportingMode.Warning
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
    assert window.texts()[:5] == [
        "0 Net forward",
        "  1 features Sequential",
        "  7 head Linear",
        "    8 output",
        "  9 output",
    ]


def test_that_a_filter_that_leaves_nothing_says_so(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.dock.controls.filter.setText("nowhere")
    pump(lambda: not window.texts())
    assert window.texts() == []
    assert len(colors_of(window.dock.list)) > 1
    window.dock.controls.filter.clear()
    pump(lambda: bool(window.texts()))
    assert window.texts()[0] == "0 Net forward"


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
    assert coming == ["4 1 ReLU", "head not reached", "unused not reached", "features.0 pending"]
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


# -- going about -------------------------------------------------------------------------------------------------------


def test_that_a_row_makes_its_event_current(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.dock.list.setCurrentIndex(window.index_of(14))
    assert window.current.ref == TensorRef("head", Slot.PARAMETER_GRAD, "weight")
    assert window.current.moment.event.number == 14
    window.dock.list.setCurrentIndex(window.index_of(23))
    assert window.current.ref == TensorRef("head", Slot.PARAMETER_GRAD, "weight")
    assert window.current.moment.event.kind is EventKind.OPTIMIZER


def test_that_the_event_of_the_current_tensor_is_marked(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.current.select_ref(TensorRef("features.0", Slot.GRAD_OUTPUT, "out"))
    assert window.dock.list.currentIndex() == window.index_of(18)
    assert window.dock.list.isExpanded(window.index_of(16))
    window.current.select_ref(TensorRef("features.0", Slot.PARAMETER, "weight"))
    assert not window.dock.list.selectionModel().hasSelection()


def test_that_one_goes_from_event_to_event_and_not_beyond_the_ends(window: TimelineWindow) -> None:
    dock = window.dock
    dock.next_event()
    assert window.current.moment is None
    window.trace(1)
    window.settle(1)
    seen = []
    for go in (dock.next_event, dock.next_event, dock.previous_event, dock.previous_event, dock.last_event):
        go()
        seen.append(window.current.moment.event.number)
    dock.next_event()
    seen.append(window.current.moment.event.number)
    dock.first_event()
    seen.append(window.current.moment.event.number)
    assert seen == [0, 1, 0, 0, 23, 23, 0]


def test_that_going_to_the_next_event_starts_at_the_one_at_hand_and_obeys_the_filter(window: TimelineWindow) -> None:
    window.stop_at(16)
    window.dock.previous_event()
    assert window.current.moment.event.number == 15
    window.dock.controls.filter.setText("forward head")
    pump(lambda: window.dock.list.events.is_filtered)
    window.dock.previous_event()
    assert window.current.moment.event.number == 8
    window.dock.previous_event()
    window.dock.previous_event()
    assert window.current.moment.event.number == 7


def buttons_of(window: TimelineWindow) -> list[QToolButton]:
    return [button for button in window.dock.bookmarks.findChildren(QToolButton) if not button.isHidden()]


def test_that_bookmarks_are_set_on_the_current_event_and_gone_to_from_another_step(window: TimelineWindow) -> None:
    for step in (1, 2):
        window.trace(step)
    window.settle(2)
    assert window.dock.bookmarks.isHidden()
    window.current.select_event(1, whole_step()[14])
    window.dock.toggle_bookmark()
    window.current.show_latest()
    window.current.select_event(2, whole_step()[8])
    window.dock.toggle_bookmark()
    assert [button.text() for button in buttons_of(window)] == ["head weight grad", "head output"]
    assert window.dock.list.events.bookmarked == {8}
    buttons_of(window)[0].click()
    assert (window.current.step, window.current.moment.event.number, window.dock.shown_step) == (1, 14, 1)
    assert window.dock.list.events.bookmarked == {14}
    keys = BookmarkKeys(window.dock, window)
    window.activateWindow()
    window.setFocus()
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert (window.current.step, window.dock.shown_step) == (None, 2)
    assert keys.parent() is window.dock
    window.dock.go_to_bookmark(7)
    window.dock.toggle_bookmark()
    assert [button.text() for button in buttons_of(window)] == ["head weight grad"]


def test_that_a_note_is_what_the_button_of_a_bookmark_says(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.current.select_event(1, whole_step()[14])
    window.dock.toggle_bookmark()
    window.dock.bookmarks.write_note(0, " too large ")
    (button,) = buttons_of(window)
    assert button.text() == "too large"
    assert button.toolTip() == "Step 1, event 14: head weight grad\ntoo large\nCtrl+1"
    window.bridge.load(TREE)
    assert not buttons_of(window)
