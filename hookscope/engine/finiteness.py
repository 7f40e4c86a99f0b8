"""Which values are not finite, cheaply: one pass over a tensor that is, two over one that is not."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from hookscope.engine.convert import Unreadable
from hookscope.engine.views import build_view
from hookscope.protocol.views import Statistics, StatisticsRequest


@dataclass(frozen=True)
class NonFiniteCounts:
    """How many values of some tensors are not finite."""

    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self.nan or self.pos_inf or self.neg_inf)

    @property
    def words(self) -> str:
        """`3 NaN, 1 +Inf`."""
        parts = ((self.nan, "NaN"), (self.pos_inf, "+Inf"), (self.neg_inf, "-Inf"))
        return ", ".join(f"{count} {name}" for count, name in parts if count)


def count_non_finite(tensors: Iterable[torch.Tensor | None]) -> NonFiniteCounts:
    """Count over tensors of any kind; what cannot be read counts as finite. On CUDA it waits for the device."""
    nan = pos_inf = neg_inf = 0
    for tensor in tensors:
        if tensor is None or not _may_be(tensor):
            continue
        statistics = build_view(tensor.detach(), StatisticsRequest())
        if isinstance(statistics, Statistics):
            nan += statistics.nan
            pos_inf += statistics.pos_inf
            neg_inf += statistics.neg_inf
    return NonFiniteCounts(nan, pos_inf, neg_inf)


def _may_be(tensor: torch.Tensor) -> bool:
    """Whether a tensor may hold a value that is not finite: its sum of absolute values is not, or cannot be had."""
    if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        return False
    try:
        with torch.no_grad():
            return not math.isfinite(float(tensor.detach().abs().max())) if tensor.numel() else False
    except (RuntimeError, NotImplementedError, TypeError, Unreadable):
        return True


def numbers_are_finite(values: Iterable[object]) -> bool:
    """Whether no plain number among some arguments is a NaN or an infinity."""
    return all(not isinstance(value, float) or math.isfinite(value) for value in values)
