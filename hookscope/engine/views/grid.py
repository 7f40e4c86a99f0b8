"""Channels as tiles."""

import math

import torch

from hookscope.engine.convert import as_part, part_shown
from hookscope.engine.views.census import scale_for
from hookscope.engine.views.planes import clamp, equal_stride, pick, to_pixels
from hookscope.engine.views.refusal import Refusal, wrong_rank
from hookscope.engine.views.sampling import FULL_ELEMENTS, thinned
from hookscope.protocol.views import GridRequest, NoPictureReason, Part, TileOrder, Tiles

MAX_TILES = 4096
"""Tiles of a page, whatever is asked for."""


def build_grid(tensor: torch.Tensor, request: GridRequest) -> Tiles:
    """Draw a page of tiles; a page that is not there becomes the nearest one.

    The order by strength is that of the tiles' shown entries; of very large tiles it is told from a sample of them.

    Raises:
        Refusal: The tensor has fewer than three dims, or too many tiles to be put in order.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 3:
        raise wrong_rank("a grid of channels needs 3 dims or more", tensor.dim())
    axes = request.axes.resolved(tensor.shape, with_tiles=True)
    planes = pick(tensor, axes)
    total, height, width = planes.shape
    size = min(max(request.max_tiles, 1), MAX_TILES)
    pages = math.ceil(total / size)
    page = clamp(request.page, pages)
    first, last = page * size, min((page + 1) * size, total)
    if request.order is TileOrder.STRENGTH:
        channels = _by_strength(planes, request.part)[first:last].tolist()
    else:
        channels = list(range(first, last))
    stride = equal_stride(len(channels), height, width, request.max_pixels)
    shown = torch.stack([as_part(planes[channel, ::stride, ::stride], request.part) for channel in channels])
    pixels = to_pixels(shown)
    return Tiles(
        pixels=pixels.values,
        mask=pixels.mask,
        labels=tuple((channel,) for channel in channels),
        columns=0,
        low=pixels.low,
        high=pixels.high,
        page=page,
        pages=pages,
        total=total,
        stride=stride,
        shape=tuple(tensor.shape),
        axes=axes,
        part=part_shown(tensor, request.part),
        seen=shown.numel(),
        count=len(channels) * height * width,
    )


def _by_strength(planes: torch.Tensor, part: Part) -> torch.Tensor:
    """Return the numbers of the tiles by their norm, strongest first, equal ones as they are."""
    if planes.size(0) > FULL_ELEMENTS:
        detail = f"more than {FULL_ELEMENTS:,} tiles are not put in order of strength"
        raise Refusal(NoPictureReason.TOO_LARGE, detail)
    values = as_part(thinned(planes, FULL_ELEMENTS, keep=(0,)), part).to(torch.float64).flatten(1).contiguous()
    finite = values.isfinite()
    peak = values.where(finite, 0.0).abs().amax().item()
    norms: torch.Tensor = torch.linalg.vector_norm(values / scale_for(peak), dim=1)
    # A norm that is not finite is that of a tile with such a value, the scale having taken care of the others.
    norms = norms.where(finite.all(dim=1), torch.inf)
    return norms.sort(descending=True, stable=True).indices
