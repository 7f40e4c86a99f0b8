"""The last two dims as a picture."""

import math

import torch

from hookscope.engine.views.planes import WrongRank, clamp_index, to_pixels
from hookscope.protocol.views import HeatmapRequest, Image


def build_heatmap(tensor: torch.Tensor, request: HeatmapRequest) -> Image:
    """Draw one plane; of one with longer sides than asked for, every so many-th row and column.

    Raises:
        WrongRank: The tensor has fewer than two dims.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 2:
        raise WrongRank(f"a heatmap needs 2 dims or more, and this tensor has {tensor.dim()}")
    *leading, rows, columns = tensor.shape
    index = clamp_index(request.index, leading)
    side = max(request.max_side, 1)
    row_stride, column_stride = math.ceil(rows / side), math.ceil(columns / side)
    pixels = to_pixels(tensor[index][::row_stride, ::column_stride])
    return Image(
        pixels.values,
        pixels.mask,
        pixels.low,
        pixels.high,
        rows,
        columns,
        row_stride,
        column_stride,
        index,
        tuple(leading),
    )
