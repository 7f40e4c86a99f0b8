"""The numbers that series and overviews are made of. On any thread, under `no_grad`, on the tensor's own device."""

import math
from collections.abc import Callable, Iterable

import torch

from hookscope.engine.convert import CHUNK_ELEMENTS, Unreadable, dense, real_chunks
from hookscope.engine.views import build_view
from hookscope.protocol.series import LEVELS, Magnitude, Statistic
from hookscope.protocol.views import Quantiles, QuantilesRequest, Statistics, StatisticsRequest

_LEAST_NORM, _LARGEST_NORM = 1e-15, 1e18
"""Between these the squares that make a norm are well within float32."""

_RUN = 4096
"""Squares that are added in float32: of more, the rounding would be seen."""

_DIRECT = frozenset({torch.float32, torch.float64})


class NoNumbersError(ValueError):
    """A tensor without values that could be told."""


def statistics_of(tensor: torch.Tensor) -> Statistics:
    """Return all counts and moments.

    Raises:
        NoNumbersError: The tensor has no values.
    """
    found = build_view(tensor, StatisticsRequest())
    if not isinstance(found, Statistics):
        raise NoNumbersError
    return found


def non_finite_in(found: Statistics) -> int:
    """Return how many elements are NaN or infinite."""
    return found.nan + found.pos_inf + found.neg_inf


_TOLD: dict[Statistic, Callable[[Statistics], float | None]] = {
    Statistic.MINIMUM: lambda found: found.minimum,
    Statistic.MAXIMUM: lambda found: found.maximum,
    Statistic.MEAN: lambda found: found.mean,
    Statistic.STD: lambda found: found.std,
    Statistic.NORM: lambda found: found.norm,
    Statistic.ZEROS: lambda found: found.zero / found.count if found.count else None,
    Statistic.NON_FINITE: lambda found: float(non_finite_in(found)),
}


def statistic_in(found: Statistics, statistic: Statistic) -> float | None:
    """Return one of them; `None` when no value is finite."""
    return _TOLD[statistic](found)


def distribution_of(tensor: torch.Tensor) -> tuple[tuple[float, ...], int]:
    """Return smallest value, quantiles at `LEVELS` and largest value, and how many elements are not finite.

    Raises:
        NoNumbersError: The tensor has no values.
    """
    found = build_view(tensor, QuantilesRequest(LEVELS))
    if not isinstance(found, Quantiles):
        raise NoNumbersError
    bad = found.nan + found.pos_inf + found.neg_inf
    if found.minimum is None or found.maximum is None:
        return (), bad
    return (found.minimum, *found.values, found.maximum), bad


def element_of(tensor: torch.Tensor, index: tuple[int, ...]) -> float:
    """Return one element; of a complex tensor its magnitude.

    Raises:
        NoNumbersError: The tensor has no values.
        IndexError: There is no such element.
    """
    if len(index) != tensor.dim():
        raise IndexError
    try:
        value = dense(tensor)[index].item()
    except (Unreadable, RuntimeError, TypeError) as error:  # a layout or dtype of which torch can take no element
        raise NoNumbersError from error
    return float(abs(value) if isinstance(value, complex) else value)


def magnitude_of(tensors: Iterable[torch.Tensor]) -> Magnitude | None:
    """Return how large some tensors are, taken together; `None` when none has values."""
    known = []
    for tensor in tensors:
        try:
            known.append(_size_of(tensor))
        except NoNumbersError:
            continue
    return _joint(known) if known else None


def update_of(pairs: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> tuple[float | None, int]:
    """Return the norm of what changed over the norm before, and how many elements are not finite before or after.

    Args:
        pairs: What was before and what is after. Those of which the shape is another one are left out.

    Returns:
        The ratio of the finite elements: `None` when there are none, or all were zero before.

    Raises:
        NoNumbersError: Nothing could be compared.
    """
    moved, former = [], []
    for before, after in pairs:
        try:
            first, second = dense(before).reshape(-1), dense(after).reshape(-1)
            if before.shape != after.shape or first.device != second.device:
                continue
            wide = torch.complex128 if first.is_complex() else torch.float64
            for old, new in zip(torch.split(first, CHUNK_ELEMENTS), torch.split(second, CHUNK_ELEMENTS), strict=True):
                moved.append(_size_of(new.to(wide) - old.to(wide)))
                former.append(_size_of(old))
        except (Unreadable, NoNumbersError, RuntimeError, TypeError):  # what torch cannot do with a dtype of its own
            continue
    if not moved:
        raise NoNumbersError
    change, norm = _joint(moved), _joint(former).norm
    has_ratio = norm > 0 and change.count > change.non_finite
    return (change.norm / norm if has_ratio else None), change.non_finite


def _joint(sizes: list[Magnitude]) -> Magnitude:
    return Magnitude(
        norm=math.hypot(*(size.norm for size in sizes)),
        count=sum(size.count for size in sizes),
        non_finite=sum(size.non_finite for size in sizes),
    )


def _size_of(tensor: torch.Tensor) -> Magnitude:
    """Return how large a tensor is, in one pass over its values unless there is something about them.

    Raises:
        NoNumbersError: The tensor has no values.
    """
    try:
        norm = math.hypot(*(_norm(chunk) for chunk in _chunks(tensor)))
    except (Unreadable, RuntimeError, TypeError) as error:
        raise NoNumbersError from error
    if _LEAST_NORM < norm < _LARGEST_NORM:
        return Magnitude(norm, tensor.numel())
    found = statistics_of(tensor)  # all zero, or not finite, or squares that the dtype does not hold
    return Magnitude(found.norm or 0.0, found.count, non_finite_in(found))


def _chunks(tensor: torch.Tensor) -> Iterable[torch.Tensor]:
    """Return all values as 1-D tensors of float32 or float64."""
    is_plain = type(tensor) is torch.Tensor and tensor.layout is torch.strided and not tensor.is_meta
    if is_plain and tensor.dtype in _DIRECT and tensor.is_contiguous():  # most are, and the way around costs more
        return torch.split(tensor.view(-1), CHUNK_ELEMENTS)
    return real_chunks(tensor)


def _norm(values: torch.Tensor) -> float:
    """Return the norm of a 1-D tensor, whose squares are added in its own dtype only within short runs."""
    if values.numel() <= _RUN:
        return float(torch.linalg.vector_norm(values))
    whole = values.numel() // _RUN * _RUN
    runs = torch.linalg.vector_norm(values[:whole].view(-1, _RUN), dim=1)
    rest = torch.linalg.vector_norm(values[whole:])
    return math.hypot(float(torch.linalg.vector_norm(runs, dtype=torch.float64)), float(rest))
