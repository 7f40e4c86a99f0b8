"""Levels and shades: which value is drawn in which colour, and what is drawn in a colour of its own."""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from hookscope.protocol.views import Pixel

Levels = tuple[float, float]

SHADES = 241
"""Entries of a colour table that are colours of values; odd, so that zero is the very middle of a symmetric range."""

SMALLEST_WIDTH = 1e-30
"""Levels closer than this cannot be told apart in float32 arithmetic."""

_FLOAT32_SAFE = 1e37
"""Levels within this can be subtracted in float32 without overflow."""
_FLOAT32_NARROW = 1e-4
"""Levels closer than this share of their magnitude would be rounded in float32 by more than a shade."""


class Mark(IntEnum):
    """Entries of a colour table after its shades: colours that do not depend on the levels."""

    NAN = SHADES
    POS_INF = SHADES + 1
    NEG_INF = SHADES + 2
    GAP = SHADES + 3
    NEGATIVE = SHADES + 4
    BELOW = SHADES + 5
    ABOVE = SHADES + 6


_BEFORE_MARKS = Mark.NAN - list(Pixel).index(Pixel.NAN)
"""Added to the byte of a mask it gives the `Mark`."""


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


def shade(pixels: npt.NDArray[np.float32], levels: Levels, shades: int = SHADES) -> npt.NDArray[np.uint8]:
    """Turn pixels into indices of a colour table.

    Args:
        pixels: Any shape, finite.
        levels: Values of the first and of the last shade; what lies outside takes the nearer one.
        shades: How many there are.
    """
    low, high = levels
    # Levels near the ends of float32 are too far apart to be subtracted in it, and some are too close.
    reach = max(abs(low), abs(high))
    kind = np.float32 if reach < _FLOAT32_SAFE and high - low > reach * _FLOAT32_NARROW else np.float64
    places = np.clip(pixels, kind(low), kind(high), dtype=kind)
    places -= kind(low)
    places *= kind((shades - 1) / (high - low))
    places += kind(0.5)
    shaded: npt.NDArray[np.uint8] = places.astype(np.uint8)
    return shaded


def color_indices(
    pixels: npt.NDArray[np.float32],
    mask: npt.NDArray[np.uint8] | None,
    levels: Levels,
    *,
    marks_negative: bool = False,
    marks_clipped: bool = False,
) -> npt.NDArray[np.uint8]:
    """Return the entry of the colour table for each pixel: a shade, or a `Mark`, which the levels do not change.

    Args:
        pixels: Any shape, finite.
        mask: The same shape: an index of `Pixel`, or `figures.grid.GUTTER`; `None` when every pixel is a value.
        levels: See `shade`.
        marks_negative: Mark values below zero.
        marks_clipped: Mark values outside the levels.
    """
    indices = shade(pixels, levels)
    if marks_negative:
        indices[pixels < 0] = Mark.NEGATIVE
    if marks_clipped:
        low, high = np.float32(levels[0]), np.float32(levels[1])  # as the pixels: the ends of the data are not outside
        indices[pixels < low] = Mark.BELOW
        indices[pixels > high] = Mark.ABOVE
    if mask is not None:
        np.copyto(indices, mask + np.uint8(_BEFORE_MARKS), where=mask != 0)
    return indices


def thin_out(indices: npt.NDArray[np.uint8], every: int) -> npt.NDArray[np.uint8]:
    """Keep every so many-th row and column, but let no NaN and no infinity get lost: its block is drawn as it.

    Args:
        indices: `(rows, columns)`, see `color_indices`.
        every: 1 keeps all.
    """
    if every <= 1:
        return indices
    thin = np.ascontiguousarray(indices[::every, ::every])
    rows, columns = np.nonzero((indices >= Mark.NAN) & (indices <= Mark.NEG_INF))
    thin[rows // every, columns // every] = indices[rows, columns]
    return thin
