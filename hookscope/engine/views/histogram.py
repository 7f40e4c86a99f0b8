"""Counts in equal bins, and of everything that is in no bin."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from hookscope.engine.convert import real_chunks
from hookscope.engine.views.bin_counter import BinCounter
from hookscope.engine.views.census import Census, take_census
from hookscope.engine.views.sampling import FULL_ELEMENTS, SAMPLE_ELEMENTS, send, thinned
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

    def holds(self, low: float, high: float) -> bool:
        """Whether all values between these are in a bin."""
        return self.first <= low and high <= self.last


def build_histogram(tensor: torch.Tensor, request: HistogramRequest) -> Histogram:
    """Count the finite values in bins between the request's ends, or their own; both ends belong to the bins.

    Bins of integers and bools hold equally many of them (`integer`). When all values are equal, the bins spread around
    that value; when none is finite, all counts are 0. Of very many values a sample is counted, unless told otherwise.

    Raises:
        Unreadable: See `as_real`.
    """
    is_whole = request.exact or tensor.numel() <= FULL_ELEMENTS
    looked_at = tensor if is_whole else thinned(tensor, SAMPLE_ELEMENTS)
    nan = pos_inf = neg_inf = zero = 0
    low, high = math.inf, -math.inf
    for part in take_census(looked_at):
        nan, pos_inf, neg_inf = nan + part.nan, pos_inf + part.pos_inf, neg_inf + part.neg_inf
        counted = _counted(part, request.log_magnitude)
        zero += part.finite.numel() - counted.values.numel()
        if counted.values.numel():
            low, high = min(low, counted.low), max(high, counted.high)
    is_integer = not (tensor.is_floating_point() or tensor.is_complex() or request.log_magnitude)
    ends, count = _choose_ends(request, low, high), min(max(request.bins, 1), MAX_BINS)
    bins = _choose_bins(*ends, count, is_integer, is_log=request.log_magnitude)
    counter = BinCounter(bins.low, bins.high, bins.count, tensor.device)
    below = above = 0
    if bins.holds(low, high) and not (nan or pos_inf or neg_inf or request.log_magnitude):
        for values in real_chunks(looked_at):
            counter.add(values)
    else:
        for part in take_census(looked_at):
            counted = _counted(part, request.log_magnitude)
            values = counted.to_bin()
            if values.numel() and not bins.holds(counted.low, counted.high):
                below += int(torch.count_nonzero(values < bins.first))
                above += int(torch.count_nonzero(values > bins.last))
                values = values.masked_select((values >= bins.first) & (values <= bins.last))
            counter.add(values)
    return Histogram(
        counts=send(counter.counts),
        low=bins.low,
        high=bins.high,
        below=below,
        above=above,
        nan=nan,
        pos_inf=pos_inf,
        neg_inf=neg_inf,
        integer=bins.integer,
        log_magnitude=request.log_magnitude,
        zero=zero,
        seen=looked_at.numel(),
        count=tensor.numel(),
    )


@dataclass(frozen=True)
class _Counted:
    """What is put into bins: 1-D values, all finite, and their ends, which mean nothing when there are none.

    Where logarithms are counted, `values` are the magnitudes that have one, and the ends are of the logarithms.
    """

    values: torch.Tensor
    low: float
    high: float
    log_magnitude: bool

    def to_bin(self) -> torch.Tensor:
        """Return the values in float64: against a float32 the ends of the bins would be rounded."""
        if not self.log_magnitude or self.values.numel() == 0:
            return self.values.to(torch.float64)
        # Cut at the ends, which another function has rounded.
        return _log10(self.values).clamp_(self.low, self.high)


def _counted(part: Census, log_magnitude: bool) -> _Counted:
    if not log_magnitude:
        return _Counted(part.finite, part.low or 0.0, part.high or 0.0, log_magnitude)
    magnitudes = part.finite.to(torch.float64).abs()
    if torch.count_nonzero(magnitudes) < magnitudes.numel():
        magnitudes = magnitudes.masked_select(magnitudes > 0)
    if magnitudes.numel() == 0:
        return _Counted(magnitudes, 0.0, 0.0, log_magnitude)
    low, high = torch.stack(magnitudes.aminmax()).tolist()
    return _Counted(magnitudes, math.log10(low), math.log10(high), log_magnitude)


def _log10(values: torch.Tensor) -> torch.Tensor:
    """Return the logarithms. On the CPU it is numpy's: torch's waits for threads, which a running step keeps busy."""
    return torch.from_numpy(np.log10(values.numpy())) if values.device.type == "cpu" else values.log10()


def _choose_ends(request: HistogramRequest, low: float, high: float) -> tuple[float, float]:
    """Return finite ends in order: the request's where it has them, else those of the data, else 0 and 1."""
    if low > high:
        low, high = 0.0, 1.0
    if request.low is not None and math.isfinite(request.low):
        low, high = request.low, max(request.low, high)
    if request.high is not None and math.isfinite(request.high):
        low, high = min(low, request.high), request.high
    return low, high


def _choose_bins(low: float, high: float, count: int, is_integer: bool, *, is_log: bool) -> _Bins:
    if is_integer and max(abs(low), abs(high)) < _EXACT_INTEGERS and math.ceil(low) <= math.floor(high):
        first, last = math.ceil(low), math.floor(high)
        each = math.ceil((last - first + 1) / count)
        count = math.ceil((last - first + 1) / each)
        return _Bins(count, first - 0.5, first - 0.5 + count * each, first, last, integer=True)
    if low == high:
        half = 0.5 if is_log else abs(low) / 2 or 0.5
        limit = float(np.finfo(np.float64).max)
        return _Bins(count, max(low - half, -limit), min(high + half, limit), low, high)
    return _Bins(count, low, high, low, high)
