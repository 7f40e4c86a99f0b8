"""Where the docks are: at first, as a person left them, and how to get back."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from hookscope.gui.settings import LAYOUT_VERSION, Settings

_Area = Qt.DockWidgetArea
_BOTTOM_SHARE = 0.19
"""Of the window's height the docks at the bottom take no more than this at first."""


@dataclass(frozen=True)
class DockPlace:
    """Where a dock is at first.

    Attributes:
        area: Which side.
        size: Width at the sides, height at the bottom, in average characters and lines.
        share: Its share of the height among the docks of its side.
        tabs_with: Dock that it shares its place with, behind a tab.
        is_hidden: Whether it is not there before something asks for it.
    """

    area: Qt.DockWidgetArea
    size: int
    share: int = 1
    tabs_with: str = ""
    is_hidden: bool = False


PLACES: dict[str, DockPlace] = {
    "modules": DockPlace(_Area.LeftDockWidgetArea, 50),
    "lessons": DockPlace(_Area.LeftDockWidgetArea, 50, is_hidden=True),
    "details": DockPlace(_Area.RightDockWidgetArea, 40, share=3),
    "workload": DockPlace(_Area.RightDockWidgetArea, 40, share=2),
    "code": DockPlace(_Area.RightDockWidgetArea, 40, share=2, tabs_with="workload"),
    "timeline": DockPlace(_Area.BottomDockWidgetArea, 12),
    "history": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "series": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "layers": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "breakpoints": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "interventions": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "changed": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "log": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline"),
    "operations": DockPlace(_Area.BottomDockWidgetArea, 12, tabs_with="timeline", is_hidden=True),
}
"""Every dock by its object name, in the order in which those of one side follow each other."""


