"""What the views have in common that draw lines, bars or points between two axes."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout, QWidget

from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.index_axis import IndexAxis
from hookscope.gui.panels.plots import Zoom, make_plot, slot_color, style_plot
from hookscope.gui.panels.subject import Subject
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Array

DRAWABLE = 1e100
"""Beyond this the drawing library's own arithmetic overflows; such values are drawn at this edge."""

MARGIN = 0.05
"""Room around all that is drawn, as a share of it."""


class PlotView(TensorView):
    """A plot that shows all of its data until a person zooms, and names what is under the pointer.

    Subclasses make their items in `add_items`, give them data in `draw_result`, and colours in `color_items`.

    Attributes:
        over_indices: Whether what lies along the bottom is counted and not measured.
    """

    over_indices: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self._ref: TensorRef | None = None
        self._slot = TensorSlot.OUTPUT
        self.plot_widget = make_plot(self)
        self.plot_widget.getAxis("left").setWidth(self.plot_widget.fontMetrics().horizontalAdvance("0" * 8))
        if self.over_indices:
            self.plot_widget.plotItem.setAxisItems({"bottom": IndexAxis("bottom")})
        self.zoom = Zoom(self.plot_widget)
        self.zoom.pointed.connect(self._name)
        self.add_items()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        controls = self.make_controls()
        if controls is not None:
            layout.addWidget(controls)
        layout.addWidget(self.plot_widget)
        self.apply_theme(theme_of(self.palette()))

    def add_items(self) -> None:
        """Put the items into the plot."""
        raise NotImplementedError

    def make_controls(self) -> QWidget | None:
        """Return the row above the plot, if there is one."""
        return None

    def draw_result(self, answer: ViewReady) -> None:
        """Give the items the data of an answer, and the zoom their area."""
        raise NotImplementedError

    def color_items(self, color: QColor, theme: Theme) -> None:
        """Give the items their colours; `color` is that of the slot."""
        raise NotImplementedError

    def text_at(self, point: QPointF) -> str:
        """Return what is at a place of the plot, in words."""
        raise NotImplementedError

    def aim(self, subject: Subject) -> None:
        """Let the axes go when another tensor comes."""
        if subject.ref != self._ref:
            self._ref = subject.ref
            self.zoom.start_over()

    def draw(self, answer: ViewReady) -> None:
        """Draw an answer, in the colour of its slot."""
        if answer.ref.slot is not self._slot:
            self._slot = answer.ref.slot
            self.apply_theme(theme_of(self.palette()))
        self.draw_result(answer)

    def plot(self) -> QGraphicsView | None:
        """Return the plot."""
        plot: QGraphicsView = self.plot_widget
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        style_plot(self.plot_widget, theme)
        self.color_items(slot_color(self._slot, theme), theme)

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit("")
        super().leaveEvent(event)

    @Slot(object)
    def _name(self, point: QPointF | None) -> None:
        self.pointed.emit(self.text_at(point) if point is not None else "")


def drawable(values: Array) -> npt.NDArray[np.float64]:
    """Return values as the drawing library can take them."""
    return np.clip(values.to_numpy().astype(np.float64), -DRAWABLE, DRAWABLE)


def with_margin(left: float, right: float, bottom: float, top: float) -> QRectF:
    """Return an area with some room around it."""
    wide, high = (right - left) * MARGIN, (top - bottom) * MARGIN
    return QRectF(left - wide, bottom - high, right - left + 2 * wide, top - bottom + 2 * high)
