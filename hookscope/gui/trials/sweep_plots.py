"""What a sweep has measured: one plot a measure, above each other and over the same values."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from hookscope.figures.text import format_number
from hookscope.gui.panels.plot_view import DRAWABLE, MARGIN
from hookscope.gui.panels.plots import make_plot, style_plot
from hookscope.gui.theme import theme_of

_LINES = 8
"""Height of a plot, in lines of text, at least."""
_AXIS_CHARS = 7


@dataclass(frozen=True)
class Series:
    """One measure.

    Attributes:
        title: What it is.
        values: Its numbers, one per value of the sweep so far; NaN where there is none.
    """

    title: str
    values: npt.NDArray[np.float64]


class SweepPlots(QScrollArea):
    """Plots are made when first needed and then kept; those that are not in use are hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plots: list[tuple[pg.PlotWidget, pg.PlotDataItem]] = []
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(self.fontMetrics().height() // 2)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def summaries(self) -> tuple[str, ...]:
        """What is drawn, in words."""
        return tuple(plot.accessibleDescription() for plot, _ in self._plots if not plot.isHidden())

    def show_series(
        self,
        x_title: str,
        ends: tuple[float, float],
        x: npt.NDArray[np.float64],
        series: tuple[Series, ...],
        *,
        log: bool,
    ) -> None:
        """Draw measures over the values of a sweep.

        Args:
            x_title: What was swept.
            ends: First and last value of the whole sweep: the axis is that long from the beginning.
            x: The values so far.
            series: The measures.
            log: Whether the axis goes over powers of ten.
        """
        while len(self._plots) < len(series):
            self._add_plot()
        for row, (plot, curve) in enumerate(self._plots):
            plot.setVisible(row < len(series))
            if row < len(series):
                self._draw(plot, curve, x, series[row])
                plot.plotItem.setLogMode(x=log)
                plot.getAxis("bottom").setLabel(x_title if row == len(series) - 1 else "")
                low, high = sorted(np.log10(ends) if log else ends)
                margin = MARGIN * (high - low) or 0.5
                plot.setXRange(low - margin, high + margin, padding=0)

    def _draw(self, plot: pg.PlotWidget, curve: pg.PlotDataItem, x: npt.NDArray[np.float64], series: Series) -> None:
        known = np.isfinite(series.values) & (np.abs(series.values) < DRAWABLE)
        plot.setTitle(series.title, size=f"{self.font().pointSizeF():.0f}pt", color=theme_of(self.palette()).quiet)
        plot.setAccessibleName(series.title)
        # A curve without any finite point must not reach the drawing library: it fails while painting.
        shown = slice(None) if known.any() else slice(0)
        curve.setData(x[shown], np.where(known, series.values, np.nan)[shown], connect="finite")
        plot.setAccessibleDescription(_summary(series, x, known))
        if known.any():
            low, high = float(series.values[known].min()), float(series.values[known].max())
            margin = MARGIN * (high - low) or abs(high) * MARGIN or 1.0
            plot.setYRange(low - margin, high + margin, padding=0)

    def _add_plot(self) -> None:
        plot = make_plot(self._inside)
        plot.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES)
        plot.plotItem.setMouseEnabled(x=False, y=False)
        plot.plotItem.disableAutoRange()
        plot.getAxis("left").setWidth(plot.fontMetrics().horizontalAdvance("0" * _AXIS_CHARS))  # all begin at one place
        curve = pg.PlotDataItem(symbol="o", symbolSize=6)
        plot.addItem(curve)
        self._plots.append((plot, curve))
        self._column.addWidget(plot, 1)
        self._apply_theme()

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        for plot, curve in self._plots:
            style_plot(plot, theme)
            plot.plotItem.titleLabel.setText(plot.plotItem.titleLabel.text, color=theme.quiet)
            curve.setPen(QColor(theme.accent))
            curve.setSymbolBrush(QColor(theme.accent))
            curve.setSymbolPen(None)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, which pyqtgraph does not do by itself."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._apply_theme()


def _summary(series: Series, x: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]) -> str:
    """Say where the measure begins and ends, for those who cannot see the plot."""
    if not known.any():
        return series.title
    first, last = np.flatnonzero(known)[[0, -1]]
    ends = [f"{format_number(float(series.values[at]))} at {format_number(float(x[at]))}" for at in (first, last)]
    return f"{series.title}: {ends[0]} … {ends[1]}"
