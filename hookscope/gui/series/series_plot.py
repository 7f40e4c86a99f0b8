"""One series over the steps: what it is, its newest number, and the plot."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsView, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from hookscope.client.series_book import SeriesColumns
from hookscope.figures.series_lines import SeriesLines, lines_of
from hookscope.figures.series_words import word_left, word_point, word_value
from hookscope.figures.text import format_number
from hookscope.gui.assets import icon
from hookscope.gui.cells import fixed_font
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.history_panel import StepAxis
from hookscope.gui.panels.base import fixed_font as tick_font
from hookscope.gui.panels.plots import faded, make_plot, slot_color, style_plot
from hookscope.gui.panels.value_axis import ValueAxis
from hookscope.gui.series.following import translate
from hookscope.gui.series.items import BandItem, GapItem
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.series import Series, UpdateRatio

LEAST_LINES = 6
"""Height of a plot, in lines of text, at least."""
_AXIS_CHARS = 8
_TICK_DENSITY = 0.3
_BAND_ALPHAS = (0.18, 0.30)
_LEAST_STEPS = 4
"""Nobody can zoom in on less."""
_MARK_PLACE = 0.05
"""How far from the edge marks are, in heights of the plot."""


class SeriesPlot(QWidget):
    """Shows one series; it can be given another one, for plots are kept and not deleted.

    Signals:
        step_chosen: A step (`int`) was clicked.
        zoomed: A person wants to see other steps, from one to another (`float`, `float`).
        whole_requested: A person wants to see all steps again.
        tensor_requested: The tensor of the series should be looked at (`TensorRef`).
        export_requested: Its numbers are wanted as a table; its id (`int`).
        removal_requested: It shall be followed no more; its id (`int`).
    """

    step_chosen = Signal(int)
    zoomed = Signal(float, float)
    whole_requested = Signal()
    tensor_requested = Signal(object)
    export_requested = Signal(int)
    removal_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._series: Series | None = None
        self._columns: SeriesColumns | None = None
        self._lines = SeriesLines()
        self._drawn_key: tuple[object, ...] = ()
        self._pointed: int | None = None
        self._tensor, self._kind, self._value = ElidedLabel(self), QLabel(self), QLabel(self)
        self._menu_button = QToolButton(self)
        self._plot = make_plot(self)
        self._box = self._plot.plotItem.getViewBox()
        self._gaps = GapItem()
        self._bands = (BandItem(), BandItem())
        self._edges = (pg.PlotCurveItem(connect="finite"), pg.PlotCurveItem(connect="finite"))
        self._line = pg.PlotCurveItem(connect="finite")
        self._lone, self._bad, self._zeros = (pg.ScatterPlotItem(pxMode=True, pen=None) for _ in range(3))
        self._here = pg.InfiniteLine(angle=90, movable=False)
        self._assemble()
        self._fill_menu()
        self._box.sigRangeChangedManually.connect(self._note_zoom)
        self._plot.scene().sigMouseClicked.connect(self._take_click)
        self._plot.scene().sigMouseMoved.connect(self._point)
        self._apply_theme()

    @property
    def series(self) -> Series | None:
        """What is shown."""
        return self._series

    @property
    def plot(self) -> QGraphicsView:
        """The view, to write it as SVG."""
        view: QGraphicsView = self._plot
        return view

    @property
    def is_in_sight(self) -> bool:
        """Whether some of the plot can be seen: shown, not scrolled away, not behind a tab."""
        return not self._plot.viewport().visibleRegion().isEmpty()

    @property
    def box(self) -> Any:
        """The area in which the curves are."""
        return self._box

    @property
    def lines(self) -> SeriesLines:
        """What was drawn last."""
        return self._lines

    @property
    def value_text(self) -> str:
        """The number beside the title: of the step under the pointer, else the newest."""
        return self._value.text()

    @property
    def menu(self) -> QMenu:
        """What can be done with the series."""
        menu = self._menu_button.menu()
        assert menu is not None
        return menu

    def aim(self, series: Series, tensor: str, kind: str) -> None:
        """Show another series; the words name its tensor and its numbers."""
        self._tensor.setText(tensor)
        self._kind.setText(kind)
        self._plot.setAccessibleName(f"{tensor} {kind}")
        if series == self._series:
            return
        self._series, self._columns, self._pointed = series, None, None
        self._drawn_key = ()
        self._plot.getAxis("left").set_log(self._is_log)
        self._apply_theme()

    def draw(self, columns: SeriesColumns, first: float, last: float, step: int | None, *, is_past: bool) -> None:
        """Draw the points from one step to another.

        Args:
            columns: All points.
            first: Left end of the axis.
            last: Its right end.
            step: The step that the window looks at.
            is_past: Whether it was gone back to.
        """
        assert self._series is not None
        key = (columns.left + len(columns.steps), first, last, self._plot.width(), step, is_past)
        if key == self._drawn_key:
            return
        self._drawn_key = key
        self._columns = columns
        self._lines = lines = lines_of(
            columns.steps,
            columns.values,
            columns.non_finite,
            first=first,
            last=last,
            columns=max(round(self._box.width()), 1),
            log=self._is_log,
        )
        self._box.setRange(xRange=(first, last), yRange=(lines.low, lines.high), padding=0.0)
        self._draw_items(lines)
        self._here.setVisible(step is not None)
        if step is not None:
            self._here.setPos(step)
            theme = theme_of(self.palette())
            self._here.setPen(pg.mkPen(theme.at_hand if is_past else theme.line, width=1))
        self._tell_value()
        self._plot.setAccessibleDescription(self.summary())

    def summary(self) -> str:
        """Return what is drawn in words, for those who cannot see it."""
        columns, series = self._columns, self._series
        if columns is None or series is None or not len(columns.steps):
            return self.tr("no steps yet")
        newest = word_point(columns.point(series.id, -1), series.kind, translate)
        texts = [self.tr("steps: {count}; newest {point}").format(count=f"{len(columns.steps):,}", point=newest)]
        known = columns.values[np.isfinite(columns.values).all(axis=1)]
        if len(known):
            low, high = (format_number(float(value)) for value in (known.min(), known.max()))
            texts.append(self.tr("from {low} to {high}").format(low=low, high=high))
        bad, gaps = int(np.count_nonzero(columns.non_finite)), int(np.count_nonzero(columns.gaps))
        if bad:
            texts.append(self.tr("steps with NaN or infinite elements: {count}").format(count=f"{bad:,}"))
        if gaps:
            texts.append(self.tr("steps that gave nothing: {count}").format(count=f"{gaps:,}"))
        texts.append(word_left(len(columns.steps), columns.left, translate))
        return "; ".join(filter(None, texts))

    @property
    def _is_log(self) -> bool:
        return self._series is not None and isinstance(self._series.kind, UpdateRatio)

    def _draw_items(self, lines: SeriesLines) -> None:
        self._gaps.set_gaps(lines.gaps)
        for item, band in zip(self._bands, lines.bands or (None, None), strict=True):
            item.set_band(band)
        for item, edge in zip(self._edges, lines.edges or (SeriesLines().line,) * 2, strict=True):
            _set_line(item, edge.x, edge.y)
        _set_line(self._line, lines.line.x, lines.line.y)
        self._lone.setData(lines.lone.x, lines.lone.y)
        inset = _MARK_PLACE * (lines.high - lines.low)
        self._bad.setData(lines.non_finite, np.full(len(lines.non_finite), lines.high - inset))
        self._zeros.setData(lines.zeros, np.full(len(lines.zeros), lines.low + inset))

    def _tell_value(self) -> None:
        columns, series = self._columns, self._series
        if columns is None or series is None or not len(columns.steps):
            self._value.setText("")
            return
        if self._pointed is None:
            self._value.setText(word_value(columns.point(series.id, -1), series.kind, translate))
            self._box.setToolTip("")
            return
        point = columns.point(series.id, columns.nearest(self._pointed))
        self._value.setText(f"{point.step:,}  {word_value(point, series.kind, translate)}")
        self._box.setToolTip(word_point(point, series.kind, translate))

    @Slot()
    def _note_zoom(self) -> None:
        (first, last), _ = self._box.viewRange()
        self.zoomed.emit(first, last)

    @Slot(object)
    def _take_click(self, click: Any) -> None:
        if click.button() != Qt.MouseButton.LeftButton or not self._is_inside(click.scenePos()):
            return
        if click.double():
            self.whole_requested.emit()
        elif self._columns is not None and len(self._columns.steps):
            place = self._box.mapSceneToView(click.scenePos()).x()
            self.step_chosen.emit(int(self._columns.steps[self._columns.nearest(place)]))

    @Slot(object)
    def _point(self, position: QPointF) -> None:
        pointed = round(self._box.mapSceneToView(position).x()) if self._is_inside(position) else None
        if pointed != self._pointed:
            self._pointed = pointed
            self._tell_value()

    def _is_inside(self, position: QPointF) -> bool:
        return bool(self._box.sceneBoundingRect().contains(position))

    def _assemble(self) -> None:
        self._kind.setProperty("quiet", True)
        self._value.setFont(fixed_font(self.font()))
        self._menu_button.setAutoRaise(True)
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu_button.setAccessibleName(self.tr("What can be done with this series"))
        title = QHBoxLayout()
        title.setSpacing(self.fontMetrics().averageCharWidth())
        title.addWidget(self._tensor, 1)
        for widget in (self._kind, self._value, self._menu_button):
            title.addWidget(widget)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(title)
        rows.addWidget(self._plot, 1)
        self._plot.setMinimumHeight(self.fontMetrics().lineSpacing() * LEAST_LINES)
        axis = ValueAxis("left")
        axis.setStyle(maxTextLevel=0, tickLength=-4, tickFont=tick_font(0.9))
        steps = StepAxis("bottom", tickLength=-4, tickFont=tick_font(0.9))
        self._plot.setAxisItems({"bottom": steps, "left": axis})
        axis.setTickDensity(_TICK_DENSITY)
        axis.setWidth(self.fontMetrics().horizontalAdvance("0" * _AXIS_CHARS))  # so that steps stand below each other
        self._box.setMouseEnabled(x=True, y=False)
        self._box.disableAutoRange()
        self._box.setDefaultPadding(0.0)
        self._box.setLimits(minXRange=_LEAST_STEPS)
        for item in (self._gaps, *self._bands, *self._edges, self._here, self._line, self._lone):
            self._plot.addItem(item)
        for item, symbol in ((self._bad, "t"), (self._zeros, "o")):
            item.setSymbol(symbol)
            self._plot.addItem(item)

    def _fill_menu(self) -> None:
        menu = QMenu(self._menu_button)
        for text, slot in (
            (self.tr("&Look at this tensor"), self._ask_for_tensor),
            (self.tr("Show &all steps"), self.whole_requested),
            (self.tr("&Export as CSV…"), self._ask_for_export),
            (self.tr("&Remove"), self._ask_for_removal),
        ):
            menu.addAction(text).triggered.connect(slot)
        self._menu_button.setMenu(menu)

    @Slot()
    def _ask_for_tensor(self) -> None:
        if self._series is not None:
            self.tensor_requested.emit(self._series.ref)

    @Slot()
    def _ask_for_export(self) -> None:
        if self._series is not None:
            self.export_requested.emit(self._series.id)

    @Slot()
    def _ask_for_removal(self) -> None:
        if self._series is not None:
            self.removal_requested.emit(self._series.id)

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        color = slot_color(self._series.ref.slot, theme) if self._series is not None else QColor(theme.accent)
        style_plot(self._plot, theme)
        self._menu_button.setIcon(icon("msc.ellipsis", theme.quiet))
        self._gaps.set_color(QColor(theme.quiet))
        for band, alpha in zip(self._bands, _BAND_ALPHAS, strict=True):
            band.setBrush(faded(color, alpha))
        for edge in self._edges:
            edge.setPen(pg.mkPen(faded(color, 0.55), width=1))
        self._line.setPen(pg.mkPen(color, width=1))
        self._style_marks(theme, color)

    def _style_marks(self, theme: Theme, color: QColor) -> None:
        size = round(0.5 * self.fontMetrics().height())
        for item, tint in ((self._lone, color), (self._bad, QColor(theme.trouble))):
            item.setBrush(tint)
        self._lone.setSize(max(size - 2, 3))
        self._bad.setSize(size + 2)
        self._zeros.setBrush(None)
        self._zeros.setPen(pg.mkPen(theme.quiet))
        self._zeros.setSize(size)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        super().leaveEvent(event)
        self._pointed = None
        self._tell_value()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, which pyqtgraph does not do by itself."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._drawn_key = ()
            self._apply_theme()


def _set_line(item: Any, x: Any, y: Any) -> None:
    """Give a curve its points; one without any finite point must not be given: it fails while painting."""
    shown = slice(None) if np.isfinite(y).any() else slice(0)
    item.setData(x[shown], y[shown])
