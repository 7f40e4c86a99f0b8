"""Plot widgets as every view wants them: no menus of pyqtgraph's own, the colours of the theme."""

import math
from collections.abc import Iterator
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QWidget

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.calm import Calm
from hookscope.gui.theme import Theme
from hookscope.protocol.identity import Slot as TensorSlot

_SIDES = ("left", "bottom")
_FEWEST_LINES = 2
"""So low may a plot become, in lines of text; what Qt asks for by itself is too much for a small window."""
_MOST_MARKS = 8
"""Indices marked along an axis at most."""


def make_plot(parent: QWidget) -> pg.PlotWidget:
    """Return an empty plot; `style_plot` gives it its colours."""
    plot = pg.PlotWidget(parent, enableMenu=False)
    plot.setFrameShape(QFrame.Shape.NoFrame)
    plot.setMinimumHeight(plot.fontMetrics().lineSpacing() * _FEWEST_LINES)
    plot.plotItem.hideButtons()
    menu = plot.plotItem.ctrlMenu  # never shown, but a window without an owner otherwise
    menu.setParent(plot, menu.windowFlags())
    plot.plotItem.layout.setContentsMargins(0, 2, 6, 0)
    font = fixed_font(0.9)
    for side in _SIDES:
        plot.getAxis(side).setStyle(tickFont=font, tickLength=-4)
    return plot


def style_plot(plot: pg.PlotWidget, theme: Theme) -> None:
    """Give a plot the colours of a theme."""
    plot.setBackground(QColor(theme.window))
    for side in _SIDES:
        axis = plot.getAxis(side)
        axis.setPen(QColor(theme.line))
        axis.setTextPen(QColor(theme.quiet))


def slot_color(slot: TensorSlot, theme: Theme) -> QColor:
    """Return the colour of a curve: what forward gives is blue, what backward gives is orange."""
    return QColor(theme.backward if slot.is_gradient else theme.forward)


def faded(color: QColor, alpha: float) -> QColor:
    """Return a colour made translucent."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


class Zoom(QObject):
    """Keeps a plot on all of its data until a person zooms or drags; a double click goes back.

    Signals:
        pointed: Place under the pointer in the plot's coordinates, as `QPointF`, or `None` outside.
    """

    pointed = Signal(object)

    def __init__(self, plot: pg.PlotWidget) -> None:
        super().__init__(plot)
        self._box = plot.plotItem.getViewBox()
        self._area = QRectF()
        self._settled: QRectF | None = None
        self._is_zoomed = False
        self._calm = Calm(self)
        self._calm.settled.connect(self._settle)
        self._box.setDefaultPadding(0.0)
        self._box.disableAutoRange()  # it would look at all data at every change, and cannot take NaN
        self._box.sigRangeChangedManually.connect(self._note)
        plot.scene().sigMouseClicked.connect(self._take_click)
        plot.scene().sigMouseMoved.connect(self._point)

    def start_over(self) -> None:
        """Let the next area be shown as it is: it is of something else."""
        self._calm.start_over()

    def show_all(self) -> None:
        """Go back to all of the data, and let the next area be shown as it is: its axes mean something else."""
        self._is_zoomed = False
        self.start_over()

    def fit(self, area: QRectF) -> None:
        """Note what all of new data is, and show it unless a person looks at a part of it.

        While data come fast, what is in sight only grows, so that the axes do not jump about.
        """
        if self._calm.note():
            self.adjust(area)
        else:
            self._settled = area
            self._show(area.united(self._area))

    def adjust(self, area: QRectF) -> None:
        """Note that the same data take another area now."""
        self._settled = None
        self._show(area)

    def _show(self, area: QRectF) -> None:
        is_other, self._area = area != self._area, area
        if is_other and not self._is_zoomed:
            self._box.setRange(area)

    @Slot()
    def _settle(self) -> None:
        if self._settled is not None:
            self.adjust(self._settled)

    @Slot()
    def _note(self) -> None:
        self._is_zoomed = True

    @Slot(object)
    def _take_click(self, click: Any) -> None:
        if click.double() and click.button() == Qt.MouseButton.LeftButton:
            self._is_zoomed = False
            self._box.setRange(self._area)

    @Slot(object)
    def _point(self, position: QPointF) -> None:
        is_inside = self._box.sceneBoundingRect().contains(position)
        self.pointed.emit(self._box.mapSceneToView(position) if is_inside else None)


def index_ticks(first: float, last: float, size: int, room: int) -> list[tuple[float, str]]:
    """Mark some of so many indices between two places, each at the middle of its row or column.

    Args:
        first: Where what is in sight begins.
        last: Where it ends.
        size: How many indices there are.
        room: How many marks there is room for; without any, the first index is marked.
    """
    begin, end = max(int(first), 0), min(math.ceil(last), size)
    most = max(min(room, _MOST_MARKS), 1)
    step = next(step for step in _steps() if end - begin <= step * most)
    return [(index + 0.5, str(index)) for index in range(math.ceil(begin / step) * step, end, step)]


def _steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, ..."""
    decade = 1
    while True:
        yield from (decade, 2 * decade, 5 * decade)
        decade *= 10
