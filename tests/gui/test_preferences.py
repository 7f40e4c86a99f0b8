"""The preferences: what the dialog shows and remembers, and what the session is given."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDialogButtonBox, QWidget
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.dialogs.preferences import PreferencesDialog
from hookscope.gui.handlers.preferences import PreferenceHandlers
from hookscope.gui.settings import MemoryStore, Settings, ThemeChoice
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import CapturePlace
from tests.gui.fakes import FakeBridge, small_tree
from tests.gui.shell import NotingSession

LEFT = Qt.MouseButton.LeftButton
MIB = 1024**2


@pytest.fixture
def settings() -> Settings:
    return Settings(MemoryStore())


@pytest.fixture
def bridge(qapp: QApplication) -> FakeBridge:
    return FakeBridge(NotingSession(small_tree()))


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def theme(qapp: QApplication, settings: Settings) -> Iterator[ThemeSwitch]:
    theme = ThemeSwitch(qapp, settings)
    yield theme
    theme.deleteLater()


@pytest.fixture
def handlers(bridge: FakeBridge, settings: Settings, theme: ThemeSwitch, window: QWidget) -> PreferenceHandlers:
    return PreferenceHandlers(bridge, settings, theme, window)  # type: ignore[arg-type]


def opened(handlers: PreferenceHandlers, window: QWidget) -> PreferencesDialog:
    handlers.show_preferences()
    dialog = window.findChildren(PreferencesDialog)[-1]
    assert dialog.isVisible()
    return dialog


def choose(box: QComboBox, value: object) -> None:
    box.setCurrentIndex(box.findData(value))


def test_that_a_remembered_choice_is_given_to_the_session_at_the_start(
    bridge: FakeBridge, settings: Settings, theme: ThemeSwitch, window: QWidget
) -> None:
    settings.hook_mode = HookMode.NATIVE
    settings.budget_mib = 512
    settings.capture_place = CapturePlace.CPU
    PreferenceHandlers(bridge, settings, theme, window)  # type: ignore[arg-type]
    session = bridge.session
    assert session.default_hook_mode is HookMode.NATIVE
    assert session.settings.budget_bytes == 512 * MIB
    assert session.settings.capture_place is CapturePlace.CPU


def test_that_nothing_is_asked_of_the_session_when_everything_is_as_it_comes(
    bridge: FakeBridge, handlers: PreferenceHandlers
) -> None:
    assert handlers.parent() is not None
    assert isinstance(bridge.session, NotingSession)
    assert bridge.session.asked == []


def test_that_what_is_chosen_is_remembered_and_applied_on_ok(
    bridge: FakeBridge, settings: Settings, handlers: PreferenceHandlers, window: QWidget, qtbot: QtBot
) -> None:
    dialog = opened(handlers, window)
    assert not dialog.budget_size.isVisible()
    choose(dialog.mode, HookMode.LEGACY)
    choose(dialog.budget, "fixed")
    assert dialog.budget_size.isVisible()
    dialog.budget_size.setValue(2048)
    choose(dialog.place, CapturePlace.CPU)
    choose(dialog.theme, ThemeChoice.LIGHT)
    assert settings.hook_mode is HookMode.EXACT, "nothing holds before OK"
    qtbot.mouseClick(dialog.ok_button, LEFT)
    assert (settings.hook_mode, settings.budget_mib) == (HookMode.LEGACY, 2048)
    assert (settings.capture_place, settings.theme) == (CapturePlace.CPU, ThemeChoice.LIGHT)
    session = bridge.session
    assert session.default_hook_mode is HookMode.LEGACY
    assert session.settings.budget_bytes == 2048 * MIB


def test_that_cancel_changes_nothing(
    bridge: FakeBridge, settings: Settings, handlers: PreferenceHandlers, window: QWidget, qtbot: QtBot
) -> None:
    dialog = opened(handlers, window)
    choose(dialog.mode, HookMode.NATIVE)
    cancel = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Cancel)
    qtbot.mouseClick(cancel, LEFT)
    assert settings.hook_mode is HookMode.EXACT
    assert bridge.session.default_hook_mode is HookMode.EXACT


def test_that_the_dialog_shows_what_is_remembered(settings: Settings, qtbot: QtBot) -> None:
    settings.hook_mode, settings.budget_mib = HookMode.ALIAS, 300
    settings.theme = ThemeChoice.DARK
    dialog = PreferencesDialog(settings)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    assert dialog.mode.currentData() == HookMode.ALIAS
    assert dialog.budget_size.value() == 300
    assert dialog.theme.currentData() == ThemeChoice.DARK
    dialog.close()


def test_that_a_choice_made_while_a_step_runs_holds_from_its_end_on(
    bridge: FakeBridge, handlers: PreferenceHandlers, window: QWidget, qtbot: QtBot
) -> None:
    bridge.enter(SessionState.RUNNING)
    dialog = opened(handlers, window)
    choose(dialog.place, CapturePlace.CPU)
    qtbot.mouseClick(dialog.ok_button, LEFT)
    assert bridge.session.settings.capture_place is CapturePlace.DEVICE
    bridge.enter(SessionState.IDLE)
    assert bridge.session.settings.capture_place is CapturePlace.CPU
