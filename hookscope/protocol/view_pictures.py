"""Results that are drawn pixel by pixel."""

from enum import StrEnum

import msgspec

from hookscope.protocol.tensors import Array
from hookscope.protocol.view_axes import Axes, Part


class Pixel(StrEnum):
    """What a byte of a mask says, by its index in this enum: 0 finite, 1 NaN, 2 +Inf, 3 -Inf."""

    FINITE = "finite"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class Image(msgspec.Struct, frozen=True, tag="image"):
    """A 2-D picture.

    Attributes:
        pixels: `(rows, columns)` float32, finite everywhere.
        mask: `(rows, columns)` uint8, see `Pixel`; `None` when all is finite.
        low: Smallest finite pixel.
        high: Largest finite pixel.
        rows: Rows of the plane; more than the picture has when it was strided.
        columns: Columns of the plane.
        row_stride: Every how many-th row is shown.
        column_stride: Every how many-th column is shown.
        shape: Of the tensor.
        axes: Which dims are shown, and which entry of the others, for this shape.
        part: What is drawn of each value; of a complex tensor `value` is answered as `magnitude`.
        seen: Elements that were looked at.
        count: Elements of the plane.
    """

    pixels: Array
    mask: Array | None
    low: float
    high: float
    rows: int
    columns: int
    row_stride: int = 1
    column_stride: int = 1
    shape: tuple[int, ...] = ()
    axes: Axes = Axes()
    part: Part = Part.VALUE
    seen: int = 0
    count: int = 0


class RgbImage(msgspec.Struct, frozen=True, tag="rgb_image"):
    """A picture in colours.

    Attributes:
        pixels: `(rows, columns, 3)` uint8; 0 where a channel is not finite.
        mask: `(rows, columns)` uint8, see `Pixel`: the first channel that is not finite; `None` when all are.
        low: The value that is 0 in `pixels`.
        high: The value that is 255.
        rows: Rows of the plane.
        columns: Columns of the plane.
        row_stride: Every how many-th row is shown.
        column_stride: Every how many-th column is shown.
        shape: Of the tensor.
        axes: Which dims are shown; `tiles` is that of the channels.
        picks: The channels that are red, green and blue.
        seen: Elements that were looked at.
        count: Elements of the three planes.
    """

    pixels: Array
    mask: Array | None
    low: float
    high: float
    rows: int
    columns: int
    row_stride: int = 1
    column_stride: int = 1
    shape: tuple[int, ...] = ()
    axes: Axes = Axes()
    picks: tuple[int, int, int] = (0, 1, 2)
    seen: int = 0
    count: int = 0


class Tiles(msgspec.Struct, frozen=True, tag="tiles"):
    """A page of equal 2-D tiles with one common range.

    Attributes:
        pixels: `(tiles, rows, columns)` float32, finite everywhere.
        mask: The same shape in uint8, see `Pixel`; `None` when all is finite.
        labels: What each tile is: `(channel,)`, or `(output, input)` for kernels.
        columns: Tiles per row that the data itself asks for (kernels: input channels), or 0 for "as you like".
        low: Smallest finite pixel of the page.
        high: Largest finite pixel of the page.
        page: Which page this is.
        pages: How many there are.
        total: Tiles on all pages.
        stride: Every how many-th row and column is shown.
        shape: Of the tensor; of recomputed attention, of the weights `(samples, heads, queries, keys)`.
        axes: Which dims are shown, and which entry of the others, for this shape.
        part: What is drawn of each value; of a complex tensor `value` is answered as `magnitude`.
        recomputed: Whether the pixels are no captured values, but were computed from captured ones.
        seen: Elements that were looked at.
        count: Elements of the page's tiles.
    """

    pixels: Array
    mask: Array | None
    labels: tuple[tuple[int, ...], ...]
    columns: int
    low: float
    high: float
    page: int
    pages: int
    total: int
    stride: int = 1
    shape: tuple[int, ...] = ()
    axes: Axes = Axes()
    part: Part = Part.VALUE
    recomputed: bool = False
    seen: int = 0
    count: int = 0
