"""A tensor in a few words: what it is, and the range of its values."""

from collections.abc import Iterable

import torch

from hookscope.engine.views.census import take_census
from hookscope.protocol.tensors import TensorSpec

_EXACT_INTEGERS = 2**53


def shape_words(shape: Iterable[int]) -> str:
    """Write sizes as `2 × 3`, none as `scalar`, and one that differs (-1) as `?`."""
    return " × ".join(str(size) if size >= 0 else "?" for size in shape) or "scalar"


def spec_words(spec: TensorSpec) -> str:
    """Write sizes, dtype and device, `2 × 3 float32 cpu`."""
    return f"{shape_words(spec.shape)} {spec.dtype} {spec.device}"


def range_words(tensor: torch.Tensor) -> str:
    """Write the range of the finite values, and how many are not finite: `-1.5 … 2, 1 NaN`; `""` of no value.

    Of complex values it is the range of their magnitude.

    Raises:
        Unreadable: See `as_real`.
    """
    lows: list[float] = []
    highs: list[float] = []
    counts = {"NaN": 0, "+Inf": 0, "-Inf": 0}
    for part in take_census(tensor):
        counts["NaN"] += part.nan
        counts["+Inf"] += part.pos_inf
        counts["-Inf"] += part.neg_inf
        if part.low is not None and part.high is not None:
            lows.append(part.low)
            highs.append(part.high)
    texts = [f"{count:,} {name}" for name, count in counts.items() if count]
    if lows:
        is_whole = not (tensor.is_floating_point() or tensor.is_complex() or tensor.is_quantized)
        low, high = (_number(value, is_whole) for value in (min(lows), max(highs)))
        texts.insert(0, low if low == high else f"{low} … {high}")
    return ", ".join(texts)


def _number(value: float, is_whole: bool) -> str:
    return str(int(value)) if is_whole and abs(value) <= _EXACT_INTEGERS else f"{value:.4g}"
