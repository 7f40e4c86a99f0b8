"""Ways to look at a very large tensor without copying it: samples of it, and its parts in order.

A sample is regular, so that the same tensor always gives the same picture. Its strides are odd, since a period in a
tensor (channels, heads, pixels of a checkerboard) is nearly always even: an odd stride meets every phase of it.
"""

import math
from collections.abc import Collection, Iterator, Sequence

import torch

from hookscope.engine.convert import CHUNK_ELEMENTS, as_real, chunk_elements
from hookscope.protocol.tensors import Array

FULL_ELEMENTS = CHUNK_ELEMENTS
"""Up to here a tensor is looked at as a whole."""

SAMPLE_ELEMENTS = 1 << 20
"""Elements in the sample of a larger one, at most."""


def thinned(tensor: torch.Tensor, limit: int, keep: Collection[int] = ()) -> torch.Tensor:
    """Return a view with at most `limit` elements: every so many-th entry of the longest dims.

    Dims in `keep` stay whole, and when they alone have more elements, so has the view.
    """
    sizes = list(tensor.shape)
    strides = [1] * len(sizes)
    dims = [dim for dim in range(len(sizes)) if dim not in keep]
    while math.prod(sizes) > limit:
        longest = max(dims, key=lambda dim: sizes[dim], default=None)
        if longest is None or sizes[longest] <= 1:
            break
        strides[longest] += max(2, strides[longest] // 16 * 2)
        sizes[longest] = math.ceil(tensor.size(longest) / strides[longest])
    return tensor[tuple(slice(None, None, stride) for stride in strides)]


def odd_stride(count: int, points: int) -> int:
    """Return 1, or the least odd stride with which `count` elements give at most so many points."""
    stride = math.ceil(count / max(points, 1))
    return stride if stride == 1 else stride | 1


def every(tensor: torch.Tensor, stride: int) -> torch.Tensor:
    """Return every `stride`-th element of the flattened tensor, as 1-D `as_real`.

    Raises:
        Unreadable: See `as_real`.
    """
    if tensor.dim() == 1:
        return as_real(tensor[::stride])
    if tensor.is_contiguous():
        return as_real(tensor.view(-1)[::stride])
    places = torch.arange(0, tensor.numel(), stride, device=tensor.device)
    # By index, since flattening would copy the whole.
    parts = [tensor[torch.unravel_index(part, tensor.shape)] for part in torch.split(places, SAMPLE_ELEMENTS)]
    return as_real(torch.cat(parts))


def unravel(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the index of an element of the flattened tensor."""
    index: list[int] = []
    for size in reversed(shape):
        place, entry = divmod(place, size)
        index.append(entry)
    return tuple(reversed(index))


def parts_in_order(tensor: torch.Tensor, limit: int | None = None) -> Iterator[torch.Tensor]:
    """Yield 1-D parts which together are the flattened tensor; never copy more than one at a time.

    Args:
        tensor: Plain and dense.
        limit: Elements of a part at most; by default what suits the device.
    """
    limit = limit or chunk_elements(tensor)
    if tensor.numel() <= limit:
        yield tensor.reshape(-1)
    elif tensor.is_contiguous():
        yield from torch.split(tensor.view(-1), limit)
    else:
        inner = tensor.numel() // tensor.size(0)
        for part in torch.split(tensor, max(1, limit // inner)):
            yield from parts_in_order(part if part.size(0) > 1 else part[0], limit)


def send(values: torch.Tensor) -> Array:
    """Pack a small tensor of float64 or int64."""
    return Array.from_numpy(values.cpu().numpy())
