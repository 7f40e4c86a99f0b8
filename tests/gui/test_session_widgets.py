"""The small widgets that show the session: status bar, run controls, loading, history, log, toast."""

from collections.abc import Iterator

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.history_panel import HistoryPanel
from hookscope.gui.loading_view import LoadingView
from hookscope.gui.log_panel import MAX_LINES, LogPanel
from hookscope.gui.notifications import Notifications
from hookscope.gui.ready_page import ReadyPage
from hookscope.gui.run_controls import RunControls
from hookscope.gui.status_bar import StatusBar
from hookscope.gui.theme import theme_of
from hookscope.protocol.events import Phase, StepFinished, StepProgress
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.workload import ExampleSource, WorkloadInfo
from tests.gui.fakes import FakeBridge, small_tree, tree_of
from tests.gui.shell import DEVICES, NotingSession


@pytest.fixture
def session() -> NotingSession:
    return NotingSession(small_tree(), WorkloadInfo("Net"))


@pytest.fixture
def bridge(session: NotingSession, qapp: QApplication) -> Iterator[FakeBridge]:
    bridge = FakeBridge(session)
    yield bridge
    bridge.deleteLater()


def finished(step: int, loss: float | None = 0.5) -> StepFinished:
    return StepFinished(step, loss, 0.012, 0.005, 0.006, 300 * 2**20, 2**20, False)


def test_that_the_pill_says_what_the_session_does(bridge: FakeBridge, session: NotingSession, qtbot: QtBot) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    said = {}
    for state in SessionState:
        bridge.enter(state)
        said[state] = bar.state_text
    assert len(set(said.values())) == len(SessionState)
    assert said[SessionState.IDLE] == "Ready, nothing checked"


