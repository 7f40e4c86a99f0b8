"""The preferences: shown for changing, and given to the session."""

import msgspec
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.dialogs.preferences import PreferencesDialog
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.gui.style import ThemeSwitch

_MIB = 1024**2


class PreferenceHandlers(QObject):
    """Gives the session what is remembered, at the start and after a change.

    While a step runs or a model is loaded no setting can be changed; then the new ones hold from the end of that on.

    Args:
        bridge: The session.
        settings: What is remembered.
        theme: Switches the theme of the program.
        window: Parent of the dialog.
    """

    def __init__(self, bridge: SessionBridge, settings: Settings, theme: ThemeSwitch, window: QWidget) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._settings = settings
        self._theme = theme
        self._window = window
        self._is_pending = True
        bridge.state_changed.connect(self._apply_pending)
        self._apply_pending()

    @Slot()
    def show_preferences(self) -> None:
        """Show the dialog."""
        dialog = PreferencesDialog(self._settings, self._window)
        dialog.theme_chosen.connect(self._theme.choose)
        dialog.capture_changed.connect(self._apply)
        dialog.open()

    @Slot()
    def _apply(self) -> None:
        self._is_pending = True
        self._apply_pending()

    @Slot()
    def _apply_pending(self) -> None:
        session, kept = self._session, self._settings
        if not self._is_pending or session.state not in ALLOWED["change_settings"]:
            return
        self._is_pending = False
        if kept.hook_mode is not session.default_hook_mode:
            session.set_default_hook_mode(kept.hook_mode)
        budget = None if kept.budget_mib is None else kept.budget_mib * _MIB
        wanted = msgspec.structs.replace(session.settings, budget_bytes=budget, capture_place=kept.capture_place)
        if wanted != session.settings:
            session.change_settings(wanted)
