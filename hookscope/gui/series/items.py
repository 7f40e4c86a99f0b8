"""What a plot of a series draws besides its lines: bands of quantiles, and stretches without a number."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsPathItem

from hookscope.figures.series_lines import Band, Floats


class BandItem(QGraphicsPathItem):
    """An area between two curves."""

    def __init__(self) -> None:
        super().__init__()
        self.setPen(Qt.PenStyle.NoPen)

    def set_band(self, band: Band | None) -> None:
        """Show a band, or none."""
        path = QPainterPath()
        for x, y in band.pieces() if band is not None else ():
            path.addPolygon(QPolygonF([QPointF(*place) for place in zip(x.tolist(), y.tolist(), strict=True)]))
            path.closeSubpath()
        self.setPath(path)


class GapItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Hatched stretches, from the bottom of the plot to its top."""

    def __init__(self) -> None:
        super().__init__()
        self._gaps: Floats = np.empty((0, 2))
        self._color = QColor()

    @property
    def gaps(self) -> Floats:
        """Where they begin and end, `(gaps, 2)`."""
        return self._gaps

    def set_gaps(self, gaps: Floats) -> None:
        """Show stretches."""
        self.prepareGeometryChange()
        self._gaps = gaps
        self.update()

    def set_color(self, color: QColor) -> None:
        """Hatch in a colour."""
        self._color = color
        self.update()

    def boundingRect(self) -> QRectF:
        """Return all that can be seen of the plot."""
        return QRectF(self.viewRect()) if len(self._gaps) and self.getViewBox() is not None else QRectF()

    def viewRangeChanged(self) -> None:
        """Reach as far as the plot does."""
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Hatch in pixels, or the hatching would be stretched with the plot."""
        view = self.boundingRect()
        to_pixels = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(self._color, Qt.BrushStyle.BDiagPattern))
        for begin, end in self._gaps:
            left, right = max(begin, view.left()), min(end, view.right())
            if left < right:
                area = to_pixels.mapRect(QRectF(left, view.top(), right - left, view.height()))
                painter.drawRect(area.adjusted(0, 0, max(1.0 - area.width(), 0.0), 0))
        painter.restore()
