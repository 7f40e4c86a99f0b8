"""A number per channel, as bars: a statistic of each, or how many of its values are zero or saturated."""

from typing import ClassVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from hookscope.figures.levels import auto_levels
from hookscope.figures.text import format_number
from hookscope.gui.panels.choice_row import ChoiceRow, set_rank
from hookscope.gui.panels.plot_view import MARGIN, PlotView, drawable
from hookscope.gui.panels.plots import faded
from hookscope.gui.panels.subject import Subject
from hookscope.gui.theme import Theme
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import (
    Bars,
    ChannelsRequest,
    ChannelStatistic,
    SparsityRequest,
    ViewRequest,
)

_FILL = 0.45
_SHARES = frozenset({ChannelStatistic.ZEROS, ChannelStatistic.NAN})


class BarsView(PlotView):
    """Bars over the channels of a dim that can be chosen; they are drawn as one outline, however many there are."""

    over_indices: ClassVar[bool] = True

    def add_items(self) -> None:
        """Put the outline of the bars, and a line for a second number, into the plot."""
        self._result: Bars | None = None
        self._dim: int | None = None
        self._bars = pg.PlotDataItem([], [], stepMode="center", fillLevel=0.0)
        self._marks = pg.PlotDataItem([], [], stepMode="center")
        for item in (self._bars, self._marks):
            self.plot_widget.addItem(item)

    def make_controls(self) -> QWidget:
        """Return the choice of the dim, and of what else there is."""
        self.row = ChoiceRow()
        self.statistic = self._add_choices(self.row)
        tip = self.tr("The dim with a bar for each entry")
        self.dim: QSpinBox = self.row.add_number(self.tr("channels are dim"), tip)
        self.row.add_stretch()
        self.row.chosen.connect(self._choose)
        return self.row

    def aim(self, subject: Subject) -> None:
        """Let axes and dim go when another tensor comes."""
        if subject.ref != self._ref or len(subject.spec.shape) <= self.dim.value():
            self._dim = None
            self.zoom.start_over()
        super().aim(subject)

    def draw_result(self, answer: ViewReady) -> None:
        """Draw `Bars`."""
        bars = answer.result
        assert isinstance(bars, Bars)
        self._result = bars
        set_rank(self.dim, len(bars.shape), bars.dim)
        values = drawable(bars.values)
        known = np.isfinite(values)
        edges = (np.arange(len(values) + 1, dtype=np.float64) - 0.5) * bars.stride
        self._bars.setData(edges, np.where(known, values, 0.0))
        self._marks.setVisible(bars.saturated is not None)
        if bars.saturated is not None:
            self._marks.setData(edges, drawable(bars.saturated))
        ends = (float(min(values[known].min(), 0)), float(max(values[known].max(), 0))) if known.any() else (0.0, 0.0)
        bottom, top = auto_levels(*self._ends(*ends))
        margin = (top - bottom) * MARGIN
        self.zoom.fit(QRectF(float(edges[0]), bottom - margin, len(values) * bars.stride, top - bottom + 2 * margin))

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

    def color_items(self, color: QColor, theme: Theme) -> None:
        """Draw the bars in the colour of their slot."""
        self._bars.setPen(pg.mkPen(color, width=1))
        self._bars.setFillBrush(faded(color, _FILL))
        self._marks.setPen(pg.mkPen(theme.trouble, width=1))

    def text_at(self, point: QPointF) -> str:
        """Return the number of the channel at a place."""
        bars = self._result
        at = round(point.x() / bars.stride) if bars is not None else -1
        if bars is None or not 0 <= at < bars.values.shape[0]:
            return ""
        text = f"[{at * bars.stride}] = {format_number(float(bars.values.to_numpy()[at]))}"
        if bars.saturated is None:
            return text
        share = format_number(float(bars.saturated.to_numpy()[at]))
        return self.tr("{text}, saturated {share}").format(text=text, share=share)

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
        self.zoom.start_over()
        self.request_changed.emit()


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
