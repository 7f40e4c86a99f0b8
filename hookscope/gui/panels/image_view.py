"""The shared picture: one image, one outlined cell, and what the pointer and the keys do to it."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from hookscope.figures.levels import Levels, Mark, color_indices, thin_out
from hookscope.gui.panels.keys import Command, command_of
from hookscope.gui.panels.picture_item import CellOutline, InfinityMarks, PictureItem
from hookscope.gui.panels.plots import index_ticks, make_plot, style_plot
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.views import Pixel

_ELONGATED = 4.0
"""A picture longer than this is not drawn with square pixels: it would be a thread."""
_MOST_TRIANGLES = 400

OUTLINE = "#f0b429"
"""Colour of what is picked: of what is at hand, on a picture that is as bright or dark in either theme."""


@dataclass(frozen=True)
class Picture:
    """What to draw.

    Attributes:
        pixels: `(rows, columns)` float32, at least one, finite; or `(rows, columns, 3)` uint8: colours as they are.
        mask: `(rows, columns)` uint8, an index of `Pixel` or the gutter of `figures.grid`; `None` when all is finite.
        size: Rows and columns of the axes; more than the pixels when the tensor was strided.
        stride: Every how many-th row and column of the axes the pixels are.
        is_spatial: Whether rows and columns are alike, so that pixels should be square.
    """

    pixels: npt.NDArray[np.float32] | npt.NDArray[np.uint8]
    mask: npt.NDArray[np.uint8] | None
    size: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    is_spatial: bool = True

    @property
    def is_colored(self) -> bool:
        """Whether the pixels are colours and no values."""
        return self.pixels.ndim == 3

    def at(self, row: int, column: int) -> tuple[int, int]:
        """Return which pixel a place on the axes is drawn as."""
        return row // self.stride[0], column // self.stride[1]


@dataclass(frozen=True)
class Look:
    """How values become colours.

    Attributes:
        table: Colours of the entries, `(256, 4)`, see `colormaps.lookup_table`.
        levels: Values of the first and of the last shade.
        marks_negative: Whether values below zero have a colour of their own.
        marks_clipped: Whether values outside the levels have.
    """

    table: npt.NDArray[np.uint8]
    levels: Levels
    marks_negative: bool = False
    marks_clipped: bool = False


class ImageView(QWidget):
    """Draws a `Picture` as a `Look` says; wheel zooms, drag moves, a double click shows all again.

    Signals:
        pointed: Row and column on the axes under the pointer; -1, -1 when there is none.
        clicked: Row and column on the axes that were clicked.
        menu_requested: The same with the other button, and where on the screen (`QPoint`).
        commanded: A `Command` was given by its key.
        reshaped: The ratio of width to height has become another one.
        zoomed: A person looks at another part: a `QRectF` in shares of the picture, `None` for all of it.
    """

    pointed = Signal(int, int)
    clicked = Signal(int, int)
    menu_requested = Signal(int, int, object)
    commanded = Signal(object)
    reshaped = Signal()
    zoomed = Signal(object)

    def __init__(self, *, with_axes: bool) -> None:
        super().__init__()
        self._picture: Picture | None = None
        self._look: Look | None = None
        self._indices: npt.NDArray[np.uint8] | None = None
        self._is_locked: bool | None = None
        self._is_marked = False
        self._every = 0
        self._aspect = 1.0
        self._is_zoomed = False
        self._has_axes = with_axes
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot_widget = make_plot(self)
        self.plot_widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a click on it gives the focus to this widget
        item = self.plot_widget.plotItem
        for side in ("left", "bottom"):
            item.showAxis(side, with_axes)
        self._box = item.getViewBox()
        self._box.invertY(True)
        self._box.setDefaultPadding(0.01)
        self._box.disableAutoRange()
        self._item = PictureItem()
        self._outline = CellOutline()
        self._infinities = InfinityMarks()
        self._infinities.setZValue(1)
        self._outline.setZValue(2)
        self._outline.setVisible(False)
        for part in (self._item, self._infinities, self._outline):
            self._box.addItem(part)
        self._box.sigResized.connect(self._refit)
        self._box.sigRangeChangedManually.connect(self._note_zoom)
        self._box.sigRangeChanged.connect(self._follow_range)
        scene = self.plot_widget.scene()
        scene.sigMouseMoved.connect(self._point)
        scene.sigMouseClicked.connect(self._take_click)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)  # room for the frame of the focus
        layout.addWidget(self.plot_widget)

    @property
    def aspect(self) -> float:
        """Width by height of the room for the picture."""
        return self._aspect

    def draw(self, picture: Picture, look: Look) -> None:
        """Draw a picture; the part that is looked at stays the same as long as its size does."""
        before = self._picture.size if self._picture is not None else None
        self._picture, self._look = picture, look
        self._is_marked = picture.mask is not None and bool(((picture.mask > 0) & (picture.mask < len(Pixel))).any())
        self._indices = None
        if picture.pixels.dtype == np.float32 and not picture.is_colored:
            self._indices = color_indices(
                picture.pixels,  # type: ignore[arg-type]
                picture.mask,
                look.levels,
                marks_negative=look.marks_negative,
                marks_clipped=look.marks_clipped,
            )
        rows, columns = picture.size
        is_locked = picture.is_spatial or max(rows, columns) / min(rows, columns) <= _ELONGATED
        if (picture.size, is_locked) != (before, self._is_locked):
            self._is_locked = is_locked
            self._box.setAspectLocked(is_locked)
            self._fit()
        self._every = self._wanted_every()
        self._infinities.show_cells(_infinite_cells(picture) if self._is_marked else (), QRectF(0, 0, columns, rows))
        self._paint()

    @property
    def part(self) -> QRectF | None:
        """What a person looks at, in shares of the picture; `None` while it is all of it."""
        if self._picture is None or not self._is_zoomed:
            return None
        rows, columns = self._picture.size
        seen = self._box.viewRect()
        return QRectF(seen.x() / columns, seen.y() / rows, seen.width() / columns, seen.height() / rows)

    def show_part(self, part: QRectF | None) -> None:
        """Show a part in shares of the picture, or all of it, and tell nobody."""
        if part is None or self._picture is None:
            self._fit()
            return
        self._is_zoomed = True
        rows, columns = self._picture.size
        seen = QRectF(part.x() * columns, part.y() * rows, part.width() * columns, part.height() * rows)
        self._box.setRange(seen, padding=0)

    def show_all(self) -> None:
        """Show the whole picture."""
        self._fit()
        self.zoomed.emit(None)

    def _fit(self) -> None:
        self._is_zoomed = False
        if self._picture is not None:
            rows, columns = self._picture.size
            self._box.setRange(QRectF(0, 0, columns, rows))

    def outline(self, place: tuple[int, int] | None) -> None:
        """Frame the cell at a row and column of the axes; none with `None`."""
        self._outline.setVisible(place is not None and self._picture is not None)
        if place is None or self._picture is None:
            return
        height, width = self._picture.stride
        row, column = place[0] // height * height, place[1] // width * width
        self._outline.show_cell(QRectF(column, row, width, height), QColor(OUTLINE))
        seen = self._box.viewRect()
        if not seen.contains(QPointF(column + width / 2, row + height / 2)):
            self._box.setRange(seen.translated(QPointF(column, row) - seen.center()), padding=0)

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme for everything but the picture, which `draw` colours."""
        style_plot(self.plot_widget, theme)

    def event(self, event: QEvent) -> bool:
        """Keep the keys of a picture for it, also where the window has a shortcut for them."""
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if is_key and command_of(event) is not None:  # type: ignore[arg-type]
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell which command a key is."""
        command = command_of(event)
        if command is None:
            super().keyPressEvent(event)
        elif command is Command.SHOW_ALL:
            self.show_all()
        else:
            self.commanded.emit(command)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell when the room has another shape."""
        super().resizeEvent(event)
        before = self._aspect
        self._aspect = max(self.width(), 1) / max(self.height(), 1)
        if abs(self._aspect / before - 1.0) > 0.05:
            self.reshaped.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame the picture while keys act on it."""
        del event
        theme = theme_of(self.palette())
        painter = QPainter(self)
        try:
            painter.setPen(QColor(theme.accent if self.hasFocus() else theme.window))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        finally:
            painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the frame."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the frame away."""
        super().focusOutEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the pointer."""
        self.pointed.emit(-1, -1)
        super().leaveEvent(event)

    def _paint(self) -> None:
        picture, look = self._picture, self._look
        if picture is None or look is None:
            return
        height, width = picture.stride
        if self._indices is None:
            rows, columns = picture.pixels.shape[:2]
            self._item.show_colors(_with_marks(picture, look), QRectF(0, 0, columns * width, rows * height))
            return
        thin = thin_out(self._indices, self._every)
        rows, columns = thin.shape[0] * self._every, thin.shape[1] * self._every
        self._item.show_indices(thin, look.table, QRectF(0, 0, columns * width, rows * height))

    def _wanted_every(self) -> int:
        """Return how many pixels share one of the screen, for what is thinned out here loses no NaN."""
        if self._picture is None or not self._box.width() or not self._box.height():
            return 1
        seen = self._box.viewRect()
        height, width = self._picture.stride
        crowd = max(seen.width() / width / self._box.width(), seen.height() / height / self._box.height())
        return max(math.ceil(crowd - 0.01) if self._is_marked else int(crowd), 1)

    @Slot()
    def _refit(self) -> None:
        if not self._is_zoomed:
            self._fit()
        self._thin_again()

    @Slot()
    def _note_zoom(self) -> None:
        self._is_zoomed = True
        self.zoomed.emit(self.part)

    @Slot()
    def _follow_range(self) -> None:
        self._mark_axes()
        self._thin_again()

    def _thin_again(self) -> None:
        every = self._wanted_every()
        if self._every and every != self._every:
            self._every = every
            self._paint()

    def _mark_axes(self) -> None:
        if self._picture is None or not self._has_axes:
            return
        seen, area = self._box.viewRange(), self._box.sceneBoundingRect()
        metrics = self.plot_widget.fontMetrics()
        for side, span, size, length, room in (
            ("left", seen[1], self._picture.size[0], area.height(), metrics.height()),
            ("bottom", seen[0], self._picture.size[1], area.width(), metrics.horizontalAdvance("0" * 5)),
        ):
            drawn = length * (min(span[1], size) - max(span[0], 0)) / max(span[1] - span[0], 1e-9)
            self.plot_widget.getAxis(side).setTicks([index_ticks(span[0], span[1], size, int(drawn / room))])

    def _place(self, position: QPointF) -> tuple[int, int] | None:
        if self._picture is None or not self._box.sceneBoundingRect().contains(position):
            return None
        point = self._box.mapSceneToView(position)
        rows, columns = self._picture.size
        is_inside = 0 <= point.y() < rows and 0 <= point.x() < columns
        return (int(point.y()), int(point.x())) if is_inside else None

    @Slot(object)
    def _point(self, position: QPointF) -> None:
        self.pointed.emit(*(self._place(position) or (-1, -1)))

    @Slot(object)
    def _take_click(self, click: object) -> None:
        place = self._place(click.scenePos())  # type: ignore[attr-defined]
        if click.button() == Qt.MouseButton.RightButton:  # type: ignore[attr-defined]
            self.menu_requested.emit(*(place or (-1, -1)), click.screenPos().toPoint())  # type: ignore[attr-defined]
        elif click.double():  # type: ignore[attr-defined]
            self.show_all()
        elif place is not None:
            self.clicked.emit(*place)


def _infinite_cells(picture: Picture) -> list[tuple[QRectF, bool]]:
    """Return the cells that are infinite, and whether positively; none when there are too many to be told apart."""
    assert picture.mask is not None
    codes = list(Pixel)
    positive, negative = codes.index(Pixel.POS_INF), codes.index(Pixel.NEG_INF)
    rows, columns = np.nonzero((picture.mask == positive) | (picture.mask == negative))
    if len(rows) > _MOST_TRIANGLES:
        return []
    height, width = picture.stride
    return [
        (QRectF(column * width, row * height, width, height), bool(picture.mask[row, column] == positive))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _with_marks(picture: Picture, look: Look) -> npt.NDArray[np.uint8]:
    colors: npt.NDArray[np.uint8] = picture.pixels.astype(np.uint8)
    if picture.mask is not None:
        marked = picture.mask != 0
        colors[marked] = look.table[picture.mask[marked] + (Mark.NAN - 1), :3]
    return colors
