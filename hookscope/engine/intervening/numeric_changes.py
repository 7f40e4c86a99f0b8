"""Changes that need nothing but the tensor: each checks its numbers and returns the function that does it.

They are made of what one would write by hand, so that autograd differentiates through them in the same way, and in the
tensor's own dtype. Integers take whole numbers only.
"""

import math
from collections.abc import Callable

import torch

from hookscope.engine.intervening.moments import Moment, generator_for
from hookscope.engine.intervening.selections import Part
from hookscope.engine.intervening.validation import ChangeError, LeftAlone, number_for
from hookscope.engine.specs import dtype_name
from hookscope.protocol import tensor_changes as kinds

Make = Callable[[Part, Moment], torch.Tensor]
"""Makes the new values of a part of a tensor; may return `part.x` itself for no change."""


def zero(_change: kinds.Zero) -> Make:
    """`x.masked_fill(True, 0)`: unlike `zeros_like` it keeps the graph, through which a gradient of zeros goes back."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        return _filled(part.x, 0)

    return make


def scale(change: kinds.Scale) -> Make:
    """`x * factor`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _not_bool(part.x)
        return part.x * number_for(change.factor, part.x.dtype)

    return make


def add(change: kinds.Add) -> Make:
    """`x + value`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _not_bool(part.x)
        return part.x + number_for(change.value, part.x.dtype)

    return make


def clamp(change: kinds.Clamp) -> Make:
    """`x.clamp(low, high)`; at least one of them, in this order."""
    low, high = change.low, change.high
    if low is None and high is None:
        raise ChangeError("expected a low or a high bound, given neither")
    if any(bound is not None and math.isnan(bound) for bound in (low, high)):
        raise ChangeError("expected numbers as bounds, given NaN")
    if low is not None and high is not None and low > high:
        raise ChangeError(f"expected a low bound that is not above the high one, given {low:g} and {high:g}")

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _not_bool(part.x)
        _not_complex(part.x)
        return part.x.clamp(*(None if bound is None else number_for(bound, part.x.dtype) for bound in (low, high)))

    return make


def clip_norm(change: kinds.ClipNorm) -> Make:
    """`x * (limit / norm)` where the norm is above the limit; the norm is made in float64 where the device has it."""
    limit = _checked("limit", change.limit, change.limit > 0, "above 0")

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        x = part.x
        _fractional(x)
        norm = torch.linalg.vector_norm(x, dtype=_norm_dtype(x))
        value = float(norm.detach())
        if not math.isfinite(value):
            raise LeftAlone(f"its norm is {value:g}, so it was left as it is")
        # As bfloat16 the factor itself would be off by as much as 0.4 %.
        wide = torch.promote_types(x.dtype, torch.float32)
        return (x.to(wide) * (limit / norm)).to(x.dtype) if value > limit else x

    return make


def noise(change: kinds.Noise) -> Make:
    """`x + std * N(0, 1)`, drawn on the tensor's device in its dtype, see `moments.seed_of`."""
    std = _checked("standard deviation", change.std, change.std >= 0, "from 0 on")
    seed = _seed(change.seed)

    def make(part: Part, moment: Moment) -> torch.Tensor:
        x = part.x
        _fractional(x)
        generator = generator_for(seed, moment, x.device)
        return x + std * torch.randn(x.shape, generator=generator, dtype=x.dtype, device=x.device)

    return make


def constant(change: kinds.Constant) -> Make:
    """`x.masked_fill(True, value)`, see `zero`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        return _filled(part.x, number_for(change.value, part.x.dtype))

    return make


def mean(change: kinds.Mean) -> Make:
    """`x.mean(dim, keepdim=True).expand_as(x)`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _fractional(part.x)
        _has_dim(part.x, change.dim)
        return part.x.mean(change.dim, keepdim=True).expand_as(part.x)

    return make


def shuffle(change: kinds.Shuffle) -> Make:
    """The entries along a dim in the order of a `torch.randperm`, see `moments.seed_of`."""
    seed = _seed(change.seed)

    def make(part: Part, moment: Moment) -> torch.Tensor:
        x = part.x
        _has_dim(x, change.dim)
        generator = generator_for(seed, moment, x.device)
        return x.index_select(change.dim, torch.randperm(x.size(change.dim), generator=generator, device=x.device))

    return make


def nan_to(change: kinds.NanTo) -> Make:
    """`x.masked_fill(x.isnan(), value)`, of infinities too if so asked."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _fractional(part.x)
        unwanted = ~part.x.isfinite() if change.infinities else part.x.isnan()
        return part.x.masked_fill(unwanted, change.value)

    return make


def flip(_change: kinds.Flip) -> Make:
    """`-x`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        _not_bool(part.x)
        if not part.x.dtype.is_signed:
            raise ChangeError(f"expected numbers that can be negative, given {dtype_name(part.x.dtype)}")
        return -part.x

    return make


def stop_gradient(_change: kinds.StopGradient) -> Make:
    """`x.detach()`."""

    def make(part: Part, _moment: Moment) -> torch.Tensor:
        return part.x.detach()

    return make


def _checked(name: str, value: float, is_fit: bool, wanted: str) -> float:
    if not (is_fit and math.isfinite(value)):
        raise ChangeError(f"expected a {name} {wanted}, given {value:g}")
    return value


def _seed(seed: int) -> int:
    if seed < 0:
        raise ChangeError(f"expected a seed from 0 on, given {seed}")
    return seed


def _not_bool(x: torch.Tensor) -> None:
    if x.dtype is torch.bool:
        raise ChangeError("expected numbers, given bool")


def _not_complex(x: torch.Tensor) -> None:
    if x.dtype.is_complex:
        raise ChangeError(f"expected numbers that have an order, given {dtype_name(x.dtype)}")


def _fractional(x: torch.Tensor) -> None:
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise ChangeError(f"expected floating point numbers, given {dtype_name(x.dtype)}")


def _has_dim(x: torch.Tensor, dim: int) -> None:
    if not -x.dim() <= dim < x.dim():
        raise ChangeError(f"expected a tensor with a dim {dim}, given shape {tuple(x.shape)}")


def _norm_dtype(x: torch.Tensor) -> torch.dtype:
    """Return a dtype in which the squares of what the tensor's own one holds do not overflow."""
    if x.device.type == "mps":  # it has no float64
        return torch.complex64 if x.dtype.is_complex else torch.float32
    return torch.complex128 if x.dtype.is_complex else torch.float64


def _filled(x: torch.Tensor, value: complex) -> torch.Tensor:
    return x.masked_fill(torch.ones((), dtype=torch.bool, device=x.device), value)
