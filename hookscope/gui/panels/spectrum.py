"""The singular values of a matrix, on a logarithmic axis."""

from typing import ClassVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from hookscope.figures.text import format_number
from hookscope.gui.panels.plot_view import MARGIN, PlotView
from hookscope.gui.panels.value_axis import ValueAxis
from hookscope.gui.theme import Theme
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import SingularValuesRequest, Spectrum, ViewRequest

_MOST_DECADES = 20.0
"""Below the largest value; what is smaller, or zero, is drawn at this edge."""


class SpectrumView(PlotView):
    """Singular values, largest first, and a line at the numerical rank."""

    over_indices: ClassVar[bool] = True

    def add_items(self) -> None:
        """Put the values, and a line at the rank, into a plot of logarithms."""
        self._result: Spectrum | None = None
        axis = ValueAxis("left", is_log=True)
        axis.setWidth(self.plot_widget.getAxis("left").width())
        self.plot_widget.plotItem.setAxisItems({"left": axis})
        self._curve = pg.PlotDataItem([], [])
        self._marks = pg.ScatterPlotItem(size=4, pen=None)
        self._rank = pg.InfiniteLine(angle=90)
        for item in (self._curve, self._marks, self._rank):
            self.plot_widget.addItem(item)

    def request(self) -> ViewRequest:
        """Ask for all of them."""
        return SingularValuesRequest()

    def draw_result(self, answer: ViewReady) -> None:
        """Draw a `Spectrum`."""
        spectrum = answer.result
        assert isinstance(spectrum, Spectrum)
        self._result = spectrum
        values = spectrum.values.to_numpy().astype(np.float64)
        largest = float(values[0]) if len(values) and values[0] > 0 else 1.0
        top = np.log10(largest)
        decades = np.log10(np.maximum(values / largest, 10.0**-_MOST_DECADES)) + top
        places = np.arange(1, len(values) + 1, dtype=np.float64)
        self._curve.setData(places, decades)
        self._marks.setData(places, decades)
        self._rank.setValue(spectrum.rank + 0.5)
        self._rank.setVisible(spectrum.rank < len(values))
        bottom = float(decades.min()) if len(decades) else top - 1
        margin = max(top - bottom, 1.0) * MARGIN
        width = max(float(len(values)), 1.0)
        self.zoom.fit(QRectF(0.5, bottom - margin, width, top - bottom + 2 * margin))

    def remarks(self) -> str:
        """Say the rank and the condition, and what was flattened."""
        if self._result is None:
            return ""
        spectrum = self._result
        values = spectrum.values.to_numpy()
        texts = [self.tr("{rows} × {columns} matrix").format(rows=spectrum.rows, columns=spectrum.columns)]
        if spectrum.flattened:
            texts[0] = self.tr("{matrix}, flattened").format(matrix=texts[0])
        texts.append(self.tr("rank {rank} of {most}").format(rank=spectrum.rank, most=len(values)))
        if len(values) and values[-1] > 0:
            texts.append(self.tr("condition {value}").format(value=format_number(float(values[0] / values[-1]))))
        return " · ".join(texts)

    def color_items(self, color: QColor, theme: Theme) -> None:
        """Draw the values in the colour of their slot."""
        self._curve.setPen(pg.mkPen(color, width=1))
        self._marks.setBrush(color)
        self._rank.setPen(pg.mkPen(theme.quiet, width=1))

    def text_at(self, point: QPointF) -> str:
        """Return the value at a place."""
        values = self._result.values.to_numpy() if self._result is not None else ()
        at = round(point.x()) - 1
        return f"σ{at + 1} = {format_number(float(values[at]))}" if 0 <= at < len(values) else ""
