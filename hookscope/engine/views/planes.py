"""What the pictures have in common: planes picked out of a tensor, and their way into pixels."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from hookscope.engine.convert import as_part
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Axes, Part, Pixel

MAX_PIXELS = 1 << 20
"""Pixels of one picture, 4 MiB as float32."""

MAX_SIDE = 4096
"""Rows and columns of a picture, whatever is asked for."""

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_NAN, _POS_INF, _NEG_INF = (list(Pixel).index(kind) for kind in (Pixel.NAN, Pixel.POS_INF, Pixel.NEG_INF))


def clamp(value: int, count: int) -> int:
    """Return the index nearest to `value` among `count`, of which there is at least one."""
    return min(max(value, 0), count - 1)


def pick(tensor: torch.Tensor, axes: Axes) -> torch.Tensor:
    """Return the view `([tiles,] rows, columns)` that resolved axes name; a dim that is `None` has the size 1."""
    shown = [dim for dim in (axes.tiles, axes.rows, axes.columns) if dim is not None]
    picked = tensor[tuple(slice(None) if dim in shown else entry for dim, entry in enumerate(axes.index))]
    kept = sorted(shown)
    picked = picked.permute([kept.index(dim) for dim in shown])
    if axes.columns is None:
        picked = picked.unsqueeze(-1)
    return picked.unsqueeze(-2) if axes.rows is None else picked


def side_strides(plane: torch.Tensor, max_side: int) -> tuple[int, int]:
    """Return with which strides the last two dims have at most `max_side` entries."""
    side = min(max(max_side, 1), MAX_SIDE)
    return math.ceil(plane.size(-2) / side), math.ceil(plane.size(-1) / side)


@dataclass(frozen=True)
class Pixels:
    """Values on their way to a picture: finite float32, a mask for those that were not finite, and the range."""

    values: Array
    mask: Array | None
    low: float
    high: float


def to_pixels(tensor: torch.Tensor, part: Part = Part.VALUE) -> Pixels:
    """Turn a small tensor of any dtype into pixels of the same shape.

    Pixels that are not finite take the smallest finite value; values beyond float32 are moved to its ends.

    Raises:
        Unreadable: See `as_real`.
    """
    values = as_part(tensor, part).cpu().numpy()
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
