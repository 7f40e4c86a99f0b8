"""Ctrl+1 to Ctrl+9: to a bookmarked event, from anywhere in the window, also while the timeline is hidden."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from hookscope.gui.timeline.dock import TimelineDock

COUNT = 9


class BookmarkKeys(QObject):
    """The shortcuts of the first bookmarks, in the order in which they are shown."""

    def __init__(self, timeline: TimelineDock, window: QWidget) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self._keys = [QShortcut(QKeySequence(f"Ctrl+{number}"), window) for number in range(1, COUNT + 1)]
        for key in self._keys:
            key.activated.connect(self._go)

    @Slot()
    def _go(self) -> None:
        key = self.sender()
        if isinstance(key, QShortcut):
            self._timeline.go_to_bookmark(self._keys.index(key))
