from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QTabBar
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.central_area import Page
from hookscope.gui.failure_text import Remedy, remedies
from hookscope.gui.settings import LAYOUT_VERSION, MemoryStore, Settings
from hookscope.gui.status_bar import StatusBar
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.workload import FileSource, LossChoice
from tests.gui.fakes import record, small_tree, spec
from tests.gui.shell import Shell


@pytest.fixture
def make_shell(qapp: QApplication) -> Iterator[Callable[..., Shell]]:
    shells: list[Shell] = []

    def make(settings: Settings | None = None) -> Shell:
        shells.append(Shell(qapp, settings) if settings is not None else Shell(qapp))
        return shells[-1]

    yield make
    for shell in shells:
        shell.close()


@pytest.fixture
def shell(make_shell: Callable[..., Shell]) -> Shell:
    return make_shell()


def test_that_nothing_is_opened_without_being_asked_for(shell: Shell, qtbot: QtBot) -> None:
    shell.settings.add_recent("example:digits")
    shell.window.show()
    qtbot.waitUntil(lambda: shell.window.panels is not None)
    assert shell.session.asked == []
    assert shell.window.central.page is Page.WELCOME


def test_that_the_status_bar_says_what_is_under_the_pointer(shell: Shell) -> None:
    shell.window.complete()
    assert shell.window.panels is not None
    bar = shell.window.statusBar()
    assert isinstance(bar, StatusBar)
    shell.window.panels.pointed.emit("[0, 12, 3, 5] = -0.00184")
    assert bar.pointed_text == "[0, 12, 3, 5] = -0.00184"
    shell.window.panels.pointed.emit("")
    assert bar.pointed_text == ""


def test_that_the_page_follows_the_session(shell: Shell) -> None:
    central = shell.window.central
    shell.bridge.enter(SessionState.LAUNCHING)
    assert central.page is Page.LOADING
    shell.load(small_tree())
    assert central.page is Page.READY
    shell.bridge.record(record("features.0", of=spec(1, 16, 8, 8)))
    assert central.page is Page.PANELS
    shell.bridge.enter(SessionState.LAUNCHING)
    assert central.page is Page.PANELS, "the old model stays until the new one is loaded"


def test_that_the_title_names_the_model(shell: Shell) -> None:
    assert shell.window.windowTitle() == "hookscope"
    shell.load(small_tree(), "Handwritten digits")
    assert shell.window.windowTitle() == "Handwritten digits – hookscope"


def test_that_the_first_results_select_a_convolution(shell: Shell) -> None:
    shell.load(small_tree())
    shell.bridge.record(*(record(path, of=spec(1, 4)) for path in ("", "features", "features.2", "features.3")))
    assert shell.window.current.path == "features.3"


def test_that_a_failure_is_shown_above_what_was_there_and_goes_when_it_is_over(shell: Shell) -> None:
    shell.load(small_tree())
    shell.bridge.record(record("features.0", of=spec(1, 4)))
    shell.fail(Failure(FailureKind.FORWARD_RAISED, module_path="features.3", module_class="Conv2d"))
    card = shell.window.central.failure_card
    assert card.failure is not None
    assert shell.window.central.page is Page.PANELS
    shell.session.failure = None
    shell.bridge.step_finished.emit(None)
    assert card.failure is None


def test_that_a_card_can_be_dismissed(shell: Shell) -> None:
    shell.load(small_tree())
    shell.fail(Failure(FailureKind.BACKWARD_RAISED))
    shell.window.central.failure_card.dismiss_button.click()
    assert shell.session.failure is None
    assert shell.window.central.failure_card.isHidden()


def test_that_a_loss_chosen_on_the_card_is_taken_and_the_step_done(shell: Shell) -> None:
    shell.load(small_tree())
    shell.fail(Failure(FailureKind.LOSS_NOT_SCALAR, {"shape": "(2, 3)"}))
    shell.window.central.failure_card.remedy_button(Remedy.LOSS_MEAN).click()
    assert shell.session.settings.loss is LossChoice.MEAN
    assert shell.session.asked == ["change_settings", "step"]


def test_that_the_card_leads_to_the_module_that_raised(shell: Shell) -> None:
    shell.load(small_tree())
    shell.fail(Failure(FailureKind.FORWARD_RAISED, module_path="classifier.1"))
    shell.window.central.failure_card.remedy_button(Remedy.GO_TO_MODULE).click()
    assert shell.window.current.path == "classifier.1"


def test_that_a_lost_session_can_be_restarted_from_the_card(shell: Shell) -> None:
    shell.load(small_tree())
    shell.bridge.enter(SessionState.LOST)
    shell.fail(Failure(FailureKind.DEBUGGEE_SIGNALLED, {"signal": "SIGKILL"}))
    shell.window.central.failure_card.remedy_button(Remedy.RESTART).click()
    assert shell.session.asked == ["restart"]


