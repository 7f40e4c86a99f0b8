"""One element, by its index or by what it is."""

import math
from collections.abc import Callable, Mapping

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.planes import clamp
from hookscope.engine.views.refusal import Refusal
from hookscope.engine.views.sampling import parts_in_order, unravel
from hookscope.engine.views.table import write_cells
from hookscope.protocol.views import NoPictureReason, Place, PlaceRequest, Target, Value, ValueRequest

_Found = tuple[int, float | int]
"""Where in a part, and what."""

_SIGN_BIT = -(2**63)

_NOTHING = {
    Target.MAXIMUM: "no value is finite",
    Target.MINIMUM: "no value is finite",
    Target.FIRST_NON_FINITE: "all values are finite",
}


def build_value(tensor: torch.Tensor, request: ValueRequest) -> Value:
    """Write the element at an index.

    Raises:
        Unreadable: See `as_real`.
    """
    wanted = (*request.index[: tensor.dim()], *(0,) * (tensor.dim() - len(request.index)))
    index = tuple(clamp(entry, size) for entry, size in zip(wanted, tensor.shape, strict=True))
    return Value(_text(tensor, index), index)


def build_place(tensor: torch.Tensor, request: PlaceRequest) -> Place:
    """Find the first element, in the order of the flattened tensor, that is what is looked for.

    64-bit integers are compared exactly, complex values by their magnitude.

    Raises:
        Refusal: There is none.
        Unreadable: See `as_real`.
    """
    search = _SEARCHES[request.what]
    best: _Found | None = None
    before = 0
    for part in parts_in_order(tensor):
        found = search(_comparable(part))
        if found is not None and (best is None or found[1] > best[1]):
            best = before + found[0], found[1]
            if request.what is Target.FIRST_NON_FINITE:
                break
        before += part.numel()
    if best is None:
        raise Refusal(NoPictureReason.NOT_FOUND, _NOTHING[request.what])
    index = unravel(best[0], tensor.shape)
    return Place(request.what, index, _text(tensor, index))


def _text(tensor: torch.Tensor, index: tuple[int, ...]) -> str:
    return write_cells(tensor[index].reshape(1, 1))[0][0]


def _comparable(part: torch.Tensor) -> torch.Tensor:
    """Return values in the same order, in a dtype that torch compares: int64 as it is, else floats."""
    if part.dtype is torch.uint64:
        # The sign bit turned round puts the upper half above the lower one.
        return part.view(torch.int64) ^ _SIGN_BIT
    return part if part.dtype is torch.int64 else as_real(part)


def _maximum(values: torch.Tensor) -> _Found | None:
    if values.dtype is not torch.int64:
        values = values.where(values.isfinite(), -math.inf)
    place = int(values.argmax())
    found = values[place].item()
    return None if found == -math.inf else (place, found)


def _minimum(values: torch.Tensor) -> _Found | None:
    # `~` and not `-` reverses the order of integers, since the least one has no negative.
    return _maximum(~values if values.dtype is torch.int64 else -values)


def _non_finite(values: torch.Tensor) -> _Found | None:
    if values.dtype is torch.int64:
        return None
    place = int((~values.isfinite()).to(torch.uint8).argmax())
    return None if math.isfinite(values[place].item()) else (place, 0)


_SEARCHES: Mapping[Target, Callable[[torch.Tensor], _Found | None]] = {
    Target.MAXIMUM: _maximum,
    Target.MINIMUM: _minimum,
    Target.FIRST_NON_FINITE: _non_finite,
}
