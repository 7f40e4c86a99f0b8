"""The dock of layers side by side, around a session that only notes what is asked."""

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.figures.gradient_flow import FlowRow, Measure, Verdict
from hookscope.gui.current import Current
from hookscope.gui.handlers.series import SeriesHandlers
from hookscope.gui.series.following import Following
from hookscope.gui.series.layer_model import Column
from hookscope.gui.series.layer_view import draw_mark
from hookscope.gui.series.layers_dock import LayersDock
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.theme import DARK
from hookscope.gui.trials.comparison import CompareMode
from hookscope.protocol.events import StepFinished, TrialFinished
from hookscope.protocol.series import Layer, Magnitude
from tests.gui.fakes import FakeBridge, record, small_tree

FINISHED = StepFinished(1, 1.0, 0.1, 0.05, 0.05, 0, 0, False)


@pytest.fixture
def dock(bridge: FakeBridge, current: Current, qtbot: QtBot) -> Iterator[LayersDock]:
    dock = LayersDock(bridge, current)
    qtbot.addWidget(dock)
    dock.resize(900, 300)
    dock.show()
    yield dock
    dock.close()


def layer(path: str, order: int, grad: float, *, parameters: bool = False, non_finite: int = 0) -> Layer:
    size = Magnitude(1.0, 4)
    own = (size, size, 0.001) if parameters else (None, None, None)
    return Layer(path, order, size, Magnitude(grad, 100, non_finite), *own)


def asked(bridge: FakeBridge) -> list[int | None]:
    return [wish[1] for wish in bridge.session.wishes if wish[0] == "request_overview"]  # type: ignore[misc]


def ready(dock: LayersDock, qtbot: QtBot) -> None:
    """Wait until the feed may ask again."""
    qtbot.waitUntil(lambda: not dock._feed._pause.isActive())


def texts(dock: LayersDock, row: int) -> list[str]:
    return [dock.model.index(row, column).data() for column in Column]


def test_that_layers_stand_side_by_side_with_numbers_and_what_stands_out(dock: LayersDock, bridge: FakeBridge) -> None:
    bridge.session.checked = ("features.0",)
    bridge.tell_layers(
        12,
        layer("features.0", 0, 500.0, parameters=True),
        layer("features.1", 1, 0.5),
        layer("features.2", 2, 0.4, non_finite=3),
        layer("features.3", 3, 0.3),
        layer("classifier.1", 4, 0.0),
        layer("classifier.3", 5, 0.2),
    )
    assert texts(dock, 0) == ["features.0", "", "500", "", "exploding"]
    assert texts(dock, 2)[-1] == "3 NaN or infinite"
    assert texts(dock, 4)[-1] == "all zero"
    assert dock.summary == "Step 12 · 6 layers · 1 with NaN or infinities · 1 exploding · 1 all zero"
    index = dock.model.index(0, Column.LAYER)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "features.0, 500, exploding"
    assert dock.message == ""
    dock.unit.setCurrentIndex(1)
    dock.unit.activated.emit(1)
    assert texts(dock, 0)[Column.VALUE] == "50"
    assert texts(dock, 0)[-1] == "exploding"
    dock.choose(Measure.UPDATE)
    assert [row.path for row in dock.model.flow.rows] == ["features.0"]
    assert not dock.unit.isEnabled()


def test_that_one_answer_is_asked_for_at_a_time_and_only_while_it_is_seen(
    dock: LayersDock, bridge: FakeBridge, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: asked(bridge) == [None])
    for _ in range(5):
        bridge.step_finished.emit(FINISHED)
    ready(dock, qtbot)
    assert asked(bridge) == [None]
    assert dock.is_waiting
    bridge.tell_layers(1, layer("features.0", 0, 1.0))
    assert asked(bridge) == [None, None]  # what ended meanwhile
    bridge.tell_layers(5, layer("features.0", 0, 1.0))
    bridge.step_finished.emit(FINISHED)
    assert len(asked(bridge)) == 2  # not so soon
    qtbot.waitUntil(lambda: len(asked(bridge)) == 3)
    bridge.tell_layers(6, layer("features.0", 0, 1.0))
    assert not dock.is_waiting
    ready(dock, qtbot)
    dock.hide()
    bridge.step_finished.emit(FINISHED)
    assert len(asked(bridge)) == 3
    dock.show()
    qtbot.waitUntil(lambda: len(asked(bridge)) == 4)


