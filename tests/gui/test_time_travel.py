"""Going back to older steps: the strip, gaps, what panels show, and the way back to the latest."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.gui.timeline.dock import TimelineDock
from hookscope.gui.timeline.event_model import Column
from hookscope.protocol.events import StepFinished, ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import ContinueMode, EventKind, StepEvent
from hookscope.protocol.views import NoPicture, NoPictureReason, Statistics, StatisticsRequest
from hookscope.protocol.workload import parse_source
from tests.figures.stepped import on_device, whole_step
from tests.gui.panel_fakes import PanelWindow, pump, texts_of
from tests.gui.timeline_driving import TimelineWindow

PATIENCE_MS = 60_000


@pytest.fixture
def window(qapp: object) -> Iterator[TimelineWindow]:
    apply_theme(qapp, DARK)  # type: ignore[arg-type]
    window = TimelineWindow()
    yield window
    window.close()
    window.deleteLater()


def test_that_the_strip_goes_through_the_steps_and_back_to_the_latest(window: TimelineWindow) -> None:
    for step in (1, 2, 3):
        window.trace(step)
    window.settle(3)
    controls = window.dock.controls
    assert (controls.label.text, controls.latest.isEnabled()) == ("3 / 3", False)
    window.current.select_event(3, whole_step()[14])
    QTest.keyClick(controls.strip, Qt.Key.Key_Left)
    assert (window.current.step, window.dock.shown_step) == (2, 2)
    assert window.current.ref == TensorRef("head", Slot.PARAMETER_GRAD, "weight")
    assert (controls.label.text, controls.latest.isEnabled()) == ("2 / 3", True)
    QTest.mouseClick(controls.strip, Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    assert window.dock.shown_step == 1
    controls.latest.click()
    assert (window.current.step, window.dock.shown_step) == (None, 3)


def test_that_a_step_that_was_gone_to_stays_while_others_run_and_the_latest_follows(window: TimelineWindow) -> None:
    for step in (1, 2):
        window.trace(step)
    window.settle(2)
    window.current.show_step(1)
    window.trace(3)
    pump(lambda: window.dock.controls.label.text == "1 / 3")
    assert window.dock.shown_step == 1
    window.current.show_latest()
    assert window.dock.shown_step == 3
    window.trace(4)
    window.settle(4)


def test_that_gaps_say_why_there_is_nothing(window: TimelineWindow) -> None:
    message = window.dock.message
    assert message.text().startswith("Tick “Trace steps” and press Step")
    for step in (1, 2):
        window.finish(step)
    pump(lambda: window.dock.controls.label.text == "2 / 2")
    assert message.text() == "Step 2 was not traced. Tick “Trace steps” first, or go through a step with Into."
    window.trace(3)
    window.settle(3)
    assert not message.isVisible()
    window.current.show_step(1)
    assert message.isVisible()
    assert window.dock.shown_step == 0


def test_that_after_an_untraced_step_the_newest_events_stay_and_say_whose_they_are(
    window: TimelineWindow,
) -> None:
    window.trace(1)
    window.finish(2)
    pump(lambda: window.dock.controls.label.text == "2 / 2")
    assert window.dock.shown_step == 1
    assert "these are the events of step 1" in window.dock.note


def test_that_steps_are_traced_when_that_is_ticked(window: TimelineWindow) -> None:
    window.dock.controls.trace.click()
    assert window.session.trace_steps
    window.dock.controls.trace.click()
    assert not window.session.trace_steps


def test_that_nothing_is_drawn_while_the_dock_is_hidden(window: TimelineWindow) -> None:
    window.dock.hide()
    window.trace(1)
    pump()
    assert window.dock.shown_step == 0
    window.dock.show()
    window.settle(1)


def test_that_device_times_replace_wall_times(window: TimelineWindow) -> None:
    window.trace(1)
    window.settle(1)
    window.trace(1, on_device(whole_step()))
    pump(lambda: window.dock.lanes.scene.trace.is_device_timed)
    assert window.index_of(2).siblingAtColumn(Column.DURATION).data() == "2.0 ms"


# -- the past in panels ------------------------------------------------------------------------------------------------

OUTPUT = TensorRef("features.0", Slot.OUTPUT, "out")


@pytest.fixture
def panels(qapp: object) -> Iterator[PanelWindow]:
    window = PanelWindow()
    for step in (1, 2):
        window.bridge.session.history.append(StepFinished(step, 0.5, 0.1, 0.05, 0.05, 0, 0, False))
    window.show_tensor(OUTPUT, torch.full((3, 4), 2.0), step=2)
    yield window
    window.close()
    window.deleteLater()


def answer_past(panels: PanelWindow, tensor: torch.Tensor, step: int) -> None:
    """Answer all that is asked for of a step that passed."""
    while True:
        pump(lambda: bool(panels.bridge.session.asked), timeout_s=0.2)
        asked = panels.bridge.take_asked()
        if not asked:
            return
        for one in asked:
            assert one.step == step
            result = build_view(tensor, one.request)
            panels.bridge.view_arrived.emit(
                ViewReady(one.panel, one.number, one.ref, step, spec_of(tensor), (), result)
            )


def test_that_a_panel_shows_the_tensor_of_an_older_step_and_then_the_latest_again(panels: PanelWindow) -> None:
    panels.current.show_step(1)
    answer_past(panels, torch.full((3, 4), 1.0), 1)
    assert panels.panel.shown_step == 1
    assert "step 1" in texts_of(panels.panel)
    assert "from step" not in texts_of(panels.panel)
    panels.bridge.capture({OUTPUT: torch.full((3, 4), 3.0)}, step=3)
    pump()
    assert not panels.bridge.take_asked()
    panels.current.show_latest()
    panels.bridge.answer_all(panels.panel)
    assert panels.panel.shown_step == 3


def test_that_another_shape_of_an_older_step_is_learnt_from_the_answer(panels: PanelWindow) -> None:
    panels.current.show_step(1)
    answer_past(panels, torch.ones(2, 5, 6), 1)
    assert panels.panel.spec.shape == (2, 5, 6)
    assert panels.panel.message == ""
    assert "2 × 5 × 6" in texts_of(panels.panel)


def test_that_a_tensor_that_is_not_recorded_now_can_be_seen_in_an_older_step(panels: PanelWindow) -> None:
    panels.current.select_event(1, StepEvent(3, EventKind.FORWARD_LEAVE, "features.1", 0, 2, 0.1, "out"))
    answer_past(panels, torch.ones(5), 1)
    assert panels.panel.spec.shape == (5,)
    assert panels.panel.message == ""


def test_that_a_step_that_has_left_the_budget_says_so(panels: PanelWindow) -> None:
    panels.current.show_step(1)
    pump(lambda: bool(panels.bridge.session.asked))
    (asked,) = panels.bridge.take_asked()
    gone = NoPicture(NoPictureReason.STEP_GONE)
    panels.bridge.view_arrived.emit(ViewReady(asked.panel, asked.number, asked.ref, 0, None, (), gone))
    pump()
    assert panels.panel.message.startswith("This step has left the memory budget")
    assert not panels.bridge.take_asked()
    panels.current.show_latest()
    panels.bridge.answer_all(panels.panel)
    assert panels.panel.message == ""


def test_that_an_answer_without_values_for_a_step_on_the_way_says_nothing_of_the_next_one(panels: PanelWindow) -> None:
    panels.bridge.session.history.append(StepFinished(3, 0.5, 0.1, 0.05, 0.05, 0, 0, False))
    panels.current.show_step(1)
    pump(lambda: bool(panels.bridge.session.asked))
    (asked,) = panels.bridge.take_asked()
    panels.current.show_step(2)
    gone = NoPicture(NoPictureReason.STEP_GONE)
    panels.bridge.view_arrived.emit(ViewReady(asked.panel, asked.number, asked.ref, 0, None, (), gone))
    answer_past(panels, torch.full((3, 4), 2.0), 2)
    assert panels.panel.message == ""
    assert panels.panel.shown_step == 2


# -- with a real debuggee ----------------------------------------------------------------------------------------------


def test_that_a_traced_model_can_be_gone_back_to_step_by_step(qapp: object, qtbot: QtBot) -> None:
    bridge = SessionBridge()
    session = bridge.session
    window = QMainWindow()
    current = Current(bridge, window)
    dock = TimelineDock(bridge, current, window)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(1000, 300)
    window.show()
    try:
        with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
            session.open(parse_source("example:cnn"))
        qtbot.waitUntil(lambda: session.state is SessionState.IDLE, timeout=PATIENCE_MS)
        session.check(["conv1"])
        session.trace_steps = True
        session.run(3)
        qtbot.waitUntil(lambda: session.state is SessionState.IDLE and dock.shown_step == 3, timeout=PATIENCE_MS)
        assert {row.path for row in dock.lanes.scene.rows} == {
            "conv1", "relu1", "pool1", "conv2", "relu2", "pool2", "fc1", "relu3", "fc2"
        }  # fmt: skip
        for step in (1, 2, 3):
            event = next(e for e in session.events.of(step) if (e.kind, e.path) == (EventKind.BACKWARD_ENTER, "conv1"))
            current.select_event(step, event)
            assert dock.shown_step == step
            assert current.ref == TensorRef("conv1", Slot.GRAD_OUTPUT, "out")
            with qtbot.waitSignal(bridge.view_arrived, timeout=PATIENCE_MS) as answered:
                session.request_view("test", step, current.ref, StatisticsRequest(), step)
            assert isinstance(answered.args[0].result, Statistics)
            assert answered.args[0].step == step
        session.step(ContinueMode.TO_SELECTED, "conv2")
        qtbot.waitUntil(lambda: session.state is SessionState.STOPPED, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: dock.list.at_hand is not None, timeout=PATIENCE_MS)
        assert (current.step, dock.shown_step, session.stopped.event.path) == (None, 4, "conv2")
        assert any(coming.key == ("fc2", 0, True) for row in dock.lanes.scene.rows for coming in row.coming)
    finally:
        bridge.close()
        window.close()
        window.deleteLater()
