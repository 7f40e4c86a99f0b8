"""Values over their index: a line, or the band between smallest and largest of each run."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from hookscope.figures.levels import auto_levels
from hookscope.figures.text import format_number
from hookscope.gui.panels.plot_view import MARGIN, PlotView, drawable
from hookscope.gui.panels.sample_banner import SampleBanner, note_sample
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorKey, key_of
from hookscope.gui.panels.whole_count import WholeCount
from hookscope.gui.theme import Theme
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Curve, CurveRequest, is_sample

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion

_FEW = 48
"""So few points are marked, for a line between two points of a vector means nothing."""


class CurveView(PlotView):
    """A line over the flat index; a long tensor is drawn as a band, so that no spike is lost.

    Attributes:
        banner: The line that says so when only a sample was looked at.
    """

    over_indices: ClassVar[bool] = True

    def add_items(self) -> None:
        """Put the line, and marks for few points, into the plot."""
        self._result: Curve | None = None
        self._key: TensorKey | None = None
        self._values: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None = None
        self._curve = pg.PlotDataItem(connect="finite")
        self._marks = pg.ScatterPlotItem(size=5, pen=None)
        for item in (self._curve, self._marks):
            self.plot_widget.addItem(item)

    def make_controls(self) -> QWidget:
        """Return the line that says so when only a sample was looked at."""
        self.banner = SampleBanner()
        self._whole = WholeCount(self.banner, self)
        self.banner.count_requested.connect(self._count_all)
        self._whole.counted.connect(self._show_whole)
        return self.banner

    def count_with(self, counter: "LongQuestion") -> None:
        """Take what has all elements looked at."""
        self._whole.use(counter)

    def aim(self, subject: Subject) -> None:
        """Forget what was looked at of another tensor."""
        super().aim(subject)
        key = key_of(subject)
        if key != self._key:
            self._key = key
            self._whole.start_over()

    def request(self) -> CurveRequest:
        """Ask for all elements, or for a sample where it would take long to look at all."""
        return CurveRequest()

    def draw_result(self, answer: ViewReady) -> None:
        """Draw a `Curve`, in place of a sample that of all elements once they were looked at."""
        assert isinstance(answer.result, Curve)
        note = note_sample(answer.result.seen, answer.result.count) if is_sample(answer.result) else None
        self._whole.note(answer, note)
        self._show(self._whole.answer or answer)

    def _show(self, answer: ViewReady) -> None:
        curve = answer.result
        assert isinstance(curve, Curve)
        self._result = curve
        low, high = drawable(curve.low), drawable(curve.high)
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
        margin = (top - bottom) * MARGIN
        width = max(float(places[-1]), 1.0) if len(places) else 1.0
        edge = width * MARGIN / 2
        self.zoom.fit(QRectF(-edge, bottom - margin, width + 2 * edge, top - bottom + 2 * margin))

    def remarks(self) -> str:
        """Say how many elements there are, and what was left out."""
        if self._result is None:
            return ""
        elements = self.tr("1 element") if self._result.count == 1 else self.tr("{count} elements")
        texts = [elements.format(count=f"{self._result.count:,}")]
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

    def color_items(self, color: QColor, theme: Theme) -> None:
        """Draw the line in the colour of its slot."""
        del theme
        self._curve.setPen(pg.mkPen(color, width=1))
        self._marks.setBrush(color)

    def text_at(self, point: QPointF) -> str:
        """Return the value, or the band, at a place."""
        if self._result is None or self._values is None:
            return ""
        at = round(point.x() / self._result.stride)
        return self._text_of(at, self._result.stride) if 0 <= at < len(self._values[0]) else ""

    @Slot()
    def _count_all(self) -> None:
        self._whole.ask(CurveRequest(exact=True))

    @Slot()
    def _show_whole(self) -> None:
        if self._whole.answer is not None:
            self._show(self._whole.answer)
            self.remarks_changed.emit()

    def _text_of(self, at: int, stride: int) -> str:
        assert self._values is not None
        low, high = (format_number(float(values[at])) for values in self._values)
        if stride == 1:
            return f"[{at}] = {low}"
        return self.tr("[{first}] to [{last}]: {low} to {high}").format(
            first=at * stride, last=(at + 1) * stride - 1, low=low, high=high
        )
