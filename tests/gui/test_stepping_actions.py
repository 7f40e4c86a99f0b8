from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QDockWidget, QInputDialog, QPushButton, QToolBar
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.central_area import Page
from hookscope.protocol.events import LogPrinted, NonFiniteSearched
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import ContinueMode, EventKind, StopKind, StopReason
from tests.gui.fakes import event, small_tree
from tests.gui.shell import Shell

ADVANCES = {
    "step_into": "step_into",
    "step_over": "step_over",
    "step_out": "step_out",
    "to_non_finite": "to_non_finite",
    "to_end_of_forward": "to_end_of_forward",
    "to_end_of_backward": "to_end_of_backward",
}
BACKWARD = event(31, EventKind.BACKWARD_ENTER, "features.3", leaf="out")
GRADIENT = TensorRef("features.3", Slot.GRAD_OUTPUT, "out")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


@pytest.mark.parametrize("state", [SessionState.IDLE, SessionState.STOPPED])
def test_that_every_step_command_asks_the_session_idle_or_paused(shell: Shell, state: SessionState) -> None:
    shell.bridge.enter(state)
    for key, intent in ADVANCES.items():
        shell.window.action_set[key].trigger()
        assert shell.session.wishes.pop() == (intent,)


def test_that_the_step_button_continues_a_paused_step(shell: Shell) -> None:
    bar = shell.window.findChild(QToolBar, "tool_bar")
    (button,) = (button for button in bar.findChildren(QPushButton) if button.property("primary"))
    shell.bridge.stop_at(BACKWARD)
    assert button.text() == "Continue"
    button.click()
    assert shell.session.wishes[-1] == ("continue_", ContinueMode.CONTINUE, "")
    shell.bridge.go_on()
    shell.bridge.enter(SessionState.IDLE)
    assert button.text() == "Step"
    button.click()
    assert shell.session.asked == ["step"]


def test_that_the_selected_module_is_the_one_to_run_to(shell: Shell) -> None:
    shell.window.action_set["run_to"].trigger()
    assert ("run_to", "features.3") not in shell.session.wishes, "nothing is selected"
    shell.window.current.select_module("features.3")
    shell.window.action_set["run_to"].trigger()
    assert shell.session.wishes[-1] == ("run_to", "features.3")


def test_that_finishing_a_paused_step_lets_it_go_on(shell: Shell) -> None:
    shell.bridge.stop_at(BACKWARD)
    shell.window.action_set["finish_step"].trigger()
    assert [wish[0] for wish in shell.session.wishes[-2:]] == ["finish_step", "continue_"]


def test_that_the_pill_says_where_and_why_it_is_paused(shell: Shell) -> None:
    bar = shell.window.statusBar()
    values = {"breakpoint": "1", "what": "norm_above", "value": "1234", "limit": "1000", "hits": "2"}
    shell.bridge.stop_at(BACKWARD, StopReason(StopKind.BREAKPOINT, values), GRADIENT)
    assert bar.state_text == "Paused"
    assert bar.where_text == "backward, features.3 grad_output (grad norm 1234 > 1000, hit 2)   event 31"
    shell.bridge.go_on()
    assert bar.where_text == ""


def test_that_on_a_stop_everything_shows_the_tensor_at_hand(shell: Shell) -> None:
    shell.window.complete()
    shell.bridge.stop_at(BACKWARD, ref=GRADIENT)
    assert shell.window.current.ref == GRADIENT
    assert shell.window.central.page is Page.PANELS
    index = shell.window.modules.view.currentIndex()
    module = shell.window.modules.view.module_at(index)
    assert module is not None
    assert module.path == "features.3"


def test_that_the_code_gives_way_when_the_stepping_is_over(shell: Shell) -> None:
    shell.window.show()
    shell.window.complete()
    QApplication.processEvents()
    code = shell.window.findChild(QDockWidget, "code")
    assert code is not None
    shell.bridge.stop_at(BACKWARD, ref=GRADIENT)
    QApplication.processEvents()
    assert not code.visibleRegion().isEmpty()
    shell.bridge.enter(SessionState.RUNNING)
    QApplication.processEvents()
    assert not code.visibleRegion().isEmpty()
    shell.bridge.enter(SessionState.IDLE)
    QApplication.processEvents()
    assert code.visibleRegion().isEmpty()
    assert not shell.window.workload.visibleRegion().isEmpty()


def test_that_a_stop_without_a_tensor_selects_the_module(shell: Shell) -> None:
    shell.bridge.stop_at(event(4, EventKind.FORWARD_ENTER, "features.1"))
    assert shell.window.current.path == "features.1"


def test_that_a_search_asks_how_far_and_is_answered_on_a_card(shell: Shell) -> None:
    shell.window.action_set["find_non_finite"].trigger()
    dialog = shell.window.findChild(QInputDialog)
    dialog.setIntValue(7)
    dialog.accept()
    assert shell.session.wishes[-1] == ("find_non_finite", 7)
    shell.bridge.non_finite_searched.emit(NonFiniteSearched(7, None))
    assert shell.window.central.origin_card.text.startswith("All finite in 7 steps")


def test_that_the_tool_bar_gives_up_texts_before_buttons(shell: Shell, qtbot: QtBot) -> None:
    window = shell.window
    window.show()
    bar = window.findChild(QToolBar, "tool_bar")
    over = bar.widgetForAction(window.action_set["step_over"])
    window.resize(1900, 700)
    qtbot.waitUntil(lambda: over.width() > 2 * over.height())
    window.resize(1024, 640)
    qtbot.waitUntil(lambda: bar.width() <= 1024)
    qtbot.waitUntil(lambda: over.width() < 2 * over.height())
    assert all(bar.widgetForAction(action).isVisible() for action in bar.actions() if action.isVisible())


def test_that_log_points_write_to_the_log(shell: Shell) -> None:
    shell.bridge.output_printed.emit("no line feed")
    shell.bridge.log_printed.emit(LogPrinted(1, 3, BACKWARD, "norm 12"))
    log = next(dock.widget() for dock in shell.window.docks.docks if dock.objectName() == "log")
    assert log.toPlainText() == "no line feed\n◆ step 3, event 31: norm 12\n"
