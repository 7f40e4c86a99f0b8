"""A panel that is put down beside others gets as much room as they have; Qt leaves it the least that it can have."""

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow

_TOO_SMALL = 0.5
"""Of an equal share: a dock that has more than this was given it by somebody."""


class FairShares(QObject):
    """Watches docks for being put down.

    Args:
        window: The window that they are docked in.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._dropped: QDockWidget | None = None
        self._later = QTimer(self)  # Qt has not laid the dock out when it tells that it was put down
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._share)

    def watch(self, dock: QDockWidget) -> None:
        """Look after a dock from now on."""
        dock.topLevelChanged.connect(self._note)

    @Slot(bool)
    def _note(self, is_floating: bool) -> None:
        dock = self.sender()
        if isinstance(dock, QDockWidget) and not is_floating:
            self._dropped = dock
            self._later.start()

    @Slot()
    def _share(self) -> None:
        dropped, self._dropped = self._dropped, None
        if dropped is None or dropped.isFloating() or dropped.visibleRegion().isEmpty():
            return
        mine = dropped.geometry()
        docks = [
            dock
            for dock in self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            if not dock.isFloating() and not dock.visibleRegion().isEmpty()
        ]
        row = [dock for dock in docks if dock.geometry().bottom() == mine.bottom()]
        column = [dock for dock in docks if dock.geometry().left() == mine.left()]
        for orientation, shared, sizes in (
            (Qt.Orientation.Horizontal, row, [dock.width() for dock in row]),
            (Qt.Orientation.Vertical, column, [dock.height() for dock in column]),
        ):
            share = sum(sizes) // len(sizes)
            if sizes[shared.index(dropped)] < _TOO_SMALL * share:
                self._window.resizeDocks(shared, [share] * len(shared), orientation)
