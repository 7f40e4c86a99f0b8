"""Channels as tiles."""

import math

import torch

from hookscope.engine.views.planes import WrongRank, clamp, equal_stride, to_pixels
from hookscope.protocol.views import GridRequest, Tiles


def build_grid(tensor: torch.Tensor, request: GridRequest) -> Tiles:
    """Draw a page of the channels of one sample; a page or sample that is not there becomes the nearest one.

    Raises:
        WrongRank: The tensor has fewer than three dims.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 3:
        raise WrongRank(f"a grid of channels needs 3 dims or more, and this tensor has {tensor.dim()}")
    samples = tensor if tensor.dim() > 3 else tensor[None]
    while samples.dim() > 4:
        samples = samples[0]
    sample = clamp(request.sample, samples.size(0))
    channels = samples[sample]
    total, height, width = channels.shape
    size = max(request.max_tiles, 1)
    pages = math.ceil(total / size)
    page = clamp(request.page, pages)
    first, last = page * size, min((page + 1) * size, total)
    stride = equal_stride(last - first, height, width, request.max_pixels)
    pixels = to_pixels(channels[first:last, ::stride, ::stride])
    return Tiles(
        pixels=pixels.values,
        mask=pixels.mask,
        labels=tuple((channel,) for channel in range(first, last)),
        columns=0,
        low=pixels.low,
        high=pixels.high,
        page=page,
        pages=pages,
        total=total,
        sample=sample,
        samples=samples.size(0),
        stride=stride,
    )
