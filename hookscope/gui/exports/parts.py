"""The parts of the window that write files, made and connected with each other."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QStatusBar

from hookscope.gui.current import Current
from hookscope.gui.exports.activity import ExportActivity
from hookscope.gui.handlers.exports import ExportHandlers
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.notifications import Notifications
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings

if TYPE_CHECKING:
    from hookscope.gui.panels.panel_area import PanelArea


class ExportParts(QObject):
    """What exports, and the entry in the status bar while that goes on.

    Args:
        bridge: The session.
        current: What the window is looking at.
        settings: Where the folder used last is remembered.
        pictures: Saves pictures.
        window: The main window.
    """

    def __init__(
        self,
        bridge: SessionBridge,
        current: Current,
        settings: Settings,
        pictures: PictureHandlers,
        window: QMainWindow,
    ) -> None:
        super().__init__(window)
        self.handlers = ExportHandlers(bridge, current, settings, pictures, window)
        self.activity = ExportActivity(bridge, window)
        self.handlers.begun.connect(self.activity.look)

    def join(self, bar: QStatusBar, toast: Notifications) -> None:
        """Connect them with the rest of the window; called once."""
        self.handlers.join(toast)
        bar.addWidget(self.activity)
        self.activity.hide()  # the bar has shown it

    def use_panels(self, panels: "PanelArea") -> None:
        """Take the panels; called once, when they are made."""
        self.handlers.use_panels(panels)
        panels.export_requested.connect(self.handlers.export_tensor)
