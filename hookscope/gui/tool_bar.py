"""The tool bar: text beside the icons as long as there is room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QToolBar, QToolButton

from hookscope.gui.action_rows import ToolGroup
from hookscope.gui.action_set import ActionSet

SHORTENED: tuple[ToolGroup, ...] = (ToolGroup.PICTURE, ToolGroup.STEPPING, ToolGroup.OPEN, ToolGroup.RUN)
"""In a narrow window these groups lose their text one after the other; what still does not fit is behind the arrow."""

_WITH_TEXT, _ICON_ONLY = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly


class ToolBar(QToolBar):
    """A tool bar that stays where it is."""

    def __init__(self, parent: QMainWindow) -> None:
        super().__init__(parent)
        self._actions: ActionSet | None = None
        self.setWindowTitle(self.tr("Tool bar"))
        self.setObjectName("tool_bar")
        self.setMovable(False)
        self.setToolButtonStyle(_WITH_TEXT)
        side = self.fontMetrics().height()
        self.setIconSize(QSize(side, side))
        self.toggleViewAction().setVisible(False)

    def shorten_for(self, actions: ActionSet) -> None:
        """Take the actions whose text may go; called when all of them are there."""
        self._actions = actions
        self._fit(self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much text as fits."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit(event.size().width())

    def _fit(self, room: int) -> None:
        if self._actions is None:
            return
        for button in self._buttons(*SHORTENED):
            button.setToolButtonStyle(_WITH_TEXT)
        needed = self.sizeHint().width()
        for group in SHORTENED:
            if needed <= room:
                break
            for button in self._buttons(group):
                before = button.sizeHint().width()
                button.setToolButtonStyle(_ICON_ONLY)
                needed -= before - button.sizeHint().width()

    def _buttons(self, *groups: ToolGroup) -> list[QToolButton]:
        assert self._actions is not None
        found = (self.widgetForAction(action) for action in self._actions.of_groups(*groups))
        return [button for button in found if isinstance(button, QToolButton)]
