"""The difference of two tensors of one shape; what has the same bits does not differ, not even a NaN."""

import math
from dataclasses import dataclass

import torch

from hookscope.engine.convert import CHUNK_ELEMENTS, dense, quiet

_SAME_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Integers that have as many bytes as an element, to look at its bits."""

_WIDE = {torch.float64, torch.complex128}
_COMPLEX = {torch.complex32: torch.complex64}


@dataclass(frozen=True)
class Distance:
    """How far two tensors are apart.

    Attributes:
        norm: Euclidean norm of the difference; infinite when it has elements that are not finite.
        relative: `norm` over the norm of the earlier one; infinite when that is zero or not finite.
        changed: Elements that differ in any bit.
    """

    norm: float = 0.0
    relative: float = 0.0
    changed: int = 0


def subtract(after: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """Return `after - before` in float32 or wider, on the device of `after`; whole numbers and bools in float64.

    Raises:
        Unreadable: One of them has no values.
    """
    with quiet(after):
        new, old = _plain(after), _plain(before).to(after.device)
        return _difference(new, old, _differs(new, old), wide=False)


def distance(after: torch.Tensor, before: torch.Tensor) -> Distance:
    """Measure how far two tensors of one shape are apart, in float64; complex ones by the magnitude.

    Raises:
        Unreadable: One of them has no values.
    """
    with quiet(after):
        later, earlier = _plain(after), _plain(before).to(after.device)
        if later.dtype is earlier.dtype and torch.equal(_bits(later), _bits(earlier)):
            return Distance()
        measured = [_measure(new, old) for new, old in zip(_parts(later), _parts(earlier), strict=True)]
    norms, before_norms, changed = zip(*measured, strict=True)
    norm, before_norm = math.hypot(*norms), math.hypot(*before_norms)
    return Distance(norm if math.isfinite(norm) else math.inf, _relative(norm, before_norm), int(sum(changed)))


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors have the same shape and dtype, and the same bits in every element.

    Raises:
        Unreadable: One of them has no values.
    """
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    with quiet(one):
        return torch.equal(_bits(_plain(one)), _bits(_plain(other).to(one.device)))


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor's own values; most are asked for no more than whether they are plain."""
    is_plain = type(tensor) is torch.Tensor and tensor.layout is torch.strided and not tensor.requires_grad
    if is_plain and not (tensor.is_quantized or tensor.is_nested or tensor.is_meta):
        return tensor
    return dense(tensor)


def _measure(new: torch.Tensor, old: torch.Tensor) -> tuple[float, float, float]:
    """Return the norm of the difference, the norm before, and how many elements differ; waits for the device once."""
    differs = _differs(new, old)
    norms = map(torch.linalg.vector_norm, (_difference(new, old, differs, wide=True), _widened(old, wide=True)))
    norm, before_norm, changed = torch.stack((*norms, differs.sum().to(torch.float64))).tolist()
    return norm, before_norm, changed


def _difference(new: torch.Tensor, old: torch.Tensor, differs: torch.Tensor, *, wide: bool) -> torch.Tensor:
    return (_widened(new, wide=wide) - _widened(old, wide=wide)).masked_fill_(differs.logical_not(), 0)


def _widened(tensor: torch.Tensor, *, wide: bool) -> torch.Tensor:
    if tensor.is_complex():
        return tensor.to(torch.complex128 if wide else _COMPLEX.get(tensor.dtype, tensor.dtype))
    is_wide = wide or tensor.dtype in _WIDE or not tensor.dtype.is_floating_point
    return tensor.to(torch.float64 if is_wide else torch.float32)


def _differs(new: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    """Return where the bits differ; of different dtypes, where the values do."""
    if new.dtype is not old.dtype:
        return new != old
    differs = _bits(new) != _bits(old)
    return differs.any(-1) if new.is_complex() else differs


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """Return whole numbers of the same bits, two for a complex number."""
    plain = tensor.resolve_conj().resolve_neg()
    if plain.is_complex():
        plain = torch.view_as_real(plain.to(_COMPLEX.get(plain.dtype, plain.dtype)))
    return plain.view(_SAME_SIZE[plain.element_size()]) if plain.dtype.is_floating_point else plain


def _relative(norm: float, before_norm: float) -> float:
    if norm == 0:
        return 0.0
    return norm / before_norm if math.isfinite(norm) and 0 < before_norm < math.inf else math.inf


def _parts(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.split(tensor.reshape(-1), CHUNK_ELEMENTS) if tensor.numel() > CHUNK_ELEMENTS else (tensor,)
