"""Values over their index: a line, or the band between smallest and largest of each run."""

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Slot
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout

from hookscope.figures.levels import auto_levels
from hookscope.figures.text import format_number
from hookscope.gui.panels.base import Subject, TensorView
from hookscope.gui.panels.plots import Zoom, make_plot, slot_color, style_plot
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import Curve, CurveRequest, is_sample

_DRAWABLE = 1e100
"""Beyond this the drawing library's own arithmetic overflows; such values are drawn at this edge."""
_FEW = 48
"""So few points are marked, for a line between two points of a vector means nothing."""
_MARGIN = 0.05


class CurveView(TensorView):
    """A line over the flat index; a long tensor is drawn as a band, so that no spike is lost."""

    def __init__(self) -> None:
        super().__init__()
        self._result: Curve | None = None
        self._ref: TensorRef | None = None
        self._slot = TensorSlot.OUTPUT
        self._values: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None = None
        self._plot = make_plot(self)
        self._plot.getAxis("left").setWidth(self._plot.fontMetrics().horizontalAdvance("0" * 8))
        self._curve = pg.PlotDataItem(connect="finite")
        self._marks = pg.ScatterPlotItem(size=5, pen=None)
        for item in (self._curve, self._marks):
            self._plot.addItem(item)
        self._zoom = Zoom(self._plot)
        self._zoom.pointed.connect(self._name_point)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._plot)
        self.apply_theme(theme_of(self.palette()))

    def aim(self, subject: Subject) -> None:
        """Let the axes go when another tensor comes."""
        if subject.ref != self._ref:
            self._ref = subject.ref
            self._zoom.start_over()

    def request(self) -> CurveRequest:
        """Ask for all elements."""
        return CurveRequest()

    def draw(self, answer: ViewReady) -> None:
        """Draw a `Curve`."""
        curve = answer.result
        assert isinstance(curve, Curve)
        self._result = curve
        if answer.ref.slot is not self._slot:
            self._slot = answer.ref.slot
            self.apply_theme(theme_of(self.palette()))
        low, high = _drawable(curve.low.to_numpy()), _drawable(curve.high.to_numpy())
        self._values = low, high
        places = np.arange(len(low), dtype=np.float64) * curve.stride
        known = np.isfinite(low) & np.isfinite(high)
        is_band = curve.stride > 1
        is_marked = not is_band and len(low) <= _FEW
        # A band is one line up and down between its ends: dense enough to look filled, and drawn as fast as a line.
        line = (np.repeat(places, 2), np.stack([low, high], axis=1).ravel()) if is_band else (places, low)
        # A curve without any finite point must not reach the drawing library: it fails while painting.
        shown = slice(None) if known.any() else slice(0)
        self._curve.setData(line[0][shown], line[1][shown])
        self._marks.setData(places[known & is_marked], low[known & is_marked])
        ends = (float(low[known].min()), float(high[known].max())) if known.any() else (0.0, 0.0)
        bottom, top = auto_levels(*ends)
        margin = (top - bottom) * _MARGIN
        width = max(float(places[-1]), 1.0) if len(places) else 1.0
        edge = width * _MARGIN / 2
        self._zoom.fit(QRectF(-edge, bottom - margin, width + 2 * edge, top - bottom + 2 * margin))

    def remarks(self) -> str:
        """Say how many elements there are, and what was left out."""
        if self._result is None:
            return ""
        texts = [self.tr("{count} elements").format(count=f"{self._result.count:,}")]
        if self._result.stride > 1:
            texts.append(self.tr("band of {stride} each").format(stride=f"{self._result.stride:,}"))
        if is_sample(self._result):
            texts.append(self.tr("{seen} of them looked at").format(seen=f"{self._result.seen:,}"))
        if self._result.non_finite:
            texts.append(self.tr("{count} not finite").format(count=f"{self._result.non_finite:,}"))
        return " · ".join(texts)

    def summary(self) -> str:
        """Return the curve in words."""
        return self.tr("curve of {remarks}").format(remarks=self.remarks()) if self._result is not None else ""

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

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit("")
        super().leaveEvent(event)

    @Slot(object)
    def _name_point(self, point: QPointF | None) -> None:
        text = ""
        if point is not None and self._result is not None and self._values is not None:
            at = round(point.x() / self._result.stride)
            if 0 <= at < len(self._values[0]):
                text = self._text_of(at, self._result.stride)
        self.pointed.emit(text)

    def _text_of(self, at: int, stride: int) -> str:
        assert self._values is not None
        low, high = (format_number(float(values[at])) for values in self._values)
        if stride == 1:
            return f"[{at}] = {low}"
        return self.tr("[{first}] to [{last}]: {low} to {high}").format(
            first=at * stride, last=(at + 1) * stride - 1, low=low, high=high
        )


def _drawable(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    return np.clip(values.astype(np.float64), -_DRAWABLE, _DRAWABLE)
