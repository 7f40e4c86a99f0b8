"""What heatmap, channel grid and kernels share: one row of controls, one picture, and one line with its legend."""

from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGraphicsView, QHBoxLayout, QVBoxLayout

from hookscope.figures.levels import Levels
from hookscope.figures.scenes import Scene
from hookscope.figures.text import format_number
from hookscope.gui.colormaps import lookup_table
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.color_bar import ColorBar
from hookscope.gui.panels.health_source import HealthSource
from hookscope.gui.panels.image_view import ImageView, Look, Picture
from hookscope.gui.panels.overlays import HealthLine
from hookscope.gui.panels.picker import Ask
from hookscope.gui.panels.range_bar import RangeBar
from hookscope.gui.panels.range_control import RangeControl
from hookscope.gui.panels.sample_banner import SampleBanner, SampleNote
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.tensor_memory import TensorKey, TensorMemory, key_of
from hookscope.gui.panels.whole_count import WholeCount
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Image, Part, Pixel, RgbImage, StatisticsRequest, Tiles, is_sample

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion

PIXELS = tuple(Pixel)
"""What the bytes of a mask are the indices of."""
_MASKED = {Pixel.NAN: "NaN", Pixel.POS_INF: "+Inf", Pixel.NEG_INF: "-Inf"}


