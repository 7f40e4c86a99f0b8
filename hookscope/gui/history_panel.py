"""Loss, time and memory of every step but trials, as three small plots."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.pacer import Pacer
from hookscope.gui.panels.plots import make_plot, style_plot
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of
from hookscope.protocol.events import StepFinished

_INTERVAL_MS = 33
_TICK_DENSITY = 0.3
"""Of the usual number of ticks: the plots are low."""
_MIB = 1024**2
_TURN = "history"
"""What its turns to draw are called by."""
_DOT = 6

Series = Callable[[StepFinished], float]


class StepAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis of whole numbers: there is no step 1.5."""

    def tickSpacing(self, minimum: float, maximum: float, size: float) -> list[tuple[float, float]]:
        """Leave out the levels of ticks that are closer than one step."""
        levels = super().tickSpacing(minimum, maximum, size)
        return [level for level in levels if level[0] >= 1] or [(1, 0)]


@dataclass(frozen=True)
class _Plot:
    plot: pg.PlotWidget
    title: str
    curve: pg.PlotDataItem
    dots: pg.PlotDataItem
    series: Series


class HistoryPanel(QWidget):
    """Draws the session's history, at most 30 times a second and only while it is seen."""

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._is_stale = True
        self._drawn_steps = 0
        self._hint = QLabel(self.tr("Loss, time and memory of each step appear here."), self)
        self._hint.setProperty("quiet", True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 4)
        layout.setSpacing(8)
        layout.addWidget(self._hint)
        self._plots: list[_Plot] = []
        for title, series in (
            (self.tr("loss"), _loss),
            (self.tr("time per step, ms"), _time_ms),
            (self.tr("memory, MiB"), _memory_mib),
        ):
            plot = make_plot(self)
            plot.setTitle(title, size=f"{self.font().pointSizeF():.0f}pt")
            plot.setAccessibleName(title)
            plot.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
            plot.setAxisItems({"bottom": StepAxis("bottom", tickLength=-4, tickFont=fixed_font(0.9))})
            plot.getAxis("left").setStyle(maxTextLevel=0)
            plot.getAxis("left").setTickDensity(_TICK_DENSITY)
            plot.hide()
            curve = plot.plot([], [])
            # Only after the curve is in the plot: set while it is being made, clipping raises.
            curve.setClipToView(True)
            curve.setDownsampling(auto=True, method="peak")
            dots = plot.plot([], [], pen=None, symbol="o", symbolSize=_DOT)
            self._plots.append(_Plot(plot, title, curve, dots, series))
            layout.addWidget(plot)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._ask_turn)
        self._training = _Training([one.series for one in self._plots])
        self._pacer = Pacer.of(bridge)
        bridge.step_finished.connect(self._note)
        bridge.model_loaded.connect(self._note)
        self._apply_theme()

    @property
    def drawn_steps(self) -> int:
        """How many steps are drawn."""
        return self._drawn_steps

    @property
    def summary(self) -> str:
        """The plots in words."""
        return "; ".join(f"{one.title} {one.plot.accessibleDescription()}" for one in self._plots)

    @Slot()
    def _note(self) -> None:
        self._is_stale = True
        if self.isVisible() and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _ask_turn(self) -> None:
        self._pacer.ask_turn(_TURN, self._draw)

    def _draw(self, _turn: str) -> None:
        if not self._is_stale or not self.isVisible():
            return
        self._is_stale = False
        self._training.take(self._session.history)
        steps = np.array(self._training.numbers, dtype=np.float64)
        self._drawn_steps = len(steps)
        self._hint.setVisible(not len(steps))
        for one, column in zip(self._plots, self._training.columns, strict=True):
            one.plot.setVisible(bool(len(steps)))
            values = np.array(column, dtype=np.float64)
            one.curve.setData(steps, values, connect="finite")
            alone = _without_neighbours(values)
            one.dots.setData(steps[alone], values[alone])
            self._say(one, values)

    def _say(self, one: "_Plot", values: npt.NDArray[np.float64]) -> None:
        """Tell in words what the line cannot show."""
        missing = int(np.count_nonzero(~np.isfinite(values)))
        remark = self.tr("{count} not finite").format(count=f"{missing:,}") if missing else ""
        one.plot.setAccessibleDescription(", ".join(filter(None, (_summary(values), remark))))
        title = " · ".join(filter(None, (one.title, remark)))
        if one.plot.plotItem.titleLabel.text != title:
            one.plot.setTitle(title)

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        for one in self._plots:
            style_plot(one.plot, theme)
            one.plot.plotItem.titleLabel.setText(one.plot.plotItem.titleLabel.text, color=theme.quiet)
            one.curve.setPen(QColor(theme.accent))
            one.dots.setSymbolBrush(QColor(theme.accent))
            one.dots.setSymbolPen(None)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was left out while hidden."""
        super().showEvent(event)
        self._timer.start()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._plots:
            self._apply_theme()


class _Training:
    """The steps that trained the model, without trials, as columns of numbers; a draw reads only what is new.

    Attributes:
        numbers: Of the steps, in which trials are not counted.
        columns: One of values for each series.
    """

    def __init__(self, series: Sequence[Series]) -> None:
        self._series = tuple(series)
        self._read: list[StepFinished] = []
        self._start_over()

    def take(self, history: Iterable[StepFinished]) -> None:
        """Read the steps that came since the last time; all, where any that was read is not kept any more."""
        steps = list(history)
        if steps[: len(self._read)] != self._read:
            self._start_over()
        for step in steps[len(self._read) :]:
            self._read.append(step)
            if step.is_trial:
                self._trials += 1
                continue
            self.numbers.append(step.step - self._trials)
            for column, series in zip(self.columns, self._series, strict=True):
                column.append(series(step))

    def _start_over(self) -> None:
        self._read.clear()
        self._trials = 0
        self.numbers: list[int] = []
        self.columns: tuple[list[float], ...] = tuple([] for _ in self._series)


def _without_neighbours(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which values have nothing on either side that a line could go to."""
    known = np.concatenate([[False], np.isfinite(values), [False]])
    alone: npt.NDArray[np.bool_] = known[1:-1] & ~known[:-2] & ~known[2:]
    return alone


def _loss(step: StepFinished) -> float:
    return np.nan if step.loss is None else step.loss


def _time_ms(step: StepFinished) -> float:
    return step.duration_s * 1000


def _memory_mib(step: StepFinished) -> float:
    return step.memory_bytes / _MIB


def _summary(values: npt.NDArray[np.float64]) -> str:
    """Say the newest value and the range, for those who cannot see the plot."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return ""
    return f"{finite[-1]:.4g} ({finite.min():.4g} … {finite.max():.4g})"
