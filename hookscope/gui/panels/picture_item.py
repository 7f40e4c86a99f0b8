"""What is drawn inside a picture's plot: pixels, marks of infinity, and the outline of the cell that was picked."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

_LEAST_MARK, _MARK_SHARE = 4.0, 0.3
"""Half a triangle in pixels of the screen at least, and as a share of its cell."""
_LEAST_SIDE = 9.0
"""Pixels of the screen that an outline takes at least, or nobody would find it."""


class PictureItem(pg.GraphicsObject):  # type: ignore[misc]  # the library has no types
    """Draws an image over an area of the plot, each of its pixels as a sharp rectangle."""

    def __init__(self) -> None:
        super().__init__()
        self._image = QImage()
        self._area = QRectF(0, 0, 1, 1)

    def show_indices(self, indices: npt.NDArray[np.uint8], table: npt.NDArray[np.uint8], area: QRectF) -> None:
        """Draw `(rows, columns)` entries of a table of `(256, 4)` RGBA colours."""
        self._show(packed_colors(table).take(indices), area)

    def show_colors(self, colors: npt.NDArray[np.uint8], area: QRectF) -> None:
        """Draw `(rows, columns, 3)` colours."""
        self._show(packed_colors(colors), area)

    def boundingRect(self) -> QRectF:
        """Return the area."""
        return self._area

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the image."""
        del option, widget
        painter.drawImage(self._area, self._image)

    def _show(self, packed: npt.NDArray[np.uint32], area: QRectF) -> None:
        rows, columns = packed.shape
        # The copy is the image's own: Qt would go on reading an array that is gone.
        self._image = QImage(packed.data, columns, rows, columns * 4, QImage.Format.Format_RGB32).copy()
        if area != self._area:
            self.prepareGeometryChange()
            self._area = QRectF(area)
        self.update()


class InfinityMarks(pg.GraphicsObject):  # type: ignore[misc]  # the library has no types
    """A triangle in each infinite cell, up or down: its colour alone is also that of a value in some colour maps."""

    def __init__(self) -> None:
        super().__init__()
        self._area = QRectF(0, 0, 1, 1)
        self._cells: tuple[tuple[QRectF, bool], ...] = ()

    def show_cells(self, cells: Sequence[tuple[QRectF, bool]], area: QRectF) -> None:
        """Mark cells of an area, in plot coordinates, and whether each is positive."""
        if self._cells or cells:
            self.prepareGeometryChange()
            self._cells, self._area = tuple(cells), QRectF(area)
            self.update()

    def boundingRect(self) -> QRectF:
        """Return the area."""
        return self._area

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the triangles, none smaller than can be seen."""
        del option, widget
        least_x, least_y = (_LEAST_MARK * size for size in _pixel_of(self))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for cell, is_positive in self._cells:
            half = max(cell.width() * _MARK_SHARE, least_x), max(cell.height() * _MARK_SHARE, least_y)
            tip = -half[1] if is_positive else half[1]
            inside, outside = (Qt.GlobalColor.white, Qt.GlobalColor.black)[:: 1 if is_positive else -1]
            pen = QPen(outside, 1)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(QColor(inside))
            middle = cell.center()
            corners = QPointF(0, tip), QPointF(-half[0], -tip), QPointF(half[0], -tip)
            painter.drawPolygon(QPolygonF([middle + corner for corner in corners]))


class CellOutline(pg.GraphicsObject):  # type: ignore[misc]  # the library has no types
    """A frame around one cell, seen on any colour, and never too small to be found."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = QRectF(0, 0, 1, 1)
        self._color = QColor(Qt.GlobalColor.white)

    def show_cell(self, cell: QRectF, color: QColor) -> None:
        """Frame a cell, in plot coordinates."""
        if (cell, color) != (self._cell, self._color):
            self.prepareGeometryChange()
            self._cell, self._color = QRectF(cell), QColor(color)
            self.update()

    def boundingRect(self) -> QRectF:
        """Return the frame with its pens."""
        frame = self._frame()
        width, height = _pixel_of(self)
        return frame.adjusted(-3 * width, -3 * height, 3 * width, 3 * height)

    def viewTransformChanged(self) -> None:
        """Take another size when the plot is zoomed."""
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw a dark frame and a bright one inside it."""
        del option, widget
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for color, width in ((QColor(Qt.GlobalColor.black), 4), (self._color, 2)):
            pen = QPen(color, width)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawRect(self._frame())

    def _frame(self) -> QRectF:
        width, height = _pixel_of(self)
        more_x = max(_LEAST_SIDE * width - self._cell.width(), 0.0) / 2
        more_y = max(_LEAST_SIDE * height - self._cell.height(), 0.0) / 2
        return self._cell.adjusted(-more_x, -more_y, more_x, more_y)


def _pixel_of(item: pg.GraphicsObject) -> tuple[float, float]:
    """Return the width and height of a pixel of the screen in an item's coordinates."""
    return item.pixelWidth() or 0.0, item.pixelHeight() or 0.0


def packed_colors(colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Turn red, green and blue along the last axis into what `Format_RGB32` holds."""
    parts = colors.astype(np.uint32)
    packed: npt.NDArray[np.uint32] = (
        np.uint32(0xFF000000) | (parts[..., 0] << np.uint32(16)) | (parts[..., 1] << np.uint32(8)) | parts[..., 2]
    )
    return packed
