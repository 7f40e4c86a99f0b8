"""Counts in equal bins, and of everything that is in no bin."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from hookscope.engine.views.census import scale_for, take_census
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Histogram, HistogramRequest

MAX_BINS = 4096

_EXACT_INTEGERS = 2.0**52
"""Up to here a float64 can hold every integer and the edge half-way to the next."""


@dataclass(frozen=True)
class _Bins:
    """Equal bins between `low` and `high`; values outside `first` ... `last` are in none of them."""

    count: int
    low: float
    high: float
    first: float
    last: float
    integer: bool = False

    def count_into(self, values: torch.Tensor) -> torch.Tensor:
        """Return the `(bins,)` int64 counts of float64 values that are all in a bin."""
        scale = scale_for(max(abs(self.low), abs(self.high)))
        width = (self.high / scale - self.low / scale) / self.count
        places = (values if scale == 1.0 else values / scale) - self.low / scale
        # Cut at the ends, since the last bin holds its upper end too, and against rounding.
        return torch.bincount(places.div_(width).clamp_(0, self.count - 1).to(torch.int64), minlength=self.count)


def build_histogram(tensor: torch.Tensor, request: HistogramRequest) -> Histogram:
    """Count the finite values in bins between the request's ends, or their own; both ends belong to the bins.

    Bins of integers and bools hold equally many of them (`integer`). When all values are equal, the bins spread around
    that value; when none is finite, all counts are 0.

    Raises:
        Unreadable: See `as_real`.
    """
    nan = pos_inf = neg_inf = 0
    low, high = math.inf, -math.inf
    for part in take_census(tensor):
        nan, pos_inf, neg_inf = nan + part.nan, pos_inf + part.pos_inf, neg_inf + part.neg_inf
        if part.low is not None and part.high is not None:
            low, high = min(low, part.low), max(high, part.high)
    is_integer = not (tensor.is_floating_point() or tensor.is_complex())
    bins = _choose_bins(*_choose_ends(request, low, high), min(max(request.bins, 1), MAX_BINS), is_integer)
    counts = torch.zeros(bins.count, dtype=torch.int64, device=tensor.device)
    below = above = 0
    for part in take_census(tensor):
        # Compared in float64: against a float32 the ends would be rounded.
        values = part.finite.to(torch.float64)
        part_below = int(torch.count_nonzero(values < bins.first))
        part_above = int(torch.count_nonzero(values > bins.last))
        if part_below or part_above:
            values = values[(values >= bins.first) & (values <= bins.last)]
        counts += bins.count_into(values)
        below, above = below + part_below, above + part_above
    return Histogram(
        Array.from_numpy(counts.cpu().numpy()),
        bins.low,
        bins.high,
        below,
        above,
        nan,
        pos_inf,
        neg_inf,
        bins.integer,
    )


def _choose_ends(request: HistogramRequest, low: float, high: float) -> tuple[float, float]:
    """Return finite ends in order: the request's where it has them, else those of the data, else 0 and 1."""
    if low > high:
        low, high = 0.0, 1.0
    if request.low is not None and math.isfinite(request.low):
        low, high = request.low, max(request.low, high)
    if request.high is not None and math.isfinite(request.high):
        low, high = min(low, request.high), request.high
    return low, high


def _choose_bins(low: float, high: float, count: int, is_integer: bool) -> _Bins:
    if is_integer and max(abs(low), abs(high)) < _EXACT_INTEGERS and math.ceil(low) <= math.floor(high):
        first, last = math.ceil(low), math.floor(high)
        each = math.ceil((last - first + 1) / count)
        count = math.ceil((last - first + 1) / each)
        return _Bins(count, first - 0.5, first - 0.5 + count * each, first, last, integer=True)
    if low == high:
        half = abs(low) / 2 or 0.5
        limit = float(np.finfo(np.float64).max)
        return _Bins(count, max(low - half, -limit), min(high + half, limit), low, high)
    return _Bins(count, low, high, low, high)
