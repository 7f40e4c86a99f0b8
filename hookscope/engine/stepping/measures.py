"""Numbers that a breakpoint compares with a limit, of any tensor that has values.

They are measured on the tensor's device, in a precision in which they do not overflow, and of a large tensor without
copying more than a part of it at a time. The tensor is left alone: no graph, no random numbers, no autocast. On a CUDA
device each function waits for the values.
"""

import math
from collections.abc import Iterator

import torch

from hookscope.engine import compat
from hookscope.engine.convert import CHUNK_ELEMENTS, quiet, real_chunks
from hookscope.engine.views.census import scale_for, take_census

_RANGED = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
"""Dtypes of which torch finds the range without a conversion."""

_COMPRESSED = {torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc}

# A 2-norm between these has neither overflowed float64 nor lost what it is made of.
_SAFE_FROM, _SAFE_TO = 1e-140, 1e140


def is_finite(tensor: torch.Tensor) -> bool:
    """Whether no value is NaN or infinite. Cheap: one pass, and none over integers.

    Raises:
        Unreadable: There are no values to look at; see `convert.as_real`. The other functions here raise it too.
    """
    if _is_plain(tensor) and not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        return True
    # The range of values that hold a NaN is NaN.
    return all(math.isfinite(bound) for part in _parts(_stored(tensor)) for bound in _range(part))


def count_non_finite(tensor: torch.Tensor) -> tuple[int, int, int]:
    """Return how many values are NaN, +Inf and -Inf; a complex value is counted by its magnitude."""
    parts = list(take_census(_stored(tensor)))
    return sum(part.nan for part in parts), sum(part.pos_inf for part in parts), sum(part.neg_inf for part in parts)


def peak(tensor: torch.Tensor) -> float | None:
    """Return the largest absolute value, NaN not counted; `None` when there is none."""
    found = []
    for part in _parts(_stored(tensor)):
        low, high = _range(part)
        if math.isnan(low):
            numbers = part[~part.isnan()]
            if not numbers.numel():
                continue
            low, high = _range(numbers)
        found.append(max(abs(low), abs(high)))
    return max(found, default=None)


def norm(tensor: torch.Tensor) -> float | None:
    """Return the Euclidean norm, made in float64; NaN when a value is, `None` when there is no value."""
    found = [_norm(part.to(torch.float64)) for part in _parts(_stored(tensor))]
    if any(map(math.isnan, found)):  # hypot would prefer an infinity
        return math.nan
    return math.hypot(*found) if tensor.numel() else None


def zero_fraction(tensor: torch.Tensor) -> float | None:
    """Return which fraction of the values is zero, also of those that a sparse tensor does not store.

    `None` when there is no value.
    """
    nonzero = sum(int(torch.count_nonzero(part)) for part in _parts(_stored(tensor)))
    count = tensor.numel()
    return (count - nonzero) / count if count else None


def _is_plain(tensor: torch.Tensor) -> bool:
    """Whether torch's functions can be called on a tensor without further ado."""
    return (
        type(tensor) in {torch.Tensor, torch.nn.Parameter}
        and tensor.layout is torch.strided
        and not (tensor.is_meta or tensor.is_nested or compat.is_functorch_wrapped(tensor))
    )


def _stored(tensor: torch.Tensor) -> torch.Tensor:
    """Return the values that are in memory: of a sparse tensor only those, however large it would be if filled up."""
    if _is_plain(tensor):
        return tensor
    with quiet(tensor):
        if tensor.is_meta or compat.is_functorch_wrapped(tensor):
            return tensor
        if tensor.layout is torch.sparse_coo:
            return tensor.detach().coalesce().values()
        return tensor.detach().values() if tensor.layout in _COMPRESSED else tensor


def _parts(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield all values once, as tensors of real floating point numbers that are not empty."""
    if _is_plain(tensor) and tensor.dtype in _RANGED and tensor.numel() <= CHUNK_ELEMENTS:
        # What most tensors are: no need to prepare for all the others.
        parts: Iterator[torch.Tensor] = iter((tensor.detach(),))
    else:
        parts = real_chunks(tensor)
    yield from (part for part in parts if part.numel())


def _range(values: torch.Tensor) -> tuple[float, float]:
    low, high = torch.stack(torch.aminmax(values)).tolist()
    return low, high


def _norm(values: torch.Tensor) -> float:
    """Return the norm of float64 values, also when their squares are too large or too small for float64."""
    found = float(torch.linalg.vector_norm(values))
    if _SAFE_FROM < found < _SAFE_TO or math.isnan(found):
        return found
    largest = max(map(abs, _range(values)))
    if not math.isfinite(largest):
        return largest
    scale = scale_for(largest)
    return float(torch.linalg.vector_norm(values / scale)) * scale
