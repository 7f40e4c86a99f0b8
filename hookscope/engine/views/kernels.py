"""Convolution weights as tiles."""

import math

import torch

from hookscope.engine.convert import part_shown
from hookscope.engine.views.planes import MAX_PIXELS, clamp, equal_stride, to_pixels
from hookscope.engine.views.refusal import wrong_rank
from hookscope.protocol.views import KernelRequest, Part, Tiles


def build_kernels(tensor: torch.Tensor, request: KernelRequest) -> Tiles:
    """Draw a page of whole output channels, a row of tiles for each.

    Of more input channels than a page has tiles, the first are shown; `total` counts the others too. With a single
    input channel the tiles need no columns, and may flow.

    Raises:
        Refusal: The tensor has not three to five dims.
        Unreadable: See `as_real`.
    """
    planes = _planes(tensor)
    outputs, inputs, height, width = planes.shape
    size = max(request.max_tiles, 1)
    columns = min(inputs, size)
    rows = size // columns
    pages = math.ceil(outputs / rows)
    page = clamp(request.page, pages)
    first, last = page * rows, min((page + 1) * rows, outputs)
    stride = equal_stride((last - first) * columns, height, width, MAX_PIXELS)
    shown = planes[first:last, :columns, ::stride, ::stride]
    pixels = to_pixels(shown.flatten(0, 1))
    return Tiles(
        pixels=pixels.values,
        mask=pixels.mask,
        labels=tuple((row, column) for row in range(first, last) for column in range(columns)),
        columns=columns if inputs > 1 else 0,
        low=pixels.low,
        high=pixels.high,
        page=page,
        pages=pages,
        total=outputs * inputs,
        stride=stride,
        shape=tuple(tensor.shape),
        part=part_shown(tensor, Part.VALUE),
        seen=shown.numel(),
        count=(last - first) * columns * height * width,
    )


def _planes(tensor: torch.Tensor) -> torch.Tensor:
    """Return a view of shape `(outputs, inputs, height, width)`."""
    match tensor.dim():
        case 3:
            return tensor.unsqueeze(2)
        case 4:
            return tensor
        case 5:
            return tensor[:, :, tensor.size(2) // 2]
        case rank:
            raise wrong_rank("kernels have 3 to 5 dims", rank)
