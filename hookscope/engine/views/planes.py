"""What the pictures have in common: planes picked out of a tensor, and their way into pixels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from hookscope.engine.convert import as_real
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Pixel

MAX_PIXELS = 1 << 20
"""Pixels of one picture, 4 MiB as float32."""

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_NAN, _POS_INF, _NEG_INF = (list(Pixel).index(kind) for kind in (Pixel.NAN, Pixel.POS_INF, Pixel.NEG_INF))


class WrongRank(Exception):  # noqa: N818 - a property of the tensor, not an error of ours
    """The view needs another number of dims; the text says which."""


def clamp(value: int, count: int) -> int:
    """Return the index nearest to `value` among `count`, of which there is at least one."""
    return min(max(value, 0), count - 1)


def clamp_index(index: Sequence[int], leading: Sequence[int]) -> tuple[int, ...]:
    """Return an index that fits the leading dims: 0 where it is short, the nearest entry where it is outside."""
    given = [*index[: len(leading)], *[0] * (len(leading) - len(index))]
    return tuple(clamp(value, size) for value, size in zip(given, leading, strict=True))


@dataclass(frozen=True)
class Pixels:
    """Values on their way to a picture: finite float32, a mask for those that were not finite, and the range."""

    values: Array
    mask: Array | None
    low: float
    high: float


def to_pixels(tensor: torch.Tensor) -> Pixels:
    """Turn a small tensor of any dtype into pixels of the same shape.

    Pixels that are not finite take the smallest finite value; values beyond float32 are moved to its ends.

    Raises:
        Unreadable: See `as_real`.
    """
    values = as_real(tensor).cpu().numpy()
    pixels = values.clip(-_FLOAT32_MAX, _FLOAT32_MAX).astype(np.float32)
    finite = np.isfinite(values)
    if finite.all():
        return Pixels(Array.from_numpy(pixels), None, float(pixels.min()), float(pixels.max()))
    known = pixels[finite]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    mask = np.zeros(values.shape, np.uint8)
    mask[np.isnan(values)] = _NAN
    mask[np.isposinf(values)] = _POS_INF
    mask[np.isneginf(values)] = _NEG_INF
    pixels[~finite] = low
    return Pixels(Array.from_numpy(pixels), Array.from_numpy(mask), low, high)


def equal_stride(tiles: int, height: int, width: int, max_pixels: int) -> int:
    """Return a stride with which so many tiles of that size have at most `max_pixels` together, about the least one."""
    stride = 1
    while stride < max(height, width) and tiles * math.ceil(height / stride) * math.ceil(width / stride) > max_pixels:
        stride += max(1, stride // 8)
    return stride
