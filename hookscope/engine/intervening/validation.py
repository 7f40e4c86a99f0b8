"""What a tensor must be like to be changed, what a new value must be like to take its place, and what became of it."""

import math
from dataclasses import dataclass

import torch

from hookscope.engine.convert import Unreadable, dense, quiet
from hookscope.engine.specs import dtype_name, spec_of


class ChangeError(ValueError):
    """A change that cannot be made; the text says what was expected and what was given."""


class LeftAlone(Exception):  # noqa: N818 - no error: the tensor stays as it is
    """There is nothing that a change could do; the text says why."""


@dataclass(frozen=True)
class Changed:
    """What a change has made.

    Attributes:
        tensor: The new value; the very tensor that was given (detached, if so asked) when there was nothing to do.
        elements: How many elements differ in any bit from what they were; NaN is as good as NaN.
        warning: What should be known about it; `""` for nothing.
    """

    tensor: torch.Tensor
    elements: int
    warning: str = ""


WIDENED: dict[torch.dtype, torch.dtype] = {
    torch.float8_e4m3fn: torch.float32,
    torch.float8_e4m3fnuz: torch.float32,
    torch.float8_e5m2: torch.float32,
    torch.float8_e5m2fnuz: torch.float32,
}
"""Dtypes that torch stores but does not compute with, and the one in which their changes are made."""

_COMPUTED = {
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex128, torch.complex64, torch.bool),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint64, torch.uint32, torch.uint16, torch.uint8),
}
_SAME_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def check_changeable(x: torch.Tensor) -> None:
    """Refuse a tensor whose values cannot be changed.

    Raises:
        ChangeError: It has none, or keeps them in a form of its own: sparse, nested, quantized, on the meta device,
            within a torch.func transform, a wrapper of other tensors.
    """
    layout = spec_of(x).layout
    if layout not in {"strided", "uninitialized"}:
        raise ChangeError(f"expected a strided tensor, given a {layout} one")
    if x.is_quantized or not (x.dtype in _COMPUTED or x.dtype in WIDENED):
        raise ChangeError(f"expected numbers that torch computes with, given {dtype_name(x.dtype)}")
    try:
        dense(x)
    except Unreadable as reason:
        raise ChangeError(f"expected a tensor with values, given one that is {reason}") from None


def check_result(result: object, x: torch.Tensor) -> torch.Tensor:
    """Return the new value of a tensor if it can take its place: same shape, dtype, device and layout.

    Raises:
        ChangeError: It cannot.
    """
    if not isinstance(result, torch.Tensor):
        raise ChangeError(f"expected a tensor of shape {tuple(x.shape)}, given {_kind(result)}")
    wanted, given = spec_of(x), spec_of(result)
    pairs = [
        ("shape", wanted.shape, given.shape),
        ("dtype", wanted.dtype, given.dtype),
        ("device", wanted.device, given.device),
        ("layout", wanted.layout, given.layout),
    ]
    wrong = [pair for pair in pairs if pair[1] != pair[2]]
    if wrong:
        expected = " and ".join(f"{name} {value}" for name, value, _ in wrong)
        found = " and ".join(f"{name} {value}" for name, _, value in wrong)
        raise ChangeError(f"expected {expected}, given {found}")
    return result


def _kind(value: object) -> str:
    if isinstance(value, bool | int | float | complex):
        return f"the number {value}; write `torch.full_like(x, {value})`"
    return "None" if value is None else f"a {type(value).__name__}"


def compare(old: torch.Tensor, new: torch.Tensor) -> Changed:
    """Count what a change has done. Waits for the values on a CUDA device, once."""
    with quiet(old):
        before, after = old.detach(), new.detach()
        counts = [torch.count_nonzero(_differ(before, after))]
        if before.dtype.is_floating_point or before.dtype.is_complex:
            counts.append(torch.count_nonzero(_finite(before) & ~_finite(after)))
        elements, *non_finite = torch.stack(counts).tolist()
    spoiled = sum(non_finite)
    warning = f"made {spoiled:,} {'element' if spoiled == 1 else 'elements'} non-finite" if spoiled else ""
    return Changed(new, elements, warning)


def _differ(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    differ = _bits(before) != _bits(after)
    if before.dtype is torch.complex128:
        differ = differ.any(-1)
    if before.dtype.is_floating_point or before.dtype.is_complex:
        differ &= ~(_readable(before).isnan() & _readable(after).isnan())
    return differ


def _bits(values: torch.Tensor) -> torch.Tensor:
    plain = values.resolve_conj().resolve_neg()
    if plain.dtype is torch.complex128:  # there is no integer of its size
        plain = torch.view_as_real(plain)
    return plain.view(_SAME_SIZE[plain.element_size()])


def _finite(values: torch.Tensor) -> torch.Tensor:
    return _readable(values).isfinite()


def _readable(values: torch.Tensor) -> torch.Tensor:
    return values.to(WIDENED.get(values.dtype, values.dtype))


def number_for(value: float, dtype: torch.dtype) -> float:
    """Return a number as it can be used with a dtype: whole for integers, 0 or 1 for bool.

    Raises:
        ChangeError: It cannot be.
    """
    if dtype.is_floating_point or dtype.is_complex:
        return value
    if not math.isfinite(value) or value != int(value):
        raise ChangeError(f"expected a whole number, for the tensor is {dtype_name(dtype)}; given {value:g}")
    low, high = (0, 1) if dtype is torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    if not low <= value <= high:
        raise ChangeError(
            f"expected a number from {low} to {high}, for the tensor is {dtype_name(dtype)}; given {value:g}"
        )
    return int(value)
