"""What heatmap, channel grid and kernels share: a range bar above one picture."""

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGraphicsView, QVBoxLayout

from hookscope.figures.text import format_number
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.image_view import ImageView, Picture
from hookscope.gui.panels.range_bar import RangeBar
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Pixel

_MASKED = {Pixel.NAN: "NaN", Pixel.POS_INF: "+Inf", Pixel.NEG_INF: "-Inf"}
_CODES = tuple(Pixel)


class PictureView(TensorView):
    """One row of controls above one image. Subclasses make the picture and name what is under the pointer."""

    def __init__(self, *, with_axes: bool) -> None:
        super().__init__()
        self.range_bar = RangeBar()
        self.image = ImageView(with_axes=with_axes)
        self._picture: Picture | None = None
        self._shown: tuple[float, float] = (0.0, 0.0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.range_bar)
        layout.addWidget(self.image, 1)
        self.range_bar.levels_changed.connect(self._redraw)
        self.image.pointed.connect(self._name_pixel)
        self.apply_theme(theme_of(self.palette()))

    def show_picture(self, answer: ViewReady, picture: Picture, low: float, high: float) -> None:
        """Draw a picture whose finite values lie between `low` and `high`."""
        self._picture, self._shown = picture, (low, high)
        self.range_bar.take_data(answer.ref, low, high)
        self._redraw()

    def name_place(self, row: int, column: int) -> str:
        """Return what is at a place of the picture, without the value; `""` when nothing is."""
        raise NotImplementedError

    def remarks(self) -> str:
        """Count what is drawn in the colours of NaN and infinity."""
        if self._picture is None or self._picture.mask is None:
            return ""
        counts = np.bincount(self._picture.mask.ravel(), minlength=len(Pixel))
        colors = {
            Pixel.NAN: self.tr("magenta"),
            Pixel.POS_INF: self.tr("white"),
            Pixel.NEG_INF: self.tr("black"),
        }
        return ", ".join(
            f"{counts[_CODES.index(kind)]:,} {_MASKED[kind]} ({color})"
            for kind, color in colors.items()
            if counts[_CODES.index(kind)]
        )

    def summary(self) -> str:
        """Return the size and the range in words."""
        if self._picture is None:
            return ""
        rows, columns = self._picture.size
        low, high = (format_number(float(value)) for value in self._shown)
        text = self.tr("picture of {rows} by {columns}, from {low} to {high}")
        parts = [text.format(rows=rows, columns=columns, low=low, high=high), self.remarks()]
        return ", ".join(filter(None, parts))

    def plot(self) -> QGraphicsView | None:
        """Return the picture's plot."""
        plot: QGraphicsView = self.image.plot_widget
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        self.image.apply_theme(theme)
        self._redraw()

    @Slot()
    def _redraw(self) -> None:
        if self._picture is not None:
            theme = theme_of(self.palette())
            self.image.draw(self._picture, self.range_bar.levels, theme, signed=self.range_bar.is_symmetric)

    @Slot(int, int)
    def _name_pixel(self, row: int, column: int) -> None:
        place = self.name_place(row, column) if row >= 0 and self._picture is not None else ""
        self.pointed.emit(f"{place} = {self._value_text(row, column)}" if place else "")

    def _value_text(self, row: int, column: int) -> str:
        assert self._picture is not None
        pixels, mask = self._picture.pixels, self._picture.mask
        at = row * pixels.shape[0] // self._picture.size[0], column * pixels.shape[1] // self._picture.size[1]
        if mask is not None and mask[at]:
            return _MASKED[_CODES[mask[at]]]
        return format_number(float(pixels[at]))


def mask_of(mask: npt.NDArray[np.generic] | None) -> npt.NDArray[np.uint8] | None:
    """Return a mask as bytes."""
    return None if mask is None else mask.astype(np.uint8, copy=False)
