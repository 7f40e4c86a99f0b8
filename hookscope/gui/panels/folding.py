"""Room for the picture in a low window: the panel that stands below another one goes behind a tab of it."""

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow

from hookscope.gui.panels.dock_tabs import DockTabs
from hookscope.gui.panels.panel import TensorPanel

SHARES = (500, 200)
"""How two panels share the height at first, the one that stands below having the smaller part."""


class Folding(QObject):
    """Folds a compact panel when there gets too little room for two, and unfolds it when there is enough again.

    What a person moved by hand meanwhile stays where it was put.

    Args:
        window: The frame that the panels are docks of.
        tabs: Its tabs.
    """

    def __init__(self, window: QMainWindow, tabs: DockTabs) -> None:
        super().__init__(window)
        self._window = window
        self._tabs = tabs
        self._panels: tuple[TensorPanel, ...] = ()
        self._folded: TensorPanel | None = None
        self._heights = SHARES
        self._before: tuple[frozenset[TensorPanel], QByteArray] = frozenset(), QByteArray()
        self._is_low = self._was_low = False
        # Not in the middle of a resize: docks that are moved before their layout is done get a second tab bar.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._adapt)
        window.installEventFilter(self)

    @property
    def folded(self) -> TensorPanel | None:
        """The panel that is behind a tab for want of room."""
        return self._folded

    @property
    def is_pending(self) -> bool:
        """Whether a panel is about to be moved."""
        return self._later.isActive()

    def adapt(self, panels: Sequence[TensorPanel], *, is_low: bool) -> None:
        """Say which panels there are and whether there is too little room for two, one below the other."""
        self._panels, self._is_low = tuple(panels), is_low
        self._note_heights()
        if is_low != self._was_low:
            self._later.start()

    def begin(self, folded: TensorPanel | None = None) -> None:
        """Take a layout that is new, with the panel in it that was folded when it was kept."""
        self._folded, self._heights, self._was_low = folded, SHARES, folded is not None
        self._before = frozenset(), QByteArray()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that a person moved the border between panels."""
        if event.type() is QEvent.Type.MouseButtonRelease:
            self._note_heights()
        return super().eventFilter(watched, event)

    @Slot()
    def _adapt(self) -> None:
        if self._is_low == self._was_low:
            return
        self._was_low = self._is_low
        above = self._above()
        if above is not None and self._is_low:
            self._fold(above)
        elif above is not None:
            self._unfold(above)

    def _fold(self, above: TensorPanel) -> None:
        below = self._folded = self._below()
        if below is None:
            return
        front = self._front(above)
        self._before = self._docked(), self._window.saveState()
        self._window.tabifyDockWidget(above, below)
        front.raise_()

    def _unfold(self, above: TensorPanel) -> None:
        below, self._folded = self._folded, None
        beside = self._window.tabifiedDockWidgets(above)
        if below is None or below not in beside or below.isHidden():
            return
        docked, before = self._before
        front = self._front(above)
        if docked == self._docked():
            self._window.restoreState(before)
        elif len(beside) == len(self._docked()) - 1:  # all in one place, so it can be made anew
            self._rebuild(above, below)
        else:
            return
        if front is not below:
            front.raise_()
        layout = self._window.layout()
        if layout is not None:
            layout.activate()
        self._window.resizeDocks([above, below], list(self._heights), Qt.Orientation.Vertical)

    def _rebuild(self, above: TensorPanel, below: TensorPanel) -> None:
        """Put all panels into two places: Qt takes a place that had tabs once for one that still has them."""
        others = [one for one in self._tabs.docks_with(above) if one not in {above, below}]
        for dock in (above, below, *others):
            self._window.removeDockWidget(dock)
        self._window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, above)
        self._window.splitDockWidget(above, below, Qt.Orientation.Vertical)
        for dock in others:
            self._window.tabifyDockWidget(above, dock)
        for dock in (above, below, *others):
            dock.show()

    def _docked(self) -> frozenset[TensorPanel]:
        return frozenset(one for one in self._panels if not one.isFloating())

    def _note_heights(self) -> None:
        if self._is_low or self._was_low:  # squeezed
            return
        above, below = self._above(), self._below()
        if above is not None and below is not None:
            self._heights = above.height(), below.height()

    def _above(self) -> TensorPanel | None:
        docked = (one for one in self._panels if not one.isFloating())
        return next((one for one in docked if one.follows and not one.is_compact), None)

    def _below(self) -> TensorPanel | None:
        docked = (one for one in self._panels if not one.isFloating())
        return next((one for one in docked if one.is_compact and not self._window.tabifiedDockWidgets(one)), None)

    def _front(self, dock: QDockWidget) -> QDockWidget:
        """Return the dock that is in sight at the place of one."""
        return next((one for one in self._tabs.docks_with(dock) if not one.visibleRegion().isEmpty()), dock)
