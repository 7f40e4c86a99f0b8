"""What to draw of a series: lines, bands, breaks and marks, never many more than there are columns of pixels."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hookscope.figures.levels import auto_levels

Floats = npt.NDArray[np.float64]

DRAWABLE = 1e100
"""Beyond this the drawing library's own arithmetic overflows; such values are drawn at this edge."""

_CROWDED = 2
"""Of more steps a column, what falls into one is drawn as one: from its smallest to its largest value."""

_MARGIN = 0.06
"""Room above and below, in parts of what is drawn."""


def _none() -> Floats:
    return np.empty(0)


@dataclass(frozen=True)
class Line:
    """A curve; NaN breaks it."""

    x: Floats = field(default_factory=_none)
    y: Floats = field(default_factory=_none)


@dataclass(frozen=True)
class Band:
    """An area between two curves; NaN breaks it."""

    x: Floats
    low: Floats
    high: Floats

    def pieces(self) -> list[tuple[Floats, Floats]]:
        """Return the outlines of its unbroken pieces; one without width is left out."""
        known = np.isfinite(self.low) & np.isfinite(self.high)
        return [
            (
                np.concatenate([self.x[begin:end], self.x[begin:end][::-1]]),
                np.concatenate([self.low[begin:end], self.high[begin:end][::-1]]),
            )
            for begin, end in runs_of(known)
            if end - begin > 1
        ]


@dataclass(frozen=True)
class SeriesLines:
    """A part of a series, ready to be drawn.

    Attributes:
        line: The value; of a distribution the median.
        edges: Of a distribution the smallest and the largest value.
        bands: Of a distribution the outer and the inner band.
        lone: Points of the line with a break on both sides, which no line is drawn through.
        non_finite: Steps with elements that are NaN or infinite.
        zeros: Steps at which a logarithmic axis has no place for the value, because it is zero.
        gaps: `(gaps, 2)`, where stretches without any number begin and end.
        low: Lower end of an axis that holds all of it.
        high: Its upper end.
    """

    line: Line = field(default_factory=Line)
    edges: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    lone: Line = field(default_factory=Line)
    non_finite: Floats = field(default_factory=_none)
    zeros: Floats = field(default_factory=_none)
    gaps: Floats = field(default_factory=lambda: np.empty((0, 2)))
    low: float = 0.0
    high: float = 1.0


def lines_of(
    steps: npt.NDArray[np.int64],
    values: Floats,
    non_finite: npt.NDArray[np.int64],
    *,
    first: float,
    last: float,
    columns: int,
    log: bool = False,
) -> SeriesLines:
    """Return what to draw of a series between two steps.

    Args:
        steps: `(points,)`, ascending.
        values: `(points, 1)`, or of a distribution `(points, 7)`: smallest, quantiles and largest; rows of NaN where
            there is no value.
        non_finite: `(points,)`, elements that are not finite.
        first: Left end of the axis.
        last: Its right end.
        columns: How many columns of pixels it has.
        log: Whether the vertical axis is logarithmic: places on it are powers of ten.
    """
    # One point beyond either end, so that lines leave the picture.
    begin = max(int(np.searchsorted(steps, first)) - 1, 0)
    end = int(np.searchsorted(steps, last, side="right")) + 1
    x, shown, bad = steps[begin:end].astype(np.float64), values[begin:end], non_finite[begin:end]
    if not len(x):
        return SeriesLines()
    has_value = np.isfinite(shown).all(axis=1)
    y = np.clip(shown, -DRAWABLE, DRAWABLE)
    zeros = x[:0]
    if log:
        zeros = x[has_value & (shown[:, 0] == 0.0)]
        y = np.log10(y, out=np.full_like(y, np.nan), where=y > 0)
    column_width = (last - first) / max(columns, 1)
    starts = _starts(x, first, column_width, _CROWDED)
    places, low, high = _reduced(x, y, starts)
    if len(starts) < len(x):
        line = Line(np.repeat(places, 2), np.stack([low, high], axis=2)[:, _middle(y)].ravel())
    else:
        line = Line(x, y[:, _middle(y)])
    is_distribution = y.shape[1] > 1
    ends = auto_levels(*_ends(low, high))
    margin = (ends[1] - ends[0]) * _MARGIN
    return SeriesLines(
        line=line,
        edges=(Line(places, low[:, 0]), Line(places, high[:, -1])) if is_distribution else (),
        bands=tuple(Band(places, low[:, edge], high[:, -1 - edge]) for edge in (1, 2)) if is_distribution else (),
        lone=_lone(Line(places, high[:, _middle(y)])),
        non_finite=_thinned(x[bad > 0], first, column_width),
        zeros=_thinned(zeros, first, column_width),
        gaps=_gaps(x, ~has_value & (bad == 0), column_width),
        low=ends[0] - margin,
        high=ends[1] + margin,
    )