def test_that_a_debuggee_that_is_gone_owes_no_answer(dock: LayersDock, bridge: FakeBridge, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(asked(bridge)) == 1)
    bridge.enter(SessionState.LOST)
    ready(dock, qtbot)
    bridge.step_finished.emit(FINISHED)
    assert len(asked(bridge)) == 1
    bridge.load(small_tree())
    bridge.enter(SessionState.IDLE)
    qtbot.waitUntil(lambda: len(asked(bridge)) == 2)


def test_that_an_earlier_step_is_asked_for_when_the_window_goes_back(
    dock: LayersDock, bridge: FakeBridge, current: Current, qtbot: QtBot
) -> None:
    bridge.session.checked = ("features.0",)
    bridge.record(record("features.0", step=9))
    qtbot.waitUntil(lambda: asked(bridge) == [None])
    bridge.session.history.append(msgspec.structs.replace(FINISHED, step=9))
    bridge.tell_layers(9, layer("features.0", 0, 1.0))
    ready(dock, qtbot)
    current.show_step(4)
    assert asked(bridge) == [None, 4]
    bridge.tell_layers(0)
    assert "not kept" in dock.message
    ready(dock, qtbot)
    bridge.step_finished.emit(FINISHED)
    assert asked(bridge) == [None, 4]
    current.show_latest()
    assert asked(bridge) == [None, 4, None]


def test_that_a_step_that_is_stopped_or_fails_is_shown_as_far_as_it_came(
    dock: LayersDock, bridge: FakeBridge, qtbot: QtBot
) -> None:
    bridge.session.checked = ("features.0", "features.3")
    qtbot.waitUntil(lambda: asked(bridge) == [None])
    bridge.tell_layers(0)
    bridge.enter(SessionState.RUNNING)
    bridge.record(record("features.0", step=1))
    for count in (1, 2):  # the second stop is further on in the same step
        ready(dock, qtbot)
        bridge.enter(SessionState.STOPPED)
        assert asked(bridge) == [None] + [1] * count
        bridge.tell_layers(1, layer("features.0", 0, 1.0), Layer("features.3", 1, Magnitude(1.0, 4)))
        assert texts(dock, 1)[-1] == "not reached yet"
        bridge.enter(SessionState.RUNNING)
    ready(dock, qtbot)
    bridge.enter(SessionState.IDLE)  # as after an exception
    assert asked(bridge) == [None, 1, 1, 1]
    bridge.tell_layers(1, layer("features.0", 0, 1.0), Layer("features.3", 1, Magnitude(1.0, 4)))
    assert texts(dock, 1)[-1] == "not captured"


def test_that_a_trial_is_shown_with_its_changes_or_without_them(
    dock: LayersDock, bridge: FakeBridge, current: Current, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: asked(bridge) == [None])
    bridge.tell_layers(1, layer("features.0", 0, 1.0))
    ready(dock, qtbot)
    bridge.session.history.append(StepFinished(2, 1.0, 0.1, 0.05, 0.05, 0, 0, False, is_trial=True))
    bridge.step_finished.emit(bridge.session.history[-1])
    assert asked(bridge) == [None]
    bridge.session.trial = TrialFinished(2, 3, 1.0, 2.0)
    bridge.trial_finished.emit(bridge.session.trial)
    assert asked(bridge) == [None, 3]
    bridge.tell_layers(3, layer("features.0", 0, 1.0))
    ready(dock, qtbot)
    current.comparison.set_mode(CompareMode.BEFORE)
    assert asked(bridge) == [None, 3, 2]


