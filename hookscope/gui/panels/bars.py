"""A number per channel, as bars: a statistic of each, or how many of its values are zero or saturated."""

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Slot
from PySide6.QtWidgets import QComboBox, QGraphicsView, QSpinBox, QVBoxLayout

from hookscope.figures.levels import auto_levels
from hookscope.figures.text import format_number
from hookscope.gui.panels.base import Subject, TensorView
from hookscope.gui.panels.choice_row import ChoiceRow, set_rank
from hookscope.gui.panels.plots import Zoom, faded, make_plot, slot_color, style_plot
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import (
    Bars,
    ChannelsRequest,
    ChannelStatistic,
    SparsityRequest,
    ViewRequest,
)

_DRAWABLE = 1e100
"""Beyond this the drawing library's own arithmetic overflows; such values are drawn at this edge."""
_MARGIN = 0.05
_FILL = 0.45
_SHARES = frozenset({ChannelStatistic.ZEROS, ChannelStatistic.NAN})


class BarsView(TensorView):
    """Bars over the channels of a dim that can be chosen; they are drawn as one outline, however many there are."""

    def __init__(self) -> None:
        super().__init__()
        self._result: Bars | None = None
        self._ref: TensorRef | None = None
        self._slot = TensorSlot.OUTPUT
        self._dim: int | None = None
        self._plot = make_plot(self)
        self._plot.getAxis("left").setWidth(self._plot.fontMetrics().horizontalAdvance("0" * 8))
        self._bars = pg.PlotDataItem([], [], stepMode="center", fillLevel=0.0)
        self._marks = pg.PlotDataItem([], [], stepMode="center")
        for item in (self._bars, self._marks):
            self._plot.addItem(item)
        self._zoom = Zoom(self._plot)
        self._zoom.pointed.connect(self._name_bar)
        self.row = ChoiceRow()
        self.statistic = self._add_choices(self.row)
        self.dim: QSpinBox = self.row.add_number(
            self.tr("channels are dim"), self.tr("The dim with a bar for each entry")
        )
        self.row.add_stretch()
        self.row.chosen.connect(self._choose)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.row)
        layout.addWidget(self._plot)
        self.apply_theme(theme_of(self.palette()))

    def aim(self, subject: Subject) -> None:
        """Let axes and dim go when another tensor comes."""
        if subject.ref != self._ref or len(subject.spec.shape) <= self.dim.value():
            self._ref, self._dim = subject.ref, None
            self._zoom.start_over()

    def draw(self, answer: ViewReady) -> None:
        """Draw `Bars`."""
        bars = answer.result
        assert isinstance(bars, Bars)
        self._result = bars
        if answer.ref.slot is not self._slot:
            self._slot = answer.ref.slot
            self.apply_theme(theme_of(self.palette()))
        set_rank(self.dim, len(bars.shape), bars.dim)
        values = _drawable(bars.values)
        known = np.isfinite(values)
        edges = (np.arange(len(values) + 1, dtype=np.float64) - 0.5) * bars.stride
        self._bars.setData(edges, np.where(known, values, 0.0))
        has_marks = bars.saturated is not None
        self._marks.setVisible(has_marks)
        if bars.saturated is not None:
            self._marks.setData(edges, _drawable(bars.saturated))
        ends = (float(min(values[known].min(), 0)), float(max(values[known].max(), 0))) if known.any() else (0.0, 0.0)
        bottom, top = auto_levels(*self._ends(*ends))
        margin = (top - bottom) * _MARGIN
        width = edges[-1] - edges[0] if len(values) else 1.0
        left = float(edges[0]) if len(edges) else -0.5
        self._zoom.fit(QRectF(left, bottom - margin, float(width), top - bottom + 2 * margin))

    def remarks(self) -> str:
        """Say how many channels there are, and what was left out."""
        if self._result is None:
            return ""
        bars = self._result
        texts = [self.tr("{count} channels in dim {dim}").format(count=f"{bars.count:,}", dim=bars.dim)]
        if bars.stride > 1:
            texts.append(self.tr("every {stride}th shown").format(stride=f"{bars.stride:,}"))
        if bars.seen < bars.elements:
            seen, count = f"{bars.seen:,}", f"{bars.elements:,}"
            texts.append(self.tr("{seen} of {count} elements looked at").format(seen=seen, count=count))
        unknown = int(np.isnan(bars.values.to_numpy()).sum())
        if unknown:
            texts.append(self.tr("{count} without a finite value").format(count=f"{unknown:,}"))
        return " · ".join(texts)

    def plot(self) -> QGraphicsView | None:
        """Return the plot."""
        plot: QGraphicsView = self._plot
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        style_plot(self._plot, theme)
        color = slot_color(self._slot, theme)
        self._bars.setPen(pg.mkPen(color, width=1))
        self._bars.setFillBrush(faded(color, _FILL))
        self._marks.setPen(pg.mkPen(theme.trouble, width=1))

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit("")
        super().leaveEvent(event)

    def _add_choices(self, row: ChoiceRow) -> QComboBox | None:
        """Add what else can be chosen."""
        del row
        return None

    def _ends(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of the axis for bars between these."""
        return low, high

    @Slot()
    def _choose(self) -> None:
        if self._result is not None and self.dim.value() != self._result.dim:
            self._dim = self.dim.value()
        self._zoom.start_over()
        self.request_changed.emit()

    @Slot(object)
    def _name_bar(self, point: QPointF | None) -> None:
        text = ""
        if point is not None and self._result is not None:
            at = round(point.x() / self._result.stride)
            values = self._result.values.to_numpy()
            if 0 <= at < len(values):
                text = f"[{at * self._result.stride}] = {format_number(float(values[at]))}"
                if self._result.saturated is not None:
                    share = format_number(float(self._result.saturated.to_numpy()[at]))
                    text = self.tr("{text}, saturated {share}").format(text=text, share=share)
        self.pointed.emit(text)


class ChannelsView(BarsView):
    """A statistic of every channel."""

    def request(self) -> ViewRequest:
        """Ask for the chosen statistic over the chosen dim."""
        assert self.statistic is not None
        return ChannelsRequest(dim=self._dim, statistic=ChannelStatistic(self.statistic.currentData()))

    def summary(self) -> str:
        """Return the bars in words."""
        assert self.statistic is not None
        return f"{self.statistic.currentText()}, {self.remarks()}" if self._result is not None else ""

    def _ends(self, low: float, high: float) -> tuple[float, float]:
        """Return the whole range of a share, and for everything else what there is."""
        is_share = self._result is not None and self._result.statistic in _SHARES
        return (0.0, 1.0) if is_share else (low, high)

    def _add_choices(self, row: ChoiceRow) -> QComboBox | None:
        names = {
            ChannelStatistic.MEAN: self.tr("mean"),
            ChannelStatistic.STD: self.tr("standard deviation"),
            ChannelStatistic.NORM: self.tr("norm"),
            ChannelStatistic.MAXIMUM: self.tr("maximum"),
            ChannelStatistic.MINIMUM: self.tr("minimum"),
            ChannelStatistic.ZEROS: self.tr("share of zeros"),
            ChannelStatistic.NAN: self.tr("share of NaN"),
        }
        return row.add_combo(self.tr("show"), [(text, statistic) for statistic, text in names.items()])


class SparsityView(BarsView):
    """The share of zeros in every channel, and a line for the share of saturated values."""

    def request(self) -> ViewRequest:
        """Ask for the shares over the chosen dim."""
        return SparsityRequest(dim=self._dim)

    def remarks(self) -> str:
        """Say also how much is saturated, and of what range."""
        base = super().remarks()
        if self._result is None or self._result.bounds is None:
            return f"{base} · {self.tr('not a bounded activation')}" if base else ""
        low, high = (format_number(bound) for bound in self._result.bounds)
        return f"{base} · {self.tr('line: saturated at {low} or {high}').format(low=low, high=high)}"

    def _ends(self, low: float, high: float) -> tuple[float, float]:
        """Return the whole range of a share."""
        del low, high
        return 0.0, 1.0


def _drawable(values: Array) -> npt.NDArray[np.float64]:
    array: npt.NDArray[np.float64] = values.to_numpy().astype(np.float64)
    return np.clip(array, -_DRAWABLE, _DRAWABLE)
