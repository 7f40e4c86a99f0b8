"""Levels: which value is drawn in the first colour and which in the last, and pixels in shades between them."""

import numpy as np
import numpy.typing as npt

Levels = tuple[float, float]

SMALLEST_WIDTH = 1e-30
"""Levels closer than this cannot be told apart in float32 arithmetic."""


def auto_levels(low: float, high: float) -> Levels:
    """Return levels that span the data; never of zero width.

    Args:
        low: Smallest finite value.
        high: Largest finite value. When it equals `low`, the value is put in the middle of the levels.
    """
    if high - low >= SMALLEST_WIDTH:
        return low, high
    middle = low + (high - low) / 2
    half = abs(middle) / 2 if abs(middle) >= SMALLEST_WIDTH else 0.5
    return middle - half, middle + half


def symmetric_levels(low: float, high: float) -> Levels:
    """Return levels about zero that hold the data, for gradients and other signed data; never of zero width."""
    reach = max(abs(low), abs(high))
    if reach < SMALLEST_WIDTH:
        reach = 0.5
    return -reach, reach


def is_signed(low: float, high: float) -> bool:
    """Whether the data lie on both sides of zero, so that colours about zero say more."""
    return low < 0.0 < high


def shade(pixels: npt.NDArray[np.float32], levels: Levels) -> npt.NDArray[np.uint8]:
    """Turn pixels into indices of a colour table of 256 entries.

    Drawing libraries subtract the levels in float32, which overflows when they are far apart (+-3e38); this does not.

    Args:
        pixels: Any shape; not-finite ones (gutters) become 0.
        levels: First and last value of the table; what lies outside takes the colour of the nearer end.
    """
    low, high = levels
    scale = 255.0 / (high - low)
    shades = (np.nan_to_num(pixels, nan=low).astype(np.float64) - low) * scale
    return np.clip(np.rint(shades), 0, 255).astype(np.uint8)
