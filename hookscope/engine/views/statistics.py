"""Exact counts and moments of a tensor."""

import math
from dataclasses import dataclass

import torch

from hookscope.engine.views.census import Census, scale_for, take_census
from hookscope.engine.views.sampling import FULL_ELEMENTS, SAMPLE_ELEMENTS, thinned
from hookscope.protocol.views import Statistics, StatisticsRequest


@dataclass(frozen=True)
class _Moments:
    """Of the finite values of one part: how many, mean, population standard deviation, and 2-norm."""

    count: int
    mean: float
    std: float
    norm: float


def build_statistics(tensor: torch.Tensor, request: StatisticsRequest) -> Statistics:
    """Count and measure all values, or those of a sample; an empty tensor has the count 0.

    `negative`, `zero`, `positive`, `nan`, `pos_inf` and `neg_inf` add up to `seen`: an infinity is in its
    own count only. Moments are made in float64, whatever the dtype.

    Raises:
        Unreadable: See `as_real`.
    """
    negative = positive = nan = pos_inf = neg_inf = 0
    lows: list[float] = []
    highs: list[float] = []
    moments: list[_Moments] = []
    looked_at = thinned(tensor, SAMPLE_ELEMENTS) if request.sampled and tensor.numel() > FULL_ELEMENTS else tensor
    seen = looked_at.numel()
    for part in take_census(looked_at):
        nan, pos_inf, neg_inf = nan + part.nan, pos_inf + part.pos_inf, neg_inf + part.neg_inf
        if part.low is None or part.high is None:
            continue
        negative += int(torch.count_nonzero(part.finite < 0))
        positive += int(torch.count_nonzero(part.finite > 0))
        lows.append(part.low)
        highs.append(part.high)
        moments.append(_moments(part, part.low, part.high))
    finite = sum(part.count for part in moments)
    counts = {"negative": negative, "positive": positive, "nan": nan, "pos_inf": pos_inf, "neg_inf": neg_inf}
    if not finite:
        return Statistics(tensor.numel(), None, None, None, None, None, zero=0, seen=seen, **counts)
    low, high = min(lows), max(highs)
    # Rounding may carry a mean of equal values past them.
    mean = min(max(math.fsum(part.count / finite * part.mean for part in moments), low), high)
    return Statistics(
        count=tensor.numel(),
        minimum=low,
        maximum=high,
        mean=mean,
        std=_joint_std(moments, finite, mean),
        norm=math.hypot(*(part.norm for part in moments)),
        zero=finite - negative - positive,
        seen=seen,
        **counts,
    )


def _moments(part: Census, low: float, high: float) -> _Moments:
    scale = scale_for(max(abs(low), abs(high)))
    values = part.finite.to(torch.float64)
    if scale != 1.0:
        values = values / scale
    count = values.numel()
    norm = _norm(values) * scale
    if low == high:
        return _Moments(count, low, 0.0, norm)
    mean = values.mean()
    return _Moments(count, mean.item() * scale, _norm(values - mean) / math.sqrt(count) * scale, norm)


def _norm(values: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(values).item())


def _joint_std(moments: list[_Moments], count: int, mean: float) -> float:
    """Join the parts' spreads and the distances of their means; `hypot` neither overflows nor vanishes on the way."""
    weights = [math.sqrt(part.count / count) for part in moments]
    spreads = [weight * part.std for weight, part in zip(weights, moments, strict=True)]
    shifts = [weight * (part.mean - mean) for weight, part in zip(weights, moments, strict=True)]
    return math.hypot(*spreads, *shifts)
