"""What a panel may ask of a tensor. Every class is a row of the engine's builder table.

Where a request names an `other` tensor, that one is of the same step.
"""

from enum import StrEnum

import msgspec

from hookscope.protocol.identity import TensorRef
from hookscope.protocol.view_axes import Axes, Part


class StatisticsRequest(msgspec.Struct, frozen=True, tag="statistics"):
    """Asks for `Statistics`: of all values, or (`sampled`) of a sample when there are very many."""

    sampled: bool = False


class HistogramRequest(msgspec.Struct, frozen=True, tag="histogram"):
    """Asks for a `Histogram` of the finite values, between `low` and `high` (their own range by default).

    Attributes:
        bins: Number of bins; integers have fewer when a bin each is enough.
        low: Lower end; of log10 of the magnitude where `log_magnitude` is set.
        high: Upper end.
        log_magnitude: Count log10 of the magnitude; zeros have none, and are counted apart.
        exact: Count all values, however many there are, and not a sample of very many.
    """

    bins: int = 128
    low: float | None = None
    high: float | None = None
    log_magnitude: bool = False
    exact: bool = False


class QuantilesRequest(msgspec.Struct, frozen=True, tag="quantiles"):
    """Asks for `Quantiles` of the finite values at levels from 0 to 1."""

    levels: tuple[float, ...] = (0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995)


class HeatmapRequest(msgspec.Struct, frozen=True, tag="heatmap"):
    """Asks for an `Image` of two dims, with at most `max_side` rows and columns."""

    axes: Axes = Axes()
    part: Part = Part.VALUE
    max_side: int = 1024


class RgbRequest(msgspec.Struct, frozen=True, tag="rgb"):
    """Asks for an `RgbImage`: three entries of a dim as red, green and blue.

    Attributes:
        axes: Rows and columns.
        channels: The dim of the three channels; `None` for the last one that is neither rows nor columns.
        picks: Its entries that are red, green and blue.
        low: The value that is black; by default the smallest of the three channels.
        high: The value that is full colour; by default the largest of the three channels.
        max_side: Rows and columns of the picture at most.
    """

    axes: Axes = Axes()
    channels: int | None = None
    picks: tuple[int, int, int] = (0, 1, 2)
    low: float | None = None
    high: float | None = None
    max_side: int = 1024


class TileOrder(StrEnum):
    """How the tiles of a grid follow each other."""

    CHANNEL = "channel"
    STRENGTH = "strength"
    """By Euclidean norm, strongest first, and before all those with values that are not finite."""


class GridRequest(msgspec.Struct, frozen=True, tag="grid"):
    """Asks for `Tiles`, one per entry of `axes.tiles` (channels, by default)."""

    axes: Axes = Axes()
    part: Part = Part.VALUE
    page: int = 0
    order: TileOrder = TileOrder.CHANNEL
    max_tiles: int = 64
    max_pixels: int = 1_048_576


class KernelRequest(msgspec.Struct, frozen=True, tag="kernels"):
    """Asks for `Tiles` of a convolution weight `(O, I, ...)`: one row of tiles per output channel, a column per input.

    1-D kernels are drawn one pixel high; of 3-D kernels the middle plane is shown.
    """

    page: int = 0
    max_tiles: int = 256


class AttentionRequest(msgspec.Struct, frozen=True, tag="attention"):
    """Asks for `Tiles` with the attention of each head, recomputed from a query (the tensor) and a key (`other`).

    What is computed is `softmax(query @ key.T * scale)` of one sample. Masks of the model other than the causal one,
    dropout and rotations that come after the captures are not in it. Captured weights need no such request: a grid
    shows them.

    Attributes:
        other: The key.
        heads: Heads of the query, where its last dim holds them all: `(..., T, heads * D)`; a 4-D tensor
            `(B, heads, T, D)` has them already. The key may have fewer, each for equally many heads of the query.
        scale: Factor before the softmax, by default `1 / sqrt(D)`.
        causal: Let a query see no later keys; with more keys than queries, the last query sees all.
        batch_first: Whether 3-D tensors are `(B, T, E)`, else `(T, B, E)`.
        sample: Sample of the batch.
        page: Page of heads.
        max_tiles: Heads on a page.
        max_pixels: Pixels of a page.
    """

    other: TensorRef
    heads: int = 1
    scale: float | None = None
    causal: bool = False
    batch_first: bool = True
    sample: int = 0
    page: int = 0
    max_tiles: int = 64
    max_pixels: int = 1_048_576


