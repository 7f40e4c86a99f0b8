"""The shared picture: one image, one mask over it, and what is under the pointer."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from hookscope.figures.levels import Levels, shade
from hookscope.gui.colormaps import lookup_table, mask_table
from hookscope.gui.panels.plots import make_plot, style_plot
from hookscope.gui.theme import Theme

_ELONGATED = 4.0
"""A picture longer than this is not drawn with square pixels: it would be a thread."""


_MOST_MARKS = 8
"""Indices marked along an axis."""


@dataclass(frozen=True)
class Picture:
    """What to draw.

    Attributes:
        pixels: `(rows, columns)` float32, at least one; not finite only where the mask says so.
        mask: `(rows, columns)` uint8, an index of `Pixel` or the gutter of `figures.grid`; `None` when all is finite.
        size: Rows and columns of the axes; more than the pixels when the tensor was strided.
        is_spatial: Whether rows and columns are alike, so that pixels should be square.
    """

    pixels: npt.NDArray[np.float32]
    mask: npt.NDArray[np.uint8] | None
    size: tuple[int, int]
    is_spatial: bool = True


class ImageView(QWidget):
    """Draws a `Picture` with levels and a colour map; wheel zooms, drag moves, a double click shows all again.

    Signals:
        pointed: Row and column on the axes under the pointer; -1, -1 when there is none.
        reshaped: The ratio of width to height has become another one.
    """

    pointed = Signal(int, int)
    reshaped = Signal()

    def __init__(self, *, with_axes: bool) -> None:
        super().__init__()
        self._size: tuple[int, int] | None = None
        self._is_locked: bool | None = None
        self._aspect = 1.0
        self._is_zoomed = False
        self._has_axes = with_axes
        self._theme: Theme | None = None
        self._mask: npt.NDArray[np.uint8] | None = None
        self.plot_widget = make_plot(self)
        item = self.plot_widget.plotItem
        for side in ("left", "bottom"):
            item.showAxis(side, with_axes)
        self._box = item.getViewBox()
        self._box.invertY(True)
        self._box.setDefaultPadding(0.01)
        self._box.disableAutoRange()
        self._image = pg.ImageItem(axisOrder="row-major")
        self._overlay = pg.ImageItem(axisOrder="row-major")
        self._overlay.setZValue(1)
        for part in (self._image, self._overlay):
            self._box.addItem(part)
        self._overlay.setVisible(False)
        self._box.sigResized.connect(self._refit)
        self._box.sigRangeChangedManually.connect(self._note_zoom)
        self._box.sigRangeChanged.connect(self._mark_axes)
        scene = self.plot_widget.scene()
        scene.sigMouseMoved.connect(self._point)
        scene.sigMouseClicked.connect(self._take_click)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot_widget)

    @property
    def aspect(self) -> float:
        """Width by height of the room for the picture."""
        return self._aspect

    def draw(self, picture: Picture, levels: Levels, theme: Theme, *, signed: bool) -> None:
        """Draw a picture; the part that is looked at stays the same as long as its size does."""
        # Shades are made here in float64: with levels near the ends of float32 pyqtgraph's own arithmetic overflows.
        shades = shade(picture.pixels, levels)
        self._image.setImage(shades, autoLevels=False, levels=(0, 255), lut=lookup_table(theme, signed=signed))
        self._theme, self._mask = theme, picture.mask
        self._draw_mask()
        rows, columns = picture.size
        area = QRectF(0, 0, columns, rows)
        self._image.setRect(area)
        self._overlay.setRect(area)
        ratio = max(rows, columns) / min(rows, columns)
        is_locked = picture.is_spatial or ratio <= _ELONGATED
        if (picture.size, is_locked) != (self._size, self._is_locked):
            self._size, self._is_locked = picture.size, is_locked
            self._box.setAspectLocked(is_locked)
            self.show_all()

    def show_all(self) -> None:
        """Show the whole picture."""
        self._is_zoomed = False
        if self._size is not None:
            rows, columns = self._size
            self._box.setRange(QRectF(0, 0, columns, rows))

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme for everything but the picture, which `draw` colours."""
        style_plot(self.plot_widget, theme)
        self._theme = theme
        self._draw_mask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell when the room has another shape."""
        super().resizeEvent(event)
        before = self._aspect
        self._aspect = max(self.width(), 1) / max(self.height(), 1)
        if abs(self._aspect / before - 1.0) > 0.05:
            self.reshaped.emit()

    def leaveEvent(self, event: object) -> None:
        """Forget the pointer."""
        self.pointed.emit(-1, -1)
        super().leaveEvent(event)  # type: ignore[arg-type]

    @Slot()
    def _refit(self) -> None:
        if not self._is_zoomed:
            self.show_all()

    @Slot()
    def _note_zoom(self) -> None:
        self._is_zoomed = True

    @Slot()
    def _mark_axes(self) -> None:
        if self._size is None or not self._has_axes:
            return
        seen = self._box.viewRange()
        for side, span, size in (("left", seen[1], self._size[0]), ("bottom", seen[0], self._size[1])):
            self.plot_widget.getAxis(side).setTicks([_index_ticks(span[0], span[1], size)])

    def _draw_mask(self) -> None:
        if self._mask is None or self._theme is None or not self._mask.any():
            self._overlay.setVisible(False)
            return
        colors = mask_table(QColor(self._theme.window))
        self._overlay.setImage(colors[self._mask], autoLevels=False, levels=(0, 255))
        self._overlay.setVisible(True)

    @Slot(object)
    def _point(self, position: QPointF) -> None:
        row, column = -1, -1
        if self._size is not None and self._box.sceneBoundingRect().contains(position):
            point = self._box.mapSceneToView(position)
            if 0 <= point.y() < self._size[0] and 0 <= point.x() < self._size[1]:
                row, column = int(point.y()), int(point.x())
        self.pointed.emit(row, column)

    @Slot(object)
    def _take_click(self, click: object) -> None:
        if click.double() and click.button() == Qt.MouseButton.LeftButton:  # type: ignore[attr-defined]
            self.show_all()


def _index_ticks(first: float, last: float, size: int) -> list[tuple[float, str]]:
    """Mark some indices between two places, each at the middle of its row or column; none outside the picture."""
    begin, end = max(int(first), 0), min(math.ceil(last), size)
    step = next(step for step in _steps() if end - begin <= step * _MOST_MARKS)
    return [(index + 0.5, str(index)) for index in range(math.ceil(begin / step) * step, end, step)]


def _steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, ..."""
    decade = 1
    while True:
        yield from (decade, 2 * decade, 5 * decade)
        decade *= 10
