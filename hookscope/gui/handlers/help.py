"""What the Help menu does."""

import platform

import numpy as np
import PySide6
from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

import hookscope
from hookscope.gui.dialogs.about import AboutDialog
from hookscope.gui.dialogs.shortcuts import ShortcutsDialog
from hookscope.gui.error_log import log_folder
from hookscope.gui.session_bridge import SessionBridge


class HelpHandlers(QObject):
    """Shows the lessons, the list of shortcuts, the versions, and where the log files are.

    Signals:
        lessons_requested: The lessons should be there to be read.
    """

    lessons_requested = Signal()

    def __init__(self, bridge: SessionBridge, window: QWidget) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._window = window

    @Slot()
    def show_lessons(self) -> None:
        """Show the page of a lesson."""
        self.lessons_requested.emit()

    @Slot()
    def show_shortcuts(self) -> None:
        """List every shortcut."""
        ShortcutsDialog(self._window).open()

    @Slot()
    def show_about(self) -> None:
        """Show the versions of everything involved."""
        AboutDialog(self.versions(), self._window).open()

    @Slot()
    def open_log_folder(self) -> None:
        """Show the folder with the log files."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_folder())))

    def versions(self) -> dict[str, str]:
        """Return names and versions; those of the model's process only once it has told them."""
        versions = {
            "hookscope": hookscope.__version__,
            "Python": platform.python_version(),
            "PySide6": PySide6.__version__,
            "numpy": np.__version__,
            "platform": platform.platform(),
        }
        hello = self._session.hello
        if hello is not None:
            devices = ", ".join(device.label for device in hello.devices if not device.unavailable)
            versions |= {"torch": hello.torch, "model's Python": hello.python, "devices": devices}
        return versions
