"""The range of a picture on the histogram of the same tensor: two handles, and the colours along the axis."""

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QRectF, Signal, Slot
from PySide6.QtGui import QColor

from hookscope.figures.levels import Levels, color_indices
from hookscope.figures.ranges import dragged
from hookscope.gui.colormaps import lookup_table
from hookscope.gui.panels.picture_item import PictureItem
from hookscope.gui.panels.plots import faded
from hookscope.gui.panels.tensor_memory import ShownRange, TensorKey, TensorMemory
from hookscope.gui.theme import Theme

STRIP_SHARE = 0.07
"""Height of the strip of colours, as a share of the height of the bars."""

_ENTRIES = 512
_FLOAT32_MAX = float(np.finfo(np.float32).max)


class RangeHandles(QObject):
    """Belongs to one plot, and appears when there is a picture of the plot's tensor.

    Signals:
        changed: Whether there are handles has changed.
    """

    changed = Signal()

    def __init__(self, plot: pg.PlotWidget) -> None:
        super().__init__(plot)
        self._memory = TensorMemory(self)
        self._key: TensorKey | None = None
        self._theme: Theme | None = None
        self._area = QRectF(0, 0, 1, 1)
        self._is_moved = False
        self._region = pg.LinearRegionItem(swapMode="block")
        self._region.setZValue(-1)
        self._strip = PictureItem()
        for item in (self._region, self._strip):
            item.setVisible(False)
            plot.plotItem.getViewBox().addItem(item)
        self._region.sigRegionChanged.connect(self._take_moved)
        self._region.sigRegionChangeFinished.connect(self._let_go)
        self._listen()

    @property
    def is_shown(self) -> bool:
        """Whether there are handles."""
        return bool(self._region.isVisible())

    @property
    def levels(self) -> Levels | None:
        """Where the handles are; `None` when there are none."""
        return tuple(self._region.getRegion()) if self.is_shown else None

    def use(self, memory: TensorMemory) -> None:
        """Share the choices of a window."""
        self._memory.range_shown.disconnect(self._follow)
        self._memory.range_changed.disconnect(self._follow)
        self._memory = memory
        self._listen()

    def aim(self, key: TensorKey | None) -> None:
        """Turn to a tensor; with `None` there are no handles."""
        self._key = key
        self._update()

    def place(self, area: QRectF) -> None:
        """Draw the colours below an area that holds all bars, whose lower edge is zero."""
        self._area = area
        self._update()

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        self._theme = theme
        self._region.setBrush(faded(QColor(theme.selection), 0.5))
        self._region.setHoverBrush(faded(QColor(theme.selection), 0.7))
        for line in self._region.lines:
            line.setPen(pg.mkPen(theme.accent, width=2))
            line.setHoverPen(pg.mkPen(theme.text, width=2))
        self._update()

    def undo(self) -> None:
        """Take back the last choice of the range."""
        if self._key is not None:
            self._memory.undo_range(self._key)

    def redo(self) -> None:
        """Choose again what was taken back."""
        if self._key is not None:
            self._memory.redo_range(self._key)

    def _listen(self) -> None:
        self._memory.range_shown.connect(self._follow)
        self._memory.range_changed.connect(self._follow)

    def _update(self) -> None:
        shown = self._memory.shown_range(self._key) if self._key is not None else None
        was_shown = self.is_shown
        for item in (self._region, self._strip):
            item.setVisible(shown is not None)
        if shown is not None and self._key is not None and self._theme is not None:
            levels = self._memory.range_of(self._key).levels or shown.levels
            if tuple(self._region.getRegion()) != levels:
                self._region.blockSignals(True)
                self._region.setRegion(levels)
                self._region.blockSignals(False)
            self._draw_strip(shown, levels, self._theme)
        if was_shown != self.is_shown:
            self.changed.emit()

    def _draw_strip(self, shown: ShownRange, levels: Levels, theme: Theme) -> None:
        left, width, height = self._area.left(), self._area.width(), self._area.height() * STRIP_SHARE
        values = np.linspace(left, left + width, _ENTRIES).clip(-_FLOAT32_MAX, _FLOAT32_MAX).astype(np.float32)
        table = lookup_table(theme, signed=shown.is_symmetric, choice=shown.color_map)
        strip = QRectF(left, -height, width, height * 0.8)
        self._strip.show_indices(color_indices(values[np.newaxis], None, levels), table, strip)

    @Slot(object)
    def _follow(self, key: TensorKey) -> None:
        if key == self._key:
            self._update()

    @Slot()
    def _take_moved(self) -> None:
        shown = self._memory.shown_range(self._key) if self._key is not None else None
        if self._key is not None and shown is not None:
            before = self._memory.range_of(self._key)
            levels = dragged(self._region.getRegion(), before.levels or shown.levels, is_symmetric=shown.is_symmetric)
            choice = replace(before, levels=levels, keeps_fitting=False)
            goes_on, self._is_moved = self._is_moved, True
            self._memory.choose_range(self._key, choice, goes_on=goes_on)

    @Slot()
    def _let_go(self) -> None:
        self._is_moved = False
