"""Two dims as a picture."""

import torch

from hookscope.engine.convert import part_shown
from hookscope.engine.views.planes import pick, side_strides, to_pixels
from hookscope.protocol.views import HeatmapRequest, Image


def build_heatmap(tensor: torch.Tensor, request: HeatmapRequest) -> Image:
    """Draw one plane; of one with longer sides than asked for, every so many-th row and column.

    Raises:
        Unreadable: See `as_real`.
    """
    axes = request.axes.resolved(tensor.shape)
    plane = pick(tensor, axes)
    row_stride, column_stride = side_strides(plane, request.max_side)
    shown = plane[::row_stride, ::column_stride]
    pixels = to_pixels(shown, request.part)
    return Image(
        pixels=pixels.values,
        mask=pixels.mask,
        low=pixels.low,
        high=pixels.high,
        rows=plane.size(0),
        columns=plane.size(1),
        row_stride=row_stride,
        column_stride=column_stride,
        shape=tuple(tensor.shape),
        axes=axes,
        part=part_shown(tensor, request.part),
        seen=shown.numel(),
        count=plane.numel(),
    )