def test_that_the_pill_counts_checks_and_the_progress_of_a_step(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    session.checked = ("features.0", "features.3")
    bridge.hooks_changed.emit()
    assert bar.state_text == "Ready, 2 modules checked"
    session.progress = StepProgress(1, Phase.BACKWARD, 34, 210, "features.0")
    bridge.enter(SessionState.RUNNING)
    assert bar.state_text == "Running backward 34/210"


def test_that_the_pill_is_not_ready_after_an_error_or_without_an_input(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    session.failure = Failure(FailureKind.FORWARD_RAISED, module_path="features.3")
    bridge.failure_raised.emit(session.failure)
    assert bar.state_text == "Error in features.3"
    bridge.enter(SessionState.RUNNING)
    assert bar.state_text == "Running"
    session.failure = Failure(FailureKind.BACKWARD_RAISED)
    bridge.enter(SessionState.IDLE)
    assert bar.state_text == "Error"
    session.failure = None
    bar.refresh()
    assert bar.state_text == "Ready, nothing checked"
    session.workload = WorkloadInfo("Net", needs_input=True)
    bridge.settings_changed.emit()
    assert bar.state_text == "Needs an input"


def test_that_a_loss_that_is_not_finite_is_told(bridge: FakeBridge, session: NotingSession, qtbot: QtBot) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    session.history = [finished(1), finished(2, None)]
    bridge.step_finished.emit(session.history[-1])
    assert "loss not finite" in bar.figures_text


def test_that_the_figures_of_the_newest_step_are_shown(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    session.history = [finished(1), finished(2, 0.25)]
    bridge.step_finished.emit(session.history[-1])
    for text in ("cpu", "step 2", "loss 0.25", "12.0 ms", "300.0 MiB"):
        assert text in bar.figures_text


def test_that_a_device_that_cannot_be_used_is_greyed_with_the_reason(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    controls = RunControls(bridge)
    qtbot.addWidget(controls)
    session.devices = DEVICES
    bridge.model_loaded.emit()
    box = controls.findChild(QComboBox)
    model = box.model()
    assert [box.itemText(row) for row in range(box.count())] == ["CPU", "CUDA"]
    assert not model.flags(model.index(1, 0)) & Qt.ItemFlag.ItemIsEnabled
    assert model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == DEVICES[1].unavailable


def test_that_seed_and_device_become_settings(bridge: FakeBridge, session: NotingSession, qtbot: QtBot) -> None:
    controls = RunControls(bridge)
    qtbot.addWidget(controls)
    seed = controls.findChild(QSpinBox)
    seed.setValue(41)
    assert session.settings.seed == 41
    seed.setValue(seed.minimum())
    assert session.settings.seed is None
    session.devices = (*DEVICES[:1], type(DEVICES[0])("cuda:0", "cuda:0 H200", 2**37))
    bridge.settings_changed.emit()
    controls.findChild(QComboBox).activated.emit(1)
    assert session.settings.device == "cuda:0"


def test_that_controls_follow_the_session_without_asking_it(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    controls = RunControls(bridge)
    qtbot.addWidget(controls)
    session.settings = type(session.settings)(seed=7)
    bridge.settings_changed.emit()
    assert controls.findChild(QSpinBox).value() == 7
    assert session.asked == []
    bridge.enter(SessionState.RUNNING)
    assert not controls.isEnabled()


def test_that_loading_says_what_and_can_be_given_up(session: NotingSession, qtbot: QtBot) -> None:
    session.wanted_source = ExampleSource("cnn")
    session.state = SessionState.LOADING
    view = LoadingView(session)
    qtbot.addWidget(view)
    view.show()
    assert any("example:cnn" in label.text() for label in view.findChildren(QLabel))
    with qtbot.waitSignal(view.cancel_requested):
        view.cancel_button.click()


def test_that_the_ready_page_says_what_is_missing(bridge: FakeBridge, session: NotingSession, qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    page = ReadyPage(bridge, holder.addAction("Step"), holder.addAction("Check all"), holder)
    buttons = {button.text(): button for button in page.findChildren(type(page.step_button))}

    def shown() -> list[str]:
        return [text for text, button in buttons.items() if not button.isHidden()]

    assert shown() == ["Check all modules"]
    session.checked = ("features.0",)
    bridge.hooks_changed.emit()
    assert shown() == ["Step"]
    session.workload = WorkloadInfo("Net", needs_input=True)
    bridge.settings_changed.emit()
    assert shown() == ["Give an input"]


def test_that_the_ready_page_leads_to_the_operations_of_a_model_without_modules(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    page = ReadyPage(bridge, holder.addAction("Step"), holder.addAction("Check all"), holder)
    (button,) = (one for one in page.findChildren(QPushButton) if one.text().startswith("Show operations"))
    assert button.isHidden(), "this model has modules"
    session.tree = tree_of([("", "FunctionModel")])
    bridge.model_loaded.emit()
    assert not button.isHidden()
    assert button.text() == f"Show operations of {session.tree.modules[0].name}"
    with qtbot.waitSignal(page.operations_requested) as asked:
        button.click()
    assert asked.args == [""]
    session.checked_operations = (OperationRef("", "add", 0),)
    bridge.hooks_changed.emit()
    assert button.isHidden()
    assert not page.step_button.isHidden()


def test_that_checked_operations_are_counted_where_no_module_is_checked(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    bar = StatusBar(bridge)
    qtbot.addWidget(bar)
    session.checked_operations = (OperationRef("", "add", 0), OperationRef("", "mul", 0))
    bridge.hooks_changed.emit()
    assert bar.state_text == "Ready, 2 operations checked"


def test_that_a_click_on_a_button_that_goes_away_leaves_the_keyboard_where_it_was(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    first, field = QPushButton("Open", window), QLineEdit(window)
    page = ReadyPage(bridge, window.addAction("Step"), window.addAction("Check all"), window)
    rows = QVBoxLayout(window)
    for widget in (first, field, page):
        rows.addWidget(widget)
    window.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    session.checked = ("features.0",)
    bridge.hooks_changed.emit()
    page.step_button.clicked.connect(page.hide)
    qtbot.mouseClick(page.step_button, Qt.MouseButton.LeftButton)
    assert page.isHidden()
    assert field.hasFocus()


def test_that_the_history_draws_every_step_once_it_is_seen(
    bridge: FakeBridge, session: NotingSession, qtbot: QtBot
) -> None:
    panel = HistoryPanel(bridge)
    qtbot.addWidget(panel)
    session.history = [finished(1, 2.0), finished(2, None), finished(3, 1.0)]
    bridge.step_finished.emit(session.history[-1])
    assert panel.drawn_steps == 0, "nothing is drawn while hidden"
    panel.show()
    qtbot.waitUntil(lambda: panel.drawn_steps == 3)
    assert "loss 1 (1 … 2), 1 not finite" in panel.summary
    assert "time per step, ms 12 (12 … 12);" in panel.summary


def test_that_a_lone_step_of_the_history_is_seen(bridge: FakeBridge, session: NotingSession, qtbot: QtBot) -> None:
    panel = HistoryPanel(bridge)
    qtbot.addWidget(panel)
    session.history = [finished(1, 2.0), finished(2, None)]
    panel.resize(900, 200)
    panel.show()
    qtbot.waitUntil(lambda: panel.drawn_steps == 2)
    loss = panel.findChildren(pg.PlotWidget)[0]
    accent = QColor(theme_of(panel.palette()).accent)
    picture = loss.grab().toImage()
    drawn = [picture.pixelColor(x, y) == accent for x in range(picture.width()) for y in range(picture.height())]
    assert sum(drawn) > 8


def test_that_the_log_is_a_terminal_for_progress_bars(bridge: FakeBridge, qtbot: QtBot) -> None:
    log = LogPanel(bridge)
    qtbot.addWidget(log)
    for text in ("loading\r\n", " 10%\r", " 50%\r100%", "\ndone\n"):
        bridge.output_printed.emit(text)
    assert log.toPlainText() == "loading\n100%\ndone\n"


def test_that_the_log_keeps_its_end_only(bridge: FakeBridge, qtbot: QtBot) -> None:
    log = LogPanel(bridge)
    qtbot.addWidget(log)
    bridge.output_printed.emit("".join(f"{number}\n" for number in range(MAX_LINES + 100)))
    assert log.blockCount() == MAX_LINES
    assert log.toPlainText().endswith(f"{MAX_LINES + 99}\n")


def test_that_a_toast_stays_while_the_mouse_is_over_it(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 300)
    window.show()
    toast = Notifications(window)
    toast.show_text("Saved net.png")
    assert toast.is_counting
    here = QPointF(2, 2)
    QApplication.sendEvent(toast, QEnterEvent(here, here, here))
    assert not toast.is_counting
    assert window.rect().contains(toast.geometry())


def test_that_a_toast_can_offer_something_to_do(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    toast = Notifications(window)
    done: list[str] = []
    toast.show_text("Saved", "Open folder", lambda: done.append("opened"))
    QTest.mouseClick(toast.action_button, Qt.MouseButton.LeftButton)
    assert done == ["opened"]
    assert toast.isHidden()
