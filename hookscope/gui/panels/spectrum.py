"""The singular values of a matrix, on a logarithmic axis."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Slot
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout

from hookscope.figures.text import format_number
from hookscope.gui.panels.base import Subject, TensorView, fixed_font
from hookscope.gui.panels.plots import Zoom, make_plot, slot_color, style_plot
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import SingularValuesRequest, Spectrum, ViewRequest

_MOST_DECADES = 20.0
"""Below the largest value; what is smaller, or zero, is drawn at this edge."""
_MARGIN = 0.05


class _DecadeAxis(pg.AxisItem):  # type: ignore[misc]
    """Is marked with the values whose logarithms are drawn; the library's own marks are none within a decade."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the text of each mark."""
        del scale, spacing
        return [format_number(10.0**value) for value in values]


class SpectrumView(TensorView):
    """Singular values, largest first, and a line at the numerical rank."""

    def __init__(self) -> None:
        super().__init__()
        self._result: Spectrum | None = None
        self._ref: TensorRef | None = None
        self._slot = TensorSlot.PARAMETER
        self._plot = make_plot(self)
        axis = _DecadeAxis("left")
        axis.setStyle(tickFont=fixed_font(0.9), tickLength=-4)
        axis.setWidth(self._plot.fontMetrics().horizontalAdvance("0" * 8))
        self._plot.plotItem.setAxisItems({"left": axis})
        self._curve = pg.PlotDataItem([], [])
        self._marks = pg.ScatterPlotItem(size=4, pen=None)
        self._rank = pg.InfiniteLine(angle=90)
        for item in (self._curve, self._marks, self._rank):
            self._plot.addItem(item)
        self._zoom = Zoom(self._plot)
        self._zoom.pointed.connect(self._name_value)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        self.apply_theme(theme_of(self.palette()))

    def aim(self, subject: Subject) -> None:
        """Let the axes go when another tensor comes."""
        if subject.ref != self._ref:
            self._ref = subject.ref
            self._zoom.start_over()

    def request(self) -> ViewRequest:
        """Ask for all of them."""
        return SingularValuesRequest()

    def draw(self, answer: ViewReady) -> None:
        """Draw a `Spectrum`."""
        spectrum = answer.result
        assert isinstance(spectrum, Spectrum)
        self._result = spectrum
        if answer.ref.slot is not self._slot:
            self._slot = answer.ref.slot
            self.apply_theme(theme_of(self.palette()))
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
        margin = max(top - bottom, 1.0) * _MARGIN
        width = max(float(len(values)), 1.0)
        self._zoom.fit(QRectF(0.5, bottom - margin, width, top - bottom + 2 * margin))

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

    def plot(self) -> QGraphicsView | None:
        """Return the plot."""
        plot: QGraphicsView = self._plot
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        style_plot(self._plot, theme)
        color = slot_color(self._slot, theme)
        self._curve.setPen(pg.mkPen(color, width=1))
        self._marks.setBrush(color)
        self._rank.setPen(pg.mkPen(theme.quiet, width=1))

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit("")
        super().leaveEvent(event)

    @Slot(object)
    def _name_value(self, point: QPointF | None) -> None:
        text = ""
        if point is not None and self._result is not None:
            values = self._result.values.to_numpy()
            at = round(point.x()) - 1
            if 0 <= at < len(values):
                text = f"σ{at + 1} = {format_number(float(values[at]))}"
        self.pointed.emit(text)
