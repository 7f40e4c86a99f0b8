"""Views: what a panel asks for, and the small result that it draws.

A request names the kind by its class; the result is small whatever the tensor's size. Every request class is a row of
the engine's builder table and of the window's panel table.
"""

from enum import StrEnum

import msgspec

from hookscope.protocol.tensors import Array


class StatisticsRequest(msgspec.Struct, frozen=True, tag="statistics"):
    """Asks for `Statistics`."""


class HistogramRequest(msgspec.Struct, frozen=True, tag="histogram"):
    """Asks for a `Histogram` of the finite values, between `low` and `high` (their own range by default)."""

    bins: int = 128
    low: float | None = None
    high: float | None = None


class HeatmapRequest(msgspec.Struct, frozen=True, tag="heatmap"):
    """Asks for an `Image` of the last two dims; `index` picks one entry of each leading dim (0 where it is short)."""

    index: tuple[int, ...] = ()
    max_side: int = 1024


class GridRequest(msgspec.Struct, frozen=True, tag="grid"):
    """Asks for `Tiles`, one per channel.

    `(C, H, W)` has C channels, `(N, C, H, W)` has the C channels of `sample`; more dims: leading ones are at index 0.
    """

    sample: int = 0
    page: int = 0
    max_tiles: int = 64
    max_pixels: int = 1_048_576


class KernelRequest(msgspec.Struct, frozen=True, tag="kernels"):
    """Asks for `Tiles` of a convolution weight `(O, I, ...)`: one row of tiles per output channel, a column per input.

    1-D kernels are drawn one pixel high; of 3-D kernels the middle plane is shown.
    """

    page: int = 0
    max_tiles: int = 256


class CurveRequest(msgspec.Struct, frozen=True, tag="curve"):
    """Asks for a `Curve` of a 1-D tensor, or of a 0-D one as a single point; more dims are flattened."""

    max_points: int = 2048


class TableRequest(msgspec.Struct, frozen=True, tag="table"):
    """Asks for a `Table`: a window of exact values of the last two dims; `index` picks the leading dims."""

    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0
    rows: int = 100
    columns: int = 50


ViewRequest = (
    StatisticsRequest | HistogramRequest | HeatmapRequest | GridRequest | KernelRequest | CurveRequest | TableRequest
)


class Statistics(msgspec.Struct, frozen=True, tag="statistics"):
    """Exact counts and moments of all values; complex values are counted by their magnitude.

    `minimum` ... `norm` are of the finite values, and `None` when there are none. `std` is the population's.
    """

    count: int
    minimum: float | None
    maximum: float | None
    mean: float | None
    std: float | None
    norm: float | None
    negative: int
    zero: int
    positive: int
    nan: int
    pos_inf: int
    neg_inf: int


class Histogram(msgspec.Struct, frozen=True, tag="histogram"):
    """Counts between `low` and `high` in equal bins (int64), and everything that is in no bin."""

    counts: Array
    low: float
    high: float
    below: int
    above: int
    nan: int
    pos_inf: int
    neg_inf: int
    integer: bool = False


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
        rows: Rows of the tensor; more than the picture has when it was strided.
        columns: Columns of the tensor.
        row_stride: Every how many-th row is shown.
        column_stride: Every how many-th column is shown.
        index: Index of the leading dims that is shown.
        leading: Sizes of the leading dims.
    """

    pixels: Array
    mask: Array | None
    low: float
    high: float
    rows: int
    columns: int
    row_stride: int = 1
    column_stride: int = 1
    index: tuple[int, ...] = ()
    leading: tuple[int, ...] = ()


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
        sample: Which sample of the batch is shown.
        samples: How many there are.
        stride: Every how many-th row and column is shown.
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
    sample: int = 0
    samples: int = 1
    stride: int = 1


class Curve(msgspec.Struct, frozen=True, tag="curve"):
    """Values over the index; a long tensor comes as the envelope of equal runs of `stride` elements.

    Attributes:
        low: Smallest finite value of each run, float64; NaN where a run has none.
        high: Largest finite value of each run; the same array as `low` when `stride` is 1.
        stride: Elements per point.
        count: Elements in all.
        non_finite: Elements that are NaN or infinite.
    """

    low: Array
    high: Array
    stride: int
    count: int
    non_finite: int


class Table(msgspec.Struct, frozen=True, tag="table"):
    """A window of exact values as text.

    Attributes:
        cells: Rows of texts; every value reads back exactly in the tensor's dtype.
        row: Index of the first row shown.
        column: Index of the first column shown.
        rows: Rows of the tensor (1-D: its elements, in one column; 0-D: 1).
        columns: Columns of the tensor.
        index: Index of the leading dims that is shown.
        leading: Sizes of the leading dims.
    """

    cells: tuple[tuple[str, ...], ...]
    row: int
    column: int
    rows: int
    columns: int
    index: tuple[int, ...] = ()
    leading: tuple[int, ...] = ()


class NoPictureReason(StrEnum):
    """Why there is nothing to draw. The window words each one."""

    EMPTY = "empty"
    """The tensor has no elements."""
    NOT_CAPTURED = "not_captured"
    """No capture of that ref is kept (not checked, not run, or left the budget)."""
    STEP_GONE = "step_gone"
    """The step that was asked for is not kept any more: newer ones needed its room."""
    NO_DATA = "no_data"
    """A meta tensor or another one without readable values; `detail` says which."""
    WRONG_RANK = "wrong_rank"
    """The view needs another number of dims; `detail` says which."""
    FAILED = "failed"
    """Making the view raised; `detail` is the text."""


class NoPicture(msgspec.Struct, frozen=True, tag="no_picture"):
    """Answers any request that cannot be drawn."""

    reason: NoPictureReason
    detail: str = ""


ViewResult = Statistics | Histogram | Image | Tiles | Curve | Table | NoPicture
