"""How the values are spread, and how many are in no bin."""

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout

from hookscope.figures.bars import bin_edges, outline
from hookscope.figures.text import format_number, format_power
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.keys import Command, command_of
from hookscope.gui.panels.log_switches import LogSwitches
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.plots import Zoom, faded, make_plot, slot_color, style_plot
from hookscope.gui.panels.range_handles import STRIP_SHARE, RangeHandles
from hookscope.gui.panels.sample_banner import SampleBanner, note_sample
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorKey, TensorMemory, key_of
from hookscope.gui.panels.value_axis import ValueAxis
from hookscope.gui.panels.whole_count import WholeCount
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.views import Histogram, HistogramRequest, is_sample

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion

_HEADROOM = 1.05
_SIDE = 0.02
"""Share of the width that is left free beside the handles."""
_KEYS = frozenset({Command.UNDO, Command.REDO})
_MARKED = tuple(10**power for power in range(19))
_FEWEST_LINES, _MANY_LINES = 4, 10
"""A plot that is not higher, in lines of text, has no room for numbers at its side, or for more than two of them."""


class HistogramView(TensorView):
    """An outline over equal bins, in the colour of the slot; of the values, or of the logarithms of their magnitudes.

    Attributes:
        switches: Whether the counts are drawn in logarithms, and whether those of the values are counted.
        banner: The line that says so when only a sample was counted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._result: Histogram | None = None
        self._slot = TensorSlot.OUTPUT
        self._is_log_chosen = False
        self._plot = make_plot(self)
        self._axis = ValueAxis("bottom")
        self._plot.plotItem.setAxisItems({"bottom": self._axis, "left": ValueAxis("left", is_whole=True)})
        self._curve = pg.PlotDataItem(stepMode="center", fillLevel=0)
        self._plot.addItem(self._curve)
        self._plot.getAxis("left").setWidth(self._plot.fontMetrics().horizontalAdvance("0" * 6))
        self._key: TensorKey | None = None
        self._is_in_sight = True
        self._top = 1.0
        self._memory = TensorMemory(self)
        self._handles = RangeHandles(self._plot)
        self._handles.changed.connect(self._redraw)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a click on it gives the focus to this widget
        self._zoom = Zoom(self._plot)
        self._zoom.pointed.connect(self._name_bin)
        self.switches = LogSwitches()
        self.switches.counts_clicked.connect(self._choose_log_counts)
        self.switches.values_clicked.connect(self._choose_log_values)
        self.corner = self.switches
        self.banner = SampleBanner()
        self._whole = WholeCount(self.banner, self)
        self.banner.count_requested.connect(self._count_all)
        self._whole.counted.connect(self._show_whole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.banner)
        layout.addWidget(self._plot)
        self.apply_theme(theme_of(self.palette()))

    @property
    def handles(self) -> RangeHandles:
        """The range of a picture of the same tensor."""
        return self._handles

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the range of a tensor with its pictures."""
        del ask  # everything is in the answer
        self._memory.set_bar(self, None)
        self._memory = memory
        self._handles.use(memory)
        self._tell_bar()

    def count_with(self, counter: "LongQuestion") -> None:
        """Take what has all elements counted."""
        self._whole.use(counter)

    def aim(self, subject: Subject) -> None:
        """Turn to a tensor."""
        key = key_of(subject)
        if key != self._key:
            self._key = key
            self._zoom.start_over()
            self._whole.start_over()
            self._place_handles()

    def request(self) -> HistogramRequest:
        """Ask for the values' own range, or that of their magnitudes' logarithms."""
        return HistogramRequest(log_magnitude=self.switches.values.isChecked())

    def draw(self, answer: ViewReady) -> None:
        """Draw a `Histogram`, in place of a sample that of all elements once they are counted."""
        assert isinstance(answer.result, Histogram)
        if answer.ref.slot is not self._slot:
            self._slot = answer.ref.slot
            self.apply_theme(theme_of(self.palette()))
        if not self._is_log_chosen:  # gradients crowd about zero, and their tails are what one looks for
            self.switches.counts.setChecked(self._slot.is_gradient)
        note = note_sample(answer.result.seen, answer.result.count) if is_sample(answer.result) else None
        self._whole.note(answer, note)
        self._show(self._whole.answer or answer)

    def remarks(self) -> str:
        """Say how many bins there are, of what, and what is in none of them."""
        if self._result is None:
            return ""
        result = self._result
        outside = result.below + result.above
        counts = [(result.nan, "NaN"), (result.pos_inf, "+Inf"), (result.neg_inf, "-Inf")]
        bins = self.tr("{bins} bins of |x| in powers of ten") if result.log_magnitude else self.tr("{bins} bins")
        values = result.counts.to_numpy()
        has_finite = outside or result.zero or values.any()
        texts = [bins.format(bins=len(values)) if has_finite else self.tr("no finite value")]
        if result.log_magnitude:  # signs are left out, which |x| says
            counts.insert(0, (result.zero, self.tr("zeros in no bin")))
        texts += [f"{count:,} {name}" for count, name in counts if count]
        if is_sample(result):
            texts.append(
                self.tr("{seen} of {count} counted").format(seen=f"{result.seen:,}", count=f"{result.count:,}")
            )
        if outside:
            texts.append(self.tr("{outside} out of range").format(outside=f"{outside:,}"))
        return " · ".join(texts)

    def summary(self) -> str:
        """Return the range and the counts in words."""
        if self._result is None:
            return ""
        low, high = self._word(self._result.low), self._word(self._result.high)
        counts = f"{self._result.nan:,} NaN, {self._result.pos_inf + self._result.neg_inf:,} Inf"
        text = self.tr("histogram from {low} to {high}, {remarks}, {counts}")
        return text.format(low=low, high=high, remarks=self.remarks(), counts=counts)

    def plot(self) -> QGraphicsView | None:
        """Return the plot."""
        plot: QGraphicsView = self._plot
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        style_plot(self._plot, theme)
        color = slot_color(self._slot, theme)
        self._curve.setPen(pg.mkPen(color, width=1))
        self._curve.setBrush(faded(color, 0.3))
        self._handles.apply_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write the counts where there is room for them."""
        super().resizeEvent(event)
        self._mark_counts()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that pictures need no strip of colours of their own."""
        super().showEvent(event)
        self._tell_bar()

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that they need one again."""
        super().hideEvent(event)
        self._memory.set_bar(self, None)

    def note_sight(self, is_seen: bool) -> None:
        """Behind a tab the histogram is no strip of colours for pictures either."""
        self._is_in_sight = is_seen
        self._tell_bar()

    def event(self, event: QEvent) -> bool:
        """Keep undo and redo of the range for this view, also where the window has a shortcut for them."""
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_key and command_of(event) in _KEYS:  # type: ignore[arg-type, operator]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo changes of the range."""
        match command_of(event):
            case Command.UNDO:
                self._handles.undo()
            case Command.REDO:
                self._handles.redo()
            case _:
                super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit("")
        super().leaveEvent(event)

    @Slot()
    def _choose_log_counts(self) -> None:
        self._is_log_chosen = True
        self._redraw()

    @Slot()
    def _choose_log_values(self) -> None:
        self._whole.start_over()
        self.request_changed.emit()

    @Slot()
    def _count_all(self) -> None:
        self._whole.ask(msgspec.structs.replace(self.request(), exact=True))

    @Slot()
    def _show_whole(self) -> None:
        if self._whole.answer is not None:
            self._show(self._whole.answer)
            self.remarks_changed.emit()

    def _show(self, answer: ViewReady) -> None:
        result = answer.result
        assert isinstance(result, Histogram)
        self._result = result
        if result.log_magnitude != self._axis.is_log:
            self._axis.set_log(result.log_magnitude)
            self._zoom.show_all()
            self._place_handles()
        self._zoom.fit(self._draw_bars(result))

    @Slot()
    def _redraw(self) -> None:
        if self._result is not None:
            self._zoom.adjust(self._draw_bars(self._result))

    def _draw_bars(self, result: Histogram) -> QRectF:
        """Draw, and return what area everything takes."""
        is_log = self.switches.counts.isChecked()
        edges, heights = outline(result, logarithmic=is_log)
        width = edges[-1] - edges[0]
        self._top = float(heights.max(initial=0.0))
        top = self._top or 1.0
        self._mark_counts()
        self._curve.setData(edges, heights)
        self._handles.place(QRectF(edges[0], 0.0, width, top))
        # A handle at the very edge could not be taken hold of.
        side = width * _SIDE if self._handles.is_shown else 0.0
        below = top * STRIP_SHARE if self._handles.is_shown else 0.0
        return QRectF(edges[0] - side, -below, width + 2 * side, top * _HEADROOM + below)

    def _mark_counts(self) -> None:
        """Write as many counts at the side as there is room for."""
        lines, axis = self._plot.height() / self._plot.fontMetrics().height(), self._plot.getAxis("left")
        axis.setStyle(showValues=lines > _FEWEST_LINES)
        if lines <= _FEWEST_LINES or not self._top:
            axis.setTicks([])  # a mark without a number says nothing, and where nothing is counted there is no scale
            return
        is_log = self.switches.counts.isChecked()
        if lines <= _MANY_LINES:
            highest = 10.0**self._top - 1.0 if is_log else self._top
            axis.setTicks([[(0.0, "0"), (self._top, _word_count(highest))]])
        else:
            axis.setTicks([_log_ticks(self._top, self._room_for_marks())] if is_log else None)

    def _place_handles(self) -> None:
        """Let the range of the picture be seen, unless the axis has no place for it: it is one of values."""
        self._handles.aim(None if self._axis.is_log else self._key)
        self._tell_bar()

    def _tell_bar(self) -> None:
        carries_range = self.isVisible() and self._is_in_sight and not self._axis.is_log
        self._memory.set_bar(self, self._key if carries_range else None)

    def _word(self, place: float) -> str:
        """Return what is at a place of the axis."""
        return format_power(float(place)) if self._axis.is_log else format_number(float(place))

    def _room_for_marks(self) -> int:
        room: int = self._plot.height() // (2 * self._plot.fontMetrics().height())
        return max(room, 1)

    @Slot(object)
    def _name_bin(self, point: QPointF | None) -> None:
        text = ""
        if point is not None and self._result is not None:
            edges = bin_edges(self._result)
            at = int(np.searchsorted(edges, point.x(), side="right")) - 1
            if 0 <= at < len(edges) - 1:
                low, high = self._word(edges[at]), self._word(edges[at + 1])
                count = int(self._result.counts.to_numpy()[at])
                text = self.tr("{count} from {low} to {high}").format(count=f"{count:,}", low=low, high=high)
        self.pointed.emit(text)


def _word_count(count: float) -> str:
    return f"{count:.0f}" if count < 1e6 else f"{count:.1e}".replace("e+0", "e").replace("e+", "e")


def _log_ticks(top: float, most: int) -> list[tuple[float, str]]:
    """Place counts on an axis of `log10(1 + n)`: 0, 1, 10, 100, ..."""
    ticks = [(0.0, "0")]
    for count in _MARKED:
        place = float(np.log10(1.0 + count))
        if place <= top * _HEADROOM and place - ticks[-1][0] >= top / most:
            ticks.append((place, f"{count:,}" if count < 1e6 else f"1e{len(str(count)) - 1}"))
    return ticks
