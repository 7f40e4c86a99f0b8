"""Finite values apart from the rest: what statistics and histograms begin with."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from hookscope.engine.convert import real_chunks

# Squares of values between these neither overflow float64 nor vanish in it, however many are added up.
_SAFE_FROM, _SAFE_TO = 1e-140, 1e140


@dataclass(frozen=True)
class Census:
    """A part of a tensor.

    Attributes:
        finite: Its finite values, 1-D float32 or float64.
        low: Smallest of them, `None` when there is none.
        high: Largest of them.
        nan: Values that are NaN.
        pos_inf: Values that are +Inf.
        neg_inf: Values that are -Inf.
    """

    finite: torch.Tensor
    low: float | None
    high: float | None
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0


def take_census(tensor: torch.Tensor) -> Iterator[Census]:
    """Yield the parts of a tensor; together they hold every value once.

    Raises:
        Unreadable: See `as_real`.
    """
    for values in real_chunks(tensor):
        yield _census(values)


def _census(values: torch.Tensor) -> Census:
    if values.numel() == 0:
        return Census(values, None, None)
    low, high = _range(values)
    # The range of values that hold a NaN is NaN, so this one quick look tells whether all is finite, as is usual.
    if math.isfinite(low) and math.isfinite(high):
        return Census(values, low, high)
    nan = int(torch.count_nonzero(values.isnan()))
    pos_inf = int(torch.count_nonzero(values == math.inf))
    # Not by index: that waits for torch's threads, which a running step keeps busy.
    finite = torch.masked_select(values, values.isfinite())
    neg_inf = values.numel() - finite.numel() - nan - pos_inf
    if finite.numel() == 0:
        return Census(finite, None, None, nan, pos_inf, neg_inf)
    low, high = _range(finite)
    return Census(finite, low, high, nan, pos_inf, neg_inf)


def _range(values: torch.Tensor) -> tuple[float, float]:
    if values.device.type == "cpu":
        known = values.numpy()
        return float(known.min()), float(known.max())
    low, high = torch.stack(torch.aminmax(values)).tolist()
    return low, high


def scale_for(peak: float) -> float:
    """Return what to divide values of magnitudes up to `peak` by before they are squared, added up or subtracted.

    1.0 unless float64 would overflow or vanish; else a power of two, so that dividing by it loses nothing.
    """
    if _SAFE_FROM < peak < _SAFE_TO or peak == 0.0:
        return 1.0
    return math.ldexp(1.0, math.frexp(peak)[1] - 1)