def log_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return where a logarithmic axis is marked, none of them closer than there is room for.

    Args:
        low: Lower end of the axis, as a power of ten.
        high: Its upper end.
        most: How many marks there is room for.
    """
    powers = range(math.ceil(low), math.floor(high) + 1)
    every = max(math.ceil(len(powers) / most), 1)
    places = [float(power) for power in powers if power % every == 0]
    if len(powers) < 2:
        round_ones = (
            power + math.log10(digit) for power in range(math.floor(low), math.ceil(high)) for digit in (2, 5)
        )
        places += [place for place in round_ones if low <= place <= high]
    if len(places) < 2:  # less than a decade: any round numbers
        places = [math.log10(number) for number in _round_numbers(10**low, 10**high, most)]
    kept: list[float] = []
    for place in places:
        if all(abs(place - other) >= (high - low) / (most + 1) for other in kept):
            kept.append(place)
    return tuple(sorted(kept))


def _round_numbers(low: float, high: float, most: int) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, at most about so many."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((digit * power for digit in (1, 2, 5) if digit * power >= rough), 10 * power)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def runs_of(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where stretches of true values begin, and where they have ended."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(begin), int(end)) for begin, end in edges.reshape(-1, 2)]


def _middle(y: Floats) -> int:
    return int(y.shape[1]) // 2


def _starts(x: Floats, first: float, column_width: float, most: int) -> npt.NDArray[np.intp]:
    """Return where the points of each column begin; every point has its own when there are at most `most` a column."""
    if len(x) < 2 or len(x) * column_width <= most * (x[-1] - x[0]):
        return np.arange(len(x))
    column = np.floor((x - first) / column_width)
    return np.append(0, np.flatnonzero(np.diff(column)) + 1)


def _reduced(x: Floats, y: Floats, starts: npt.NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
    """Return the place, smallest and largest values of each column; NaN only where there is nothing else."""
    if len(starts) == len(x):
        return x, y, y
    ends = np.append(starts[1:], len(x)) - 1
    low, high = (reduce.reduceat(y, starts, axis=0) for reduce in (np.fmin, np.fmax))
    return (x[starts] + x[ends]) / 2, low, high


def _ends(low: Floats, high: Floats) -> tuple[float, float]:
    known = np.isfinite(low)
    return (float(low[known].min()), float(high[known].max())) if known.any() else (0.0, 1.0)


def _lone(line: Line) -> Line:
    known = np.isfinite(line.y)
    around = np.concatenate([[False], known, [False]])
    alone = known & ~around[:-2] & ~around[2:]
    return Line(line.x[alone], line.y[alone])


def _thinned(x: Floats, first: float, column_width: float) -> Floats:
    """Keep one of the places that fall into the same column."""
    return x[_starts(x, first, column_width, 1)] if len(x) else x


def _gaps(x: Floats, is_gap: npt.NDArray[np.bool_], column_width: float) -> Floats:
    """Return stretches of gaps, half a step longer at either end; those closer than a column are one."""
    runs = np.array([(x[begin] - 0.5, x[end - 1] + 0.5) for begin, end in runs_of(is_gap)]).reshape(-1, 2)
    if len(runs) < 2:
        return runs
    apart = np.flatnonzero(runs[1:, 0] - runs[:-1, 1] > column_width)
    return np.stack([runs[np.append(0, apart + 1), 0], runs[np.append(apart, len(runs) - 1), 1]], axis=1)
