"""The tabs of docks that share a place: their icons, and the middle click that closes one."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from hookscope.gui.assets import icon
from hookscope.gui.theme import theme_of

ICON_PROPERTY = "tab_icon"
"""Property of a dock: the codicon of its tab."""


class DockTabs(QObject):
    """Looks after the tab bars that a main window makes and throws away as docks move.

    Args:
        window: The main window.

    Signals:
        close_requested: The dock whose tab was clicked with the middle button.
    """

    close_requested = Signal(object)

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.refresh)
        window.installEventFilter(self)

    def bars(self) -> list[QTabBar]:
        """Return the tab bars that there are now."""
        return self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def dock_at(self, bar: QTabBar, tab: int) -> QDockWidget | None:
        """Return the dock of a tab: by its title, and of several with one title by whether it is in front."""
        titles = sorted(bar.tabText(other) for other in range(bar.count()))
        docks = self._window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        is_in_front = tab == bar.currentIndex()
        found = [
            dock
            for dock in docks
            if tab >= 0 and dock.windowTitle() == bar.tabText(tab) and self._titles_beside(dock) == titles
        ]
        return next((dock for dock in found if dock.visibleRegion().isEmpty() != is_in_front), next(iter(found), None))

    def docks_with(self, dock: QDockWidget) -> list[QDockWidget]:
        """Return the docks that share the place of one, which is among them, in the order of their tabs."""
        beside = self._window.tabifiedDockWidgets(dock)
        for bar in self.bars() if beside else ():
            docks = [self.dock_at(bar, tab) for tab in range(bar.count())]
            if dock in docks:
                ordered = [one for one in docks if one is not None]
                return [*ordered, *(one for one in beside if one not in ordered)]
        return [dock, *beside]

    @Slot()
    def refresh_soon(self) -> None:
        """Give the tabs their icons when Qt has made them."""
        self._later.start()

    @Slot()
    def refresh(self) -> None:
        """Give every tab its icon."""
        theme = theme_of(self._window.palette())
        for bar in self.bars():
            bar.installEventFilter(self)  # once more does no harm: nobody tells of a bar that Qt makes
            for tab in range(bar.count()):
                dock = self.dock_at(bar, tab)
                name = dock.property(ICON_PROPERTY) if dock is not None else None
                if name:
                    bar.setTabIcon(tab, icon(name, theme.quiet))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice other tabs, and middle clicks on them."""
        match event.type():
            case QEvent.Type.LayoutRequest | QEvent.Type.ChildPolished | QEvent.Type.PaletteChange:
                self.refresh_soon()
            case QEvent.Type.MouseButtonRelease:
                if isinstance(watched, QTabBar) and isinstance(event, QMouseEvent):
                    return self._take_click(watched, event)
            case _:
                pass
        return super().eventFilter(watched, event)

    def _titles_beside(self, dock: QDockWidget) -> list[str]:
        return sorted(one.windowTitle() for one in (dock, *self._window.tabifiedDockWidgets(dock)))

    def _take_click(self, bar: QTabBar, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.MiddleButton:
            return False
        dock = self.dock_at(bar, bar.tabAt(event.position().toPoint()))
        if dock is not None:
            self.close_requested.emit(dock)
        return dock is not None
