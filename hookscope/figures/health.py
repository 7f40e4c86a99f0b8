"""The health of a tensor in six counts, which are shown as text too, so that colour is never the only sign."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hookscope.protocol.views import Pixel, Statistics

_EXACT_AS_FLOAT32 = frozenset({"float32", "float16", "bfloat16", "bool", "uint8", "int8", "int16", "int32", "uint16"})
"""Of these the sign of a value, and whether it is zero or finite, can be told from it as a float32."""

_CODES = tuple(list(Pixel).index(kind) for kind in (Pixel.NAN, Pixel.POS_INF, Pixel.NEG_INF))


@dataclass(frozen=True)
class Health:
    """How many values are of each sort.

    Attributes:
        nan, pos_inf, neg_inf, negative, zero, positive: The six counts; signs are counted of finite values.
        is_whole: Whether they are of all elements of the tensor, and not only of those in the picture.
    """

    nan: int
    pos_inf: int
    neg_inf: int
    negative: int
    zero: int
    positive: int
    is_whole: bool


def health_of(statistics: Statistics) -> Health:
    """Take the counts of the debuggee, which are exact unless they are of a sample."""
    return Health(
        nan=statistics.nan,
        pos_inf=statistics.pos_inf,
        neg_inf=statistics.neg_inf,
        negative=statistics.negative,
        zero=statistics.zero,
        positive=statistics.positive,
        is_whole=statistics.seen in {0, statistics.count},
    )


def count_shown(pixels: npt.NDArray[np.float32], mask: npt.NDArray[np.uint8] | None, count: int, dtype: str) -> Health:
    """Count what is in a picture.

    Args:
        pixels: Any shape, finite.
        mask: The same shape: an index of `Pixel`, or more where there is no value at all; `None` when all are values.
        count: Elements of the whole tensor; when the picture has all of them, the counts are of the tensor.
        dtype: The tensor's. Of values beyond float32's reach the picture cannot tell everything.
    """
    is_value = np.ones(pixels.shape, bool) if mask is None else mask == 0
    total, negative, positive = (
        int(np.count_nonzero(found)) for found in (is_value, is_value & (pixels < 0), is_value & (pixels > 0))
    )
    nan, pos_inf, neg_inf = (0 if mask is None else int(np.count_nonzero(mask == code)) for code in _CODES)
    is_whole = total + nan + pos_inf + neg_inf == count and dtype in _EXACT_AS_FLOAT32
    return Health(nan, pos_inf, neg_inf, negative, total - negative - positive, positive, is_whole)
