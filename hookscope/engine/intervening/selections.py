"""Which elements of a tensor are changed: one function per kind of selection.

Each takes the selection, the tensor and a function of the selected part, and returns a new tensor in which only that
part differs. Autograd records it as a hook written by hand that does `new = x.clone(); new[part] = f(x[part])`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from hookscope.engine.intervening.validation import ChangeError, LeftAlone
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span

Pick = Callable[[torch.Tensor], torch.Tensor]
"""Returns the selected part of any tensor that has the shape of the whole one."""


@dataclass(frozen=True)
class Part:
    """What is changed of a tensor.

    Attributes:
        x: Its present values. An index keeps the dims of a single number, with one entry; heads have a dim of their
            own, the last but one.
        whole: Shape of the tensor that it is a part of.
        pick: Takes the same part out of another tensor of that shape.
    """

    x: torch.Tensor
    whole: torch.Size
    pick: Pick


MakePart = Callable[[Part], torch.Tensor]
"""Makes the new values of a part; may return `part.x` itself for no change."""


def change_where(where: Selection | None, x: torch.Tensor, make: MakePart) -> torch.Tensor:
    """Return `x` with the selected part made anew; `x` itself when that part stays as it is.

    Raises:
        ChangeError: The tensor has no such part.
        LeftAlone: The part is empty.
    """
    if where is None:
        return make(Part(x, x.shape, _everything))
    selected: torch.Tensor = _KINDS[type(where)](where, x, make)
    return selected


def check_selection(where: Selection | None) -> None:
    """Refuse what no tensor can have.

    Raises:
        ChangeError: A span that cannot be, no channels, a negative limit, ...
    """
    match where:
        case Index(parts=parts):
            for step in [part.step for part in parts if isinstance(part, Span) and part.step is not None]:
                if step < 1:
                    raise ChangeError(f"expected a slice with a step from 1 on, given {step}")
        case Channels(numbers=()) | Heads(numbers=()):
            raise ChangeError("expected at least one number, given none")
        case Heads(numbers=numbers, count=count):
            if count < 1:
                raise ChangeError(f"expected at least one head, given {count}")
            _check_numbers(numbers, count, f"{count} heads")
        case MagnitudeAbove(limit=limit) if not limit >= 0 or math.isinf(limit):
            raise ChangeError(f"expected a limit from 0 on, given {limit:g}: an absolute value is never below 0")


def _everything(values: torch.Tensor) -> torch.Tensor:
    return values


def _index(where: Index, x: torch.Tensor, make: MakePart) -> torch.Tensor:
    if len(where.parts) > x.dim():
        raise ChangeError(f"expected an index into shape {tuple(x.shape)}, given one of {len(where.parts)} dims")
    places = []
    for dim, part in enumerate(where.parts):
        if isinstance(part, Span):
            places.append(slice(part.start, part.stop, part.step))
        else:
            _check_numbers((part,), x.size(dim), f"dim {dim} of shape {tuple(x.shape)}")
            first = part % x.size(dim)
            places.append(slice(first, first + 1))
    return _put(x, x.shape, tuple(places), make)


def _channels(where: Channels, x: torch.Tensor, make: MakePart) -> torch.Tensor:
    if not -x.dim() <= where.dim < x.dim():
        raise ChangeError(f"expected a tensor with a dim {where.dim}, given shape {tuple(x.shape)}")
    dim = where.dim % x.dim()
    _check_numbers(where.numbers, x.size(dim), f"dim {dim} of shape {tuple(x.shape)}")
    return _put(x, x.shape, (*[slice(None)] * dim, _distinct(where.numbers, x.size(dim))), make)


def _heads(where: Heads, x: torch.Tensor, make: MakePart) -> torch.Tensor:
    if not x.dim() or x.size(-1) % where.count:
        raise ChangeError(f"expected a last dim of {where.count} equal parts, given shape {tuple(x.shape)}")
    split = torch.Size([*x.shape[:-1], where.count, x.size(-1) // where.count])
    return _put(x, split, (..., _distinct(where.numbers, where.count), slice(None)), make)


def _magnitude_above(where: MagnitudeAbove, x: torch.Tensor, make: MakePart) -> torch.Tensor:
    """Change the elements above a limit; the function is given the whole tensor, as `torch.where` wants it."""
    if x.dtype is torch.bool:
        raise ChangeError("expected numbers, which have a magnitude; given bool")
    made = make(Part(x, x.shape, _everything))
    return x if made is x else torch.where(x.abs() > where.limit, made, x)


_KINDS: dict[type[Selection], Callable[[Any, torch.Tensor, MakePart], torch.Tensor]] = {
    Index: _index,
    Channels: _channels,
    Heads: _heads,
    MagnitudeAbove: _magnitude_above,
}


def _put(x: torch.Tensor, shape: torch.Size, place: tuple[Any, ...], make: MakePart) -> torch.Tensor:
    """Make the part of `x` at a place anew, where the place is one of `x` seen in a shape."""

    def pick(values: torch.Tensor) -> torch.Tensor:
        return _seen(values, shape)[place]

    part = Part(pick(x), x.shape, pick)
    if x.numel() and not part.x.numel():
        raise LeftAlone(f"nothing is selected of shape {tuple(x.shape)}")
    made = make(part)
    if made is part.x:
        return x
    new = x.clone()
    _seen(new, shape)[place] = made
    return new


def _seen(values: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    return values if shape == values.shape else values.view(shape)


def _distinct(numbers: Sequence[int], size: int) -> list[int]:
    return list(dict.fromkeys(number % size for number in numbers))


def _check_numbers(numbers: Sequence[int], size: int, of_what: str) -> None:
    for number in numbers:
        if not -size <= number < size:
            raise ChangeError(f"expected an index into {of_what}, given {number}")