class CosineRequest(msgspec.Struct, frozen=True, tag="cosine"):
    """Asks for an `Image` of the cosine similarity between the rows of a plane, of at most `max_rows` of them."""

    axes: Axes = Axes()
    max_rows: int = 512


class CurveRequest(msgspec.Struct, frozen=True, tag="curve"):
    """Asks for a `Curve` of a 1-D tensor, or of a 0-D one as a single point; more dims are flattened.

    `exact`: look at all values, however many there are, and not at a sample of very many.
    """

    max_points: int = 2048
    exact: bool = False


class SingularValuesRequest(msgspec.Struct, frozen=True, tag="singular_values"):
    """Asks for a `Spectrum`: the singular values of a matrix; more dims are flattened to the first one and the rest.

    `exact`: compute them also when it takes many seconds.
    """

    exact: bool = False


class ChannelStatistic(StrEnum):
    """What is told of each channel; except for `nan`, of its finite values."""

    MEAN = "mean"
    STD = "std"
    """Of the population."""
    NORM = "norm"
    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    ZEROS = "zeros"
    """Share of the elements that are zero, from 0 to 1."""
    NAN = "nan"
    """Share of the elements that are NaN, from 0 to 1."""


class ChannelsRequest(msgspec.Struct, frozen=True, tag="channels"):
    """Asks for `Bars`: a statistic of every channel, or of every so many-th one when there are more than `max_bars`.

    Attributes:
        dim: The dim of the channels; `None` for that before the last two, of a tensor of fewer dims the last one.
        statistic: What is told of each.
        max_bars: Bars at most.
    """

    dim: int | None = None
    statistic: ChannelStatistic = ChannelStatistic.MEAN
    max_bars: int = 4096


class SparsityRequest(msgspec.Struct, frozen=True, tag="sparsity"):
    """Asks for `Bars`: the share of zeros in every channel, and of values at the ends of a bounded activation's range.

    An activation counts as bounded when it is of a floating-point dtype and all its finite values are from 0 to 1, or
    from -1 to 1. Saturated is what is within 1 % of an end: magnitudes from 0.99, and in the range from 0 to 1 also
    those up to 0.01 which are not zero.
    """

    dim: int | None = None
    max_bars: int = 4096


class ScatterRequest(msgspec.Struct, frozen=True, tag="scatter"):
    """Asks for `Points`: the values of this tensor to the right, those of `other`, of equally many elements, up."""

    other: TensorRef
    max_points: int = 20_000


class EmbeddingRequest(msgspec.Struct, frozen=True, tag="embedding"):
    """Asks for `Points`: the entries of a dim, each with all its values, in the plane of their largest variance."""

    dim: int = 0
    max_points: int = 1024
    max_features: int = 4096


class TableRequest(msgspec.Struct, frozen=True, tag="table"):
    """Asks for a `Table`: a window of exact values of two dims."""

    axes: Axes = Axes()
    row: int = 0
    column: int = 0
    rows: int = 100
    columns: int = 50


class TextForm(StrEnum):
    """How values are written for the clipboard."""

    TEXT = "text"
    """Columns separated by tabs, as spreadsheets take them."""
    CSV = "csv"
    PYTHON = "python"
    """`torch.tensor([...], dtype=...)`, which gives exactly these values."""


class TextRequest(msgspec.Struct, frozen=True, tag="text"):
    """Asks for a `TableText`: a window of the table as text. `rows` and `columns` are all from there on by default."""

    axes: Axes = Axes()
    row: int = 0
    column: int = 0
    rows: int | None = None
    columns: int | None = None
    form: TextForm = TextForm.TEXT


class ValueRequest(msgspec.Struct, frozen=True, tag="value"):
    """Asks for a `Value`: one element, exactly. An index that is short or outside becomes the nearest one."""

    index: tuple[int, ...] = ()


class Target(StrEnum):
    """What a person wants to be taken to."""

    MAXIMUM = "maximum"
    MINIMUM = "minimum"
    FIRST_NON_FINITE = "first_non_finite"


class PlaceRequest(msgspec.Struct, frozen=True, tag="place"):
    """Asks for a `Place`: the first element that has the extreme finite value, or that is not finite."""

    what: Target = Target.MAXIMUM