def test_that_a_layer_that_is_selected_is_looked_at_and_the_other_way_round(
    dock: LayersDock, bridge: FakeBridge, current: Current, qtbot: QtBot
) -> None:
    bridge.tell_layers(1, *(layer(path, n, 1.0) for n, path in enumerate(("features.0", "features.3", "classifier.1"))))
    rect = dock.view.visualRect(dock.model.index(1, Column.LAYER))
    QTest.mouseClick(dock.view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert current.path == "features.3"
    QTest.keyClick(dock.view, Qt.Key.Key_Down)
    assert current.path == "classifier.1"
    current.select_module("features.0")
    assert dock.view.currentIndex().row() == 0
    current.select_module("features.6")
    assert not dock.view.currentIndex().isValid()
    assert current.path == "features.6"


def test_that_how_much_is_checked_is_said_and_all_can_be_checked(
    dock: LayersDock, bridge: FakeBridge, qtbot: QtBot
) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    handlers = SeriesHandlers(bridge, Following(bridge, bridge), Settings(MemoryStore()), window)
    dock.check_all_requested.connect(handlers.check_all)
    assert "No module is checked" in dock.message
    assert "Check all" in dock.message
    bridge.session.checked = ("features.0", "features.3")
    bridge.hooks_changed.emit()
    assert dock.link.startswith("2 of 14 modules are checked.")
    assert "Run a step" in dock.message
    bridge.enter(SessionState.STOPPING)
    assert "Check all" not in dock.link
    bridge.enter(SessionState.IDLE)
    dock._link.linkActivated.emit("check-all")
    assert len(bridge.session.checked) == 14
    bridge.hooks_changed.emit()
    assert dock.link == ""
    bridge.load(None)
    assert "Open a model" in dock.message


def test_that_a_thousand_layers_are_shown_without_a_widget_each(dock: LayersDock, bridge: FakeBridge) -> None:
    before = len(dock.findChildren(object))
    many = [layer(f"layers.{n}.linear", n, 10.0 ** (n / 200 - 3), parameters=True) for n in range(1000)]
    bridge.tell_layers(1, *many)
    dock.grab()
    assert dock.model.rowCount() == 1000
    assert len(dock.findChildren(object)) == before
    assert dock.model.row_of("layers.999.linear") == 999
    bridge.tell_layers(2, *many[:-1])
    assert dock.model.rowCount() == 999


def test_that_a_bar_is_as_long_as_its_number_on_a_logarithmic_axis(dock: LayersDock, bridge: FakeBridge) -> None:
    bridge.tell_layers(1, layer("features.0", 0, 100.0), layer("features.3", 1, 0.1), layer("classifier.1", 2, 0.0))
    picture = dock.view.viewport().grab().toImage()
    lengths = []
    for row in range(3):
        rect = dock.view.visualRect(dock.model.index(row, Column.BAR))
        y = rect.center().y() + 2
        colors = [QColor(picture.pixel(x, y)) for x in range(rect.left(), rect.right())]
        lengths.append(sum(color.red() > 200 and color.blue() < 150 for color in colors))
    flow = dock.model.flow
    assert (flow.first_decade, flow.last_decade) == (-2, 2)
    assert lengths[1] == pytest.approx(lengths[0] / 4, abs=6)
    assert lengths[2] == 0


@pytest.mark.parametrize(
    "row",
    [
        FlowRow("a", 1.0, Verdict.EXPLODING),
        FlowRow("a", 1.0, Verdict.VANISHING),
        FlowRow("a", 0.0, Verdict.ZERO),
        FlowRow("a", None, Verdict.UNREACHED),
        FlowRow("a", 1.0, Verdict.FINE, 1),
    ],
)
def test_that_each_verdict_has_a_shape_of_its_own(row: FlowRow, qapp: object) -> None:
    def shape(one: FlowRow) -> frozenset[tuple[int, int]]:
        image = QImage(20, 20, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        draw_mark(painter, one, QPointF(10, 10), 14, DARK)
        painter.end()
        return frozenset((x, y) for x in range(20) for y in range(20) if QColor.fromRgba(image.pixel(x, y)).alpha())

    others = [FlowRow("a", 1.0, verdict) for verdict in Verdict] + [FlowRow("a", 1.0, Verdict.FINE, 1)]
    mine = shape(row)
    assert mine
    assert sum(shape(other) == mine for other in others) == 1
