"""How many values of some tensors are not finite, and whether numbers beside them are."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from hookscope.engine.convert import Unreadable
from hookscope.engine.stepping import measures


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
        return ", ".join(f"{count:,} {name}" for count, name in parts if count)


def count_non_finite(tensors: Iterable[torch.Tensor | None]) -> NonFiniteCounts:
    """Count over tensors of any kind; what cannot be read counts as finite. On CUDA it waits for the device."""
    found = [_counts(tensor) for tensor in tensors if tensor is not None]
    return NonFiniteCounts(*(sum(counts) for counts in zip(*found, strict=True))) if found else NonFiniteCounts()


def _counts(tensor: torch.Tensor) -> tuple[int, int, int]:
    try:
        return (0, 0, 0) if measures.is_finite(tensor) else measures.count_non_finite(tensor)
    except Unreadable:
        return 0, 0, 0


def numbers_are_finite(values: Iterable[object]) -> bool:
    """Whether no plain number among some arguments is a NaN or an infinity."""
    return all(not isinstance(value, float) or math.isfinite(value) for value in values)