class DockLayout(QObject):
    """Places the docks of a window, and remembers the places.

    Args:
        window: The main window.
        settings: Where places are remembered.
    """

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._docks: dict[str, QDockWidget] = {}
        self._is_open = False
        self._is_restored = False
        self._is_placing = False
        # Once more when the docks stand in their order: until then a size may go to the neighbour.
        self._sizing = QTimer(self)
        self._sizing.setSingleShot(True)
        self._sizing.timeout.connect(self._size_all)

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        """The docks, in the order of the table."""
        return tuple(self._docks[name] for name in PLACES if name in self._docks)

    def add(self, name: str, dock: QDockWidget) -> None:
        """Take a dock; its place it gets with `restore`, or at once when it comes later."""
        dock.setObjectName(name)
        dock.topLevelChanged.connect(self._update_titles)
        dock.dockLocationChanged.connect(self._update_titles)
        dock.visibilityChanged.connect(self._update_titles)
        if PLACES[name].is_hidden:
            dock.hide()
        self._docks[name] = dock
        if not self._is_open:
            return
        if not (self._is_restored and self._window.restoreDockWidget(dock)):
            self._place(name)
        elif len(self._docks) == len(PLACES):
            self._restore_docks()  # once more, now that the tab that was in front is there
        self._update_titles()

    def bring_up(self, name: str) -> None:
        """Show a dock, in front of those that it shares its place with; one that was not there gets what it wants."""
        dock, is_new = self._docks[name], self._docks[name].isHidden()
        dock.show()
        dock.raise_()
        if is_new and not PLACES[name].tabs_with:
            self._window.resizeDocks([dock], [dock.sizeHint().height()], Qt.Orientation.Vertical)

    def give_way(self, name: str) -> None:
        """Let the dock that a dock has its tab beside come to the front again, if that one is there to be seen."""
        beside = PLACES[name].tabs_with
        if beside in self._docks and self._docks[beside].toggleViewAction().isChecked():
            self._docks[beside].raise_()

    def restore(self) -> None:
        """Take the remembered size and places, or the first ones where none fit; called once."""
        self._is_open = True
        geometry = self._settings.layout("geometry")
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        self._is_restored = self._restore_docks()
        if not self._is_restored:
            self._place_all()
        for name, dock in self._docks.items():
            if self._window.dockWidgetArea(dock) is _Area.NoDockWidgetArea:  # it was not there yet when they were kept
                self._place(name)
        self._update_titles()

    def save(self) -> None:
        """Remember size and places."""
        self._settings.keep_layout("geometry", self._window.saveGeometry())
        self._settings.keep_layout("docks", self._window.saveState(LAYOUT_VERSION))

    def reset(self) -> None:
        """Put every dock back to its first place."""
        self._is_restored = False
        self._settings.forget_layout()
        for dock in self.docks:
            dock.setFloating(False)
            dock.setHidden(PLACES[dock.objectName()].is_hidden)
        self._place_all()

    def _restore_docks(self) -> bool:
        state = self._settings.layout("docks")
        return state is not None and self._window.restoreState(state, LAYOUT_VERSION)

    def _place_all(self) -> None:
        self._is_placing = True
        hidden = [dock for dock in self.docks if _was_hidden(dock)]
        for dock in self.docks:
            self._window.removeDockWidget(dock)
        for dock in self.docks:
            if _place_of(dock).tabs_with in self._docks:
                self._put_behind_tab(dock)
            else:
                self._window.addDockWidget(_place_of(dock).area, dock)
            dock.setVisible(dock not in hidden)
        self._show_fronts()

    def _place(self, name: str) -> None:
        """Place one dock among others that have their places, which are moved as little as can be.

        (The window does not take away the tab bar of a group that is made anew.)
        """
        self._is_placing = True
        place, dock = PLACES[name], self._docks[name]
        later = [other for other in self.docks[self.docks.index(dock) + 1 :] if _place_of(other).area is place.area]
        if place.tabs_with in self._docks:
            self._put_behind_tab(dock)
        else:
            self._window.addDockWidget(place.area, dock)
            for other in later:
                if not _place_of(other).tabs_with:
                    self._window.splitDockWidget(dock, other, Qt.Orientation.Vertical)
        for other in later:
            self._put_behind_tab(other)
        dock.setHidden(place.is_hidden)
        self._show_fronts()

    def _put_behind_tab(self, dock: QDockWidget) -> None:
        first, layout = self._docks.get(_place_of(dock).tabs_with), self._window.layout()
        if first is not None and layout is not None:
            layout.activate()  # a layout that is not up to date makes a second tab bar, which nobody takes away
            self._window.tabifyDockWidget(first, dock)

    def _show_fronts(self) -> None:
        for name in {_place_of(dock).tabs_with for dock in self.docks} & self._docks.keys():
            self._docks[name].show()
            self._docks[name].raise_()
        self._is_placing = False
        self._update_titles()
        self._size_all()
        self._sizing.start()

    @Slot()
    def _update_titles(self) -> None:
        """Take the title from docks behind a tab, which says the same."""
        if self._is_placing:
            return
        for dock in self.docks:
            try:
                is_tabbed = bool(self._window.tabifiedDockWidgets(dock)) and not dock.isFloating()
            except RuntimeError:  # the window is being destroyed, and hides its docks on the way
                return
            if is_tabbed != (dock.titleBarWidget() is not None):
                dock.setTitleBarWidget(QWidget(dock) if is_tabbed else None)  # type: ignore[arg-type]  # None: its own

    @Slot()
    def _size_all(self) -> None:
        layout, middle = self._window.layout(), self._window.centralWidget()
        if layout is None or middle is None:
            return
        layout.activate()
        metrics = self._window.fontMetrics()
        bottom = [dock for dock in self.docks if PLACES[dock.objectName()].area is _Area.BottomDockWidgetArea]
        sides = [dock for dock in self.docks if dock not in bottom]
        for docks, unit, direction in (
            (sides, metrics.averageCharWidth(), Qt.Orientation.Horizontal),
            (bottom, metrics.lineSpacing(), Qt.Orientation.Vertical),
        ):
            sizes = [PLACES[dock.objectName()].size * unit for dock in docks]
            if docks is bottom:
                sizes = [min(size, round(_BOTTOM_SHARE * self._window.height())) for size in sizes]
            self._window.resizeDocks(docks, sizes, direction)
        # Heights that are too much together are not cut in proportion, so they have to be right.
        heights = [round(self._share(dock, sides) * middle.height()) for dock in sides]
        self._window.resizeDocks(sides, heights, Qt.Orientation.Vertical)

    @staticmethod
    def _share(dock: QDockWidget, docks: list[QDockWidget]) -> float:
        """Return the part of its side that a dock takes; one behind a tab takes none from the others."""
        place = PLACES[dock.objectName()]
        places = (PLACES[other.objectName()] for other in docks)
        return place.share / sum(other.share for other in places if other.area is place.area and not other.tabs_with)


def _was_hidden(dock: QDockWidget) -> bool:
    """Return whether a dock was closed, which one that is new and was never shown was not."""
    return dock.isHidden() and dock.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def _place_of(dock: QDockWidget) -> DockPlace:
    return PLACES[dock.objectName()]
