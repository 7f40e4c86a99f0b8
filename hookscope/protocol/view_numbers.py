"""Results that are numbers, lines and texts."""

import msgspec

from hookscope.protocol.tensors import Array
from hookscope.protocol.view_axes import Axes
from hookscope.protocol.view_requests import ChannelStatistic, Target, TextForm


class Statistics(msgspec.Struct, frozen=True, tag="statistics"):
    """Counts and moments; complex values are counted by their magnitude.

    `minimum` ... `norm` are of the finite values, and `None` when there are none. `std` is the population's. The six
    counts add up to `seen`: `count`, the number of elements, unless a sample was asked for and taken.
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
    seen: int = 0


class Histogram(msgspec.Struct, frozen=True, tag="histogram"):
    """Counts between `low` and `high` in equal bins (int64), and everything that is in no bin.

    Attributes:
        counts: Values per bin.
        low: Lower end of the first bin; log10 of a magnitude where `log_magnitude` is set.
        high: Upper end of the last bin.
        below: Finite values below the bins.
        above: Finite values above the bins.
        nan: Values that are NaN.
        pos_inf: Values that are +Inf.
        neg_inf: Values that are -Inf.
        integer: Whether every bin holds equally many integers, with its ends half-way between them.
        log_magnitude: Whether the bins are of log10 of the magnitude.
        zero: Zeros, which have no logarithm; 0 without `log_magnitude`, where they are in the bins.
        seen: Elements that were looked at; all counts together.
        count: Elements of the tensor.
    """

    counts: Array
    low: float
    high: float
    below: int
    above: int
    nan: int
    pos_inf: int
    neg_inf: int
    integer: bool = False
    log_magnitude: bool = False
    zero: int = 0
    seen: int = 0
    count: int = 0


class Quantiles(msgspec.Struct, frozen=True, tag="quantiles"):
    """Quantiles of the finite values, linear between neighbours; the rest is of all elements.

    Attributes:
        levels: The levels, as they were asked for.
        values: A value per level; none when no value is finite.
        minimum: Smallest finite value, `None` when there is none.
        maximum: Largest finite value.
        nan: Elements that are NaN.
        pos_inf: Elements that are +Inf.
        neg_inf: Elements that are -Inf.
        seen: Elements that the values in `values` are of.
        count: Elements of the tensor.
    """

    levels: tuple[float, ...]
    values: tuple[float, ...]
    minimum: float | None
    maximum: float | None
    nan: int
    pos_inf: int
    neg_inf: int
    seen: int
    count: int


class Curve(msgspec.Struct, frozen=True, tag="curve"):
    """Values over the index; a long tensor comes as the envelope of equal runs of `stride` elements.

    Attributes:
        low: Smallest finite value of each run, float64; NaN where a run has none.
        high: Largest finite value of each run; the same array as `low` when `stride` is 1.
        stride: Elements per point.
        count: Elements in all.
        non_finite: Elements, of those seen, that are NaN or infinite.
        seen: Elements that were looked at.
    """

    low: Array
    high: Array
    stride: int
    count: int
    non_finite: int
    seen: int = 0


class Spectrum(msgspec.Struct, frozen=True, tag="spectrum"):
    """Singular values.

    Attributes:
        values: `(min(rows, columns),)` float64, largest first.
        rows: Rows of the matrix.
        columns: Columns of it.
        rank: Singular values that are more than rounding: above the largest times `max(rows, columns)` times the
            spacing of the tensor's own dtype at 1.
        shape: Of the tensor.
        flattened: Whether the tensor has more than two dims: its first one is the rows, all others the columns.
    """

    values: Array
    rows: int
    columns: int
    rank: int
    shape: tuple[int, ...]
    flattened: bool = False


class Bars(msgspec.Struct, frozen=True, tag="bars"):
    """A number per channel.

    Attributes:
        values: `(bars,)` float64; NaN where a channel has no finite value.
        dim: The dim of the channels.
        count: How many channels there are.
        stride: Every how many-th channel is shown: bar `i` is channel `i * stride`.
        statistic: What the values are.
        saturated: `(bars,)` float64: shares of saturated values, from 0 to 1; `None` when the tensor is not bounded,
            or they were not asked for.
        bounds: The ends that `saturated` is about.
        shape: Of the tensor.
        seen: Elements of the shown channels that were looked at.
        elements: Elements of the shown channels.
    """

    values: Array
    dim: int
    count: int
    stride: int
    statistic: ChannelStatistic
    saturated: Array | None = None
    bounds: tuple[float, float] | None = None
    shape: tuple[int, ...] = ()
    seen: int = 0
    elements: int = 0


class Points(msgspec.Struct, frozen=True, tag="points"):
    """Points in a plane.

    Attributes:
        x: `(points,)` float64, finite.
        y: `(points,)` float64, finite.
        places: `(points,)` int64: which element each point is, in the order of the flattened tensor, or which entry of
            `dim`.
        count: Elements, or entries, in all.
        stride: Every how many-th of them was looked at.
        non_finite: Those that were looked at, but are not shown since a value is not finite.
        shape: Of the tensor.
        dim: The dim whose entries are points; `None` when every element is one.
        explained: The shares of the variance along `x` and `y`, from 0 to 1; `None` unless this is an embedding.
        seen: Elements that were looked at.
        elements: Elements of the tensor.
    """

    x: Array
    y: Array
    places: Array
    count: int
    stride: int
    non_finite: int
    shape: tuple[int, ...] = ()
    dim: int | None = None
    explained: tuple[float, float] | None = None
    seen: int = 0
    elements: int = 0


class Table(msgspec.Struct, frozen=True, tag="table"):
    """A window of exact values as text.

    Attributes:
        cells: Rows of texts; every value reads back exactly in the tensor's dtype.
        row: Index of the first row shown.
        column: Index of the first column shown.
        rows: Rows of the plane (1-D: its elements, in one column; 0-D: 1).
        columns: Columns of the plane.
        shape: Of the tensor.
        axes: Which dims are shown, and which entry of the others, for this shape.
    """

    cells: tuple[tuple[str, ...], ...]
    row: int
    column: int
    rows: int
    columns: int
    shape: tuple[int, ...] = ()
    axes: Axes = Axes()


class TableText(msgspec.Struct, frozen=True, tag="table_text"):
    """A window of the table for the clipboard, and how many rows and columns it has."""

    text: str
    form: TextForm
    rows: int
    columns: int


class Value(msgspec.Struct, frozen=True, tag="value"):
    """One element: a text that reads back exactly in the tensor's dtype, and its index."""

    text: str
    index: tuple[int, ...]


class Place(msgspec.Struct, frozen=True, tag="place"):
    """Where what was looked for is, and its exact value."""

    what: Target
    index: tuple[int, ...]
    text: str
