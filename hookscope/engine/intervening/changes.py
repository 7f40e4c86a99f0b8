"""Changes of tensors: from the struct that says what is to be done to a function that does it.

`compile_change` refuses what can be refused beforehand; `CompiledChange.apply` is what a hook calls.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch

from hookscope.engine import compat
from hookscope.engine.intervening import change_sources, numeric_changes
from hookscope.engine.intervening.moments import Captured, Moment, seed_of
from hookscope.engine.intervening.numeric_changes import Make
from hookscope.engine.intervening.selections import Part, change_where, check_selection
from hookscope.engine.intervening.validation import (
    WIDENED,
    Changed,
    ChangeError,
    LeftAlone,
    check_changeable,
    check_result,
    compare,
)
from hookscope.engine.specs import dtype_name
from hookscope.engine.stepping.expressions import NEW_VALUE, ExpressionError, compile_expression
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.interventions import Selection
from hookscope.protocol.tensor_changes import Change

__all__ = ["Captured", "ChangeError", "Changed", "CompiledChange", "Moment", "compile_change", "seed_of"]


class CompiledChange:
    """A change that has passed the checks; `compile_change` makes it. It keeps no state: any thread may apply it."""

    def __init__(self, make: Make, where: Selection | None) -> None:
        self._make = make
        self._where = where

    def apply(self, x: torch.Tensor, moment: Moment, *, differentiable: bool) -> Changed:
        """Make the new value of a tensor. The tensor itself is never written to.

        Dtypes with which torch does not compute (float8) are changed in float32 and rounded back.

        Args:
            x: A strided tensor of any dtype and shape; the result has the same, and the same device.
            moment: Where and when.
            differentiable: Whether autograd records it as it would the same code in a user's own hook, with grad mode
                as it is. Otherwise nothing is recorded and the result is detached.

        Raises:
            ChangeError: The change cannot be made of this tensor, or its result cannot take the tensor's place.
        """
        check_changeable(x)
        old = x if differentiable else x.detach()
        with nullcontext() if differentiable else torch.no_grad():
            try:
                new = self._changed(old, moment)
            except LeftAlone as reason:
                return Changed(old, 0, str(reason))
            except (ChangeError, MemoryError, torch.OutOfMemoryError):
                raise
            except (RuntimeError, TypeError, ValueError, IndexError) as error:
                given = f"{dtype_name(x.dtype)} of shape {tuple(x.shape)}"
                raise ChangeError(f"expected a tensor that torch can change so, given {given}: {error}") from None
        return Changed(old, 0) if new is old else compare(old, new)

    def _changed(self, x: torch.Tensor, moment: Moment) -> torch.Tensor:
        def make(part: Part) -> torch.Tensor:
            return check_result(self._make(part, moment), part.x)

        wide = WIDENED.get(x.dtype)
        if wide is None:
            return _own_memory(change_where(self._where, x, make), x)
        return change_where(self._where, x.to(wide), make).to(x.dtype)


def compile_change(change: Change, where: Selection | None, *, is_gradient: bool) -> CompiledChange:
    """Check a change and prepare it: files are read, expressions compiled.

    Args:
        change: What is done.
        where: To which elements; `None` is all of them.
        is_gradient: Whether a gradient is changed, rather than a value of the forward pass.

    Raises:
        ChangeError: It can never be made, whatever the tensor.
    """
    if is_gradient and isinstance(change, kinds.StopGradient | kinds.StraightThrough):
        raise ChangeError(f"expected a change of a gradient's value, given {type(change).__name__}: it is of forward")
    check_selection(where)
    return CompiledChange(_prepared(change), where)


def _prepared(change: Change) -> Make:
    make: Make = _MAKERS[type(change)](change)
    return make


def _expression(change: kinds.Expression) -> Make:
    """The value of an expression; a loop in it that does not end cannot be ended by anyone but the user."""
    try:
        expression = compile_expression(change.text, NEW_VALUE)
    except ExpressionError as error:
        raise ChangeError(str(error)) from None

    def make(part: Part, moment: Moment) -> torch.Tensor:
        names = {"module": moment.module, "path": moment.path, "call": moment.call, "step": moment.step}
        version = compat.version_of(part.x)
        try:
            result = expression.value(x=part.x, **names)
        except ExpressionError as error:
            raise ChangeError(f"the expression raised {error}") from None
        if compat.version_of(part.x) != version:
            raise ChangeError("expected an expression that gives a new value, given one that writes into x")
        checked = check_result(result, part.x)
        # What it gives may belong to someone else (a parameter), and whoever gets it next may write into it.
        return checked if checked is part.x else checked.clone()

    return make


def _straight_through(change: kinds.StraightThrough) -> Make:
    """`x + (value - x).detach()`."""
    inner = change.change
    if isinstance(inner, kinds.StopGradient):
        raise ChangeError("expected a change that lets the gradient pass, given StopGradient")
    if isinstance(inner, kinds.NanTo):
        raise ChangeError("expected a change of numbers, given NanTo: where x is NaN, x + (value - x) is NaN too")
    make_inner = _prepared(inner)

    def make(part: Part, moment: Moment) -> torch.Tensor:
        value = check_result(make_inner(part, moment), part.x)
        return part.x if value is part.x else part.x + (value - part.x).detach()

    return make


_MAKERS: dict[type[Change], Callable[[Any], Make]] = {
    kinds.Zero: numeric_changes.zero,
    kinds.Scale: numeric_changes.scale,
    kinds.Add: numeric_changes.add,
    kinds.Clamp: numeric_changes.clamp,
    kinds.ClipNorm: numeric_changes.clip_norm,
    kinds.Noise: numeric_changes.noise,
    kinds.Constant: numeric_changes.constant,
    kinds.Mean: numeric_changes.mean,
    kinds.Replace: change_sources.replace,
    kinds.FromFile: change_sources.from_file,
    kinds.FromStep: change_sources.from_step,
    kinds.Shuffle: numeric_changes.shuffle,
    kinds.NanTo: numeric_changes.nan_to,
    kinds.Flip: numeric_changes.flip,
    kinds.StopGradient: numeric_changes.stop_gradient,
    kinds.Expression: _expression,
    kinds.StraightThrough: _straight_through,
}


def _own_memory(new: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Give each element of an expanded tensor a place of its own: what comes next may write into it."""
    shares = any(stride == 0 and size > 1 for stride, size in zip(new.stride(), new.shape, strict=True))
    return new.clone(memory_format=torch.contiguous_format) if shares and new is not x else new