class PictureView(TensorView):
    """Draws pictures with their range and their legend; subclasses make the pictures.

    Attributes:
        control: The range.
        range_bar: The row of controls.
        banner: The line that says so when the picture, or the counts below it, are not of all elements.
        image: The picture.
        color_bar: The range as a strip of its colours, while no histogram of the tensor is in sight.
    """

    def __init__(self, *, with_axes: bool) -> None:
        super().__init__()
        self._subject: Subject | None = None
        self._key: TensorKey | None = None
        self._result: Image | RgbImage | Tiles | None = None
        self._picture: Picture | None = None
        self._scene: Scene | None = None
        self.control = RangeControl(self)
        self.range_bar = RangeBar(self.control)
        self._health = HealthSource(self)
        self.banner = SampleBanner()
        self._whole = WholeCount(self.banner, self)
        self.image = ImageView(with_axes=with_axes)
        self._health_line = HealthLine()
        self.color_bar = ColorBar()
        footer = QHBoxLayout()
        footer.setSpacing(6)
        footer.addWidget(self._health_line, 1)
        footer.addWidget(self.color_bar)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.range_bar)
        layout.addWidget(self.banner)
        layout.addWidget(self.image, 1)
        layout.addLayout(footer)
        self._connect()
        self.apply_theme(theme_of(self.palette()))

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee for what the picture cannot tell.

        Args:
            memory: What was chosen for each tensor.
            ask: See `Ask`.
        """
        self.control.memory.bars_changed.disconnect(self._show_bar)
        self.control.use(memory)
        memory.bars_changed.connect(self._show_bar)
        self._health.use(ask)

    def count_with(self, counter: "LongQuestion") -> None:
        """Take what has all elements counted."""
        self._whole.use(counter)

    def aim(self, subject: Subject) -> None:
        """Turn to a tensor."""
        key = key_of(subject)
        is_other = key != self._key
        self._subject, self._key = subject, key
        self.control.aim(subject)
        if is_other:
            self._health.start_over()
            self._whole.start_over()

    def show_scene(self, answer: ViewReady, picture: Picture, scene: Scene) -> None:
        """Draw the picture of an answer's result."""
        result = answer.result
        assert isinstance(result, Image | RgbImage | Tiles)
        self._result, self._picture, self._scene = result, picture, scene
        values = None if picture.is_colored else cast("npt.NDArray[np.float32]", picture.pixels)
        if values is not None:
            part = Part.VALUE if isinstance(result, RgbImage) else result.part
            self.control.take_data((result.low, result.high), values, picture.mask, part)
        else:
            self.control.take_data((result.low, result.high), np.zeros(0, np.float32), None)
        self._health.note(answer, values, picture.mask)
        self._whole.note(answer, self._note())
        self._show_bar(self._key)
        self._redraw()

    def remarks(self) -> str:
        """Say what only a part of the tensor is shown of."""
        return ""

    def summary(self) -> str:
        """Return the size, the range and the counts in words."""
        if self._picture is None or self._result is None:
            return ""
        rows, columns = self._picture.size
        low, high = (format_number(float(value)) for value in (self._result.low, self._result.high))
        text = self.tr("picture of {rows} by {columns}, from {low} to {high}")
        banner = self.banner.text
        parts = [text.format(rows=rows, columns=columns, low=low, high=high), self._health_line.text, banner]
        return ", ".join(filter(None, (*parts, self.remarks())))

    def plot(self) -> QGraphicsView | None:
        """Return the picture's plot."""
        plot: QGraphicsView = self.image.plot_widget
        return plot

    def apply_theme(self, theme: Theme) -> None:
        """Draw again in other colours."""
        self.image.apply_theme(theme)
        self._redraw()

    def _connect(self) -> None:
        self.control.changed.connect(self._follow_control)
        self.control.memory.bars_changed.connect(self._show_bar)
        self.range_bar.marks_changed.connect(self._redraw)
        self.color_bar.dragged.connect(self._drag)
        self._health.changed.connect(self._show_health)
        self.banner.count_requested.connect(self._count_all)
        self._whole.counted.connect(self._take_counts)

    @property
    def _levels(self) -> Levels:
        result = self._result
        if isinstance(result, RgbImage) and result.low < result.high:
            return result.low, result.high  # the debuggee has made the colours
        return self.control.levels

    def _note(self) -> SampleNote | None:
        """Return what there is to say of how much is drawn, and of what the counts are."""
        result = self._result
        assert result is not None
        can_count = self._health.needs_asking
        if is_sample(result):
            text = self.tr("showing 1/{share}: {strides}")
            share = format_number(round(result.count / result.seen))
            return SampleNote(text.format(share=share, strides=self._strides()), can_count=can_count, stays=True)
        return SampleNote(self.tr("counted in this picture only, not in the whole tensor")) if can_count else None

    def _strides(self) -> str:
        result = self._result
        if isinstance(result, Tiles):
            return self.tr("rows and columns of each tile in steps of {stride}").format(stride=result.stride)
        assert result is not None
        text = self.tr("rows in steps of {rows}, columns in steps of {columns}, of {all_rows} × {all_columns}")
        return text.format(
            rows=result.row_stride,
            columns=result.column_stride,
            all_rows=f"{result.rows:,}",
            all_columns=f"{result.columns:,}",
        )

    @Slot()
    def _redraw(self) -> None:
        if self._picture is None:
            return
        table = lookup_table(theme_of(self.palette()), signed=self.control.is_symmetric, choice=self.control.color_map)
        marks = self.range_bar.marks_negative.isChecked(), self.range_bar.marks_clipped.isChecked()
        look = Look(table, self._levels, *marks)
        self.image.draw(self._picture, look)
        self.color_bar.show_range(look, self.control.extent)
        self.range_bar.show_range()
        self._show_health()

    @Slot()
    def _follow_control(self) -> None:
        if self._picture is not None and self._picture.is_colored:
            self.request_changed.emit()
        self._redraw()

    @Slot()
    def _count_all(self) -> None:
        self._whole.ask(StatisticsRequest())

    @Slot()
    def _take_counts(self) -> None:
        if self._whole.answer is not None:
            self._health.take(self._whole.answer)

    @Slot()
    def _show_health(self) -> None:
        outside = None
        picture = self._picture
        if picture is not None and not picture.is_colored and self.range_bar.marks_clipped.isChecked():
            is_value = np.ones(1, bool) if picture.mask is None else picture.mask == 0
            low, high = (np.float32(level) for level in self._levels)
            outside = tuple(
                int(np.count_nonzero(beyond & is_value)) for beyond in (picture.pixels < low, picture.pixels > high)
            )
        self._health_line.show_health(
            self._health.health,
            marks_negative=self.range_bar.marks_negative.isChecked(),
            outside=cast("tuple[int, int] | None", outside),
        )

    @Slot(object)
    def _show_bar(self, key: TensorKey | None) -> None:
        if key is not None and key == self._key:
            is_colored = self._picture is not None and self._picture.is_colored
            self.color_bar.setVisible(not is_colored and not self.control.memory.has_bar(key))

    @Slot(float, float, bool)
    def _drag(self, low: float, high: float, goes_on: bool) -> None:
        self.control.drag_levels((low, high), goes_on=goes_on)

    def value_text(self, row: int, column: int) -> str:
        """Return the value that is drawn at a place."""
        assert self._picture is not None
        at = self._picture.at(row, column)
        pixels, mask = self._picture.pixels, self._picture.mask
        if mask is not None and mask[at] < len(PIXELS) and mask[at]:
            return _MASKED[PIXELS[mask[at]]]
        if self._picture.is_colored:
            return ", ".join(str(channel) for channel in pixels[at])
        return format_number(float(pixels[at]))


def mask_of(mask: npt.NDArray[np.generic] | None) -> npt.NDArray[np.uint8] | None:
    """Return a mask as bytes."""
    return None if mask is None else mask.astype(np.uint8, copy=False)