def test_that_a_failure_is_out_of_the_way_while_something_is_done_about_it(shell: Shell) -> None:
    shell.load(small_tree())
    shell.fail(Failure(FailureKind.DEBUGGEE_SIGNALLED))
    shell.bridge.enter(SessionState.LOST)
    card = shell.window.central.failure_card
    shell.bridge.enter(SessionState.LAUNCHING)
    assert card.isHidden()
    shell.bridge.enter(SessionState.LOST)  # given up
    assert not card.isHidden()


def test_that_the_buttons_of_every_failure_work(shell: Shell) -> None:
    shell.load(small_tree())
    for kind in FailureKind:
        for remedy in remedies(Failure(kind, module_path="features.0")):
            shell.session.state = SessionState.IDLE
            shell.fail(Failure(kind, module_path="features.0"))
            button = shell.window.central.failure_card.remedy_button(remedy)
            assert not button.isHidden()
            button.click()
    shell.window.handlers.opening.dialog.reject()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_layout_and_size_are_remembered_and_can_be_reset(make_shell: Callable[..., Shell], tmp_path) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    first = make_shell(Settings(store))
    first.window.show()
    first.window.complete()
    first.window.resize(800, 612)
    history = first.window.findChild(QDockWidget, "history")
    history.hide()
    first.window.modules.setFloating(True)
    first.window.close()

    second = make_shell(Settings(store))
    second.window.show()
    second.window.complete()
    assert second.window.height() == 612
    assert second.window.findChild(QDockWidget, "history").isHidden()
    assert second.window.modules.isFloating()
    second.window.action_set["reset_layout"].trigger()
    assert not second.window.findChild(QDockWidget, "history").isHidden()
    assert not second.window.modules.isFloating()


def test_that_the_tab_in_front_is_remembered_too(make_shell: Callable[..., Shell]) -> None:
    settings = Settings(MemoryStore())
    for name in ("Timeline", "Log", "Timeline"):
        shell = make_shell(settings)
        shell.window.show()
        shell.window.complete()
        QApplication.processEvents()
        bars = {
            bar.tabText(tab): (bar, tab) for bar in shell.window.findChildren(QTabBar) for tab in range(bar.count())
        }
        bar, _ = bars["Timeline"]
        assert bar.tabText(bar.currentIndex()) == name
        bar.setCurrentIndex(bars["Log" if name == "Timeline" else "Timeline"][1])
        shell.window.close()


@pytest.mark.parametrize("garbage", ["@ByteArray(nonsense)", "7", ""])
def test_that_a_broken_layout_does_not_stop_the_start(make_shell: Callable[..., Shell], tmp_path, garbage: str) -> None:
    file = tmp_path / "settings.ini"
    file.write_text(
        f"[layout{LAYOUT_VERSION}]\ngeometry={garbage}\ndocks={garbage}\npanels={garbage}\n[window]\ntheme={garbage}\n"
    )
    shell = make_shell(Settings(QSettings(str(file), QSettings.Format.IniFormat)))
    shell.window.complete()
    assert shell.window.modules.objectName() == "modules"


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_every_dock_can_be_floated_and_docked_from_the_menu(shell: Shell) -> None:
    shell.window.complete()
    for dock in shell.window.docks.docks:
        shell.window.handlers.view.float_dock(dock.objectName())
        assert dock.isFloating()
        shell.window.handlers.view.float_dock(dock.objectName())
        assert not dock.isFloating()


def test_that_a_dropped_python_file_fills_the_dialog(shell: Shell, tmp_path) -> None:
    file = tmp_path / "net.py"
    file.write_text("")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copy, data, left, none)
    QApplication.sendEvent(shell.window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(shell.window, QDropEvent(QPointF(5, 5), copy, data, left, none))
    dialog = shell.window.handlers.opening.dialog
    assert dialog.isVisible()
    assert dialog.source_edit.text() == f"{file}:workload"
    assert shell.session.asked == []
    dialog.open_button.click()
    assert shell.session.wanted_source == FileSource(str(file), "workload")


def test_that_a_loaded_model_becomes_a_recent_one(shell: Shell) -> None:
    shell.session.source = FileSource("/somewhere/net.py", "build")
    shell.load(small_tree())
    assert shell.settings.recent == ("/somewhere/net.py:build",)


def test_that_the_window_is_usable_on_a_small_screen(shell: Shell) -> None:
    shell.window.show()
    shell.window.complete()
    shell.load(small_tree())
    shell.bridge.record(record("features.0", of=spec(1, 16, 8, 8)))
    shell.window.resize(1024, 640)
    assert (shell.window.width(), shell.window.height()) == (1024, 640)
