"""Conditions of breakpoints: what must hold at an event for a step to stop there.

On a CUDA device a test of values waits for the device, so a breakpoint with such a condition slows each step down,
stop or not; one on shapes, steps or paths does not.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import nn

from hookscope.engine.convert import Unreadable
from hookscope.engine.specs import spec_of
from hookscope.engine.stepping import measures
from hookscope.engine.stepping.expressions import compile_expression
from hookscope.protocol.stops import (
    Condition,
    Expression,
    MagnitudeAbove,
    NonFinite,
    NormAbove,
    NormBelow,
    SpecChanged,
    StepIs,
    ZerosAbove,
)
from hookscope.protocol.tensors import TensorSpec

Tensors = Sequence[tuple[str, torch.Tensor]]
"""The tensors at hand at an event, with their leaves."""

_Value = TypeVar("_Value")

_FEWEST_DIGITS, _ALL_DIGITS = 4, 17
_EXPONENT_FROM = 1e6


@dataclass(frozen=True)
class EventContext:
    """What is known at an event besides its tensors.

    Attributes:
        path: The module.
        call: Index of its call.
        step: Number of the step.
        module: The module itself, for expressions.
        previous: What the tensors of this module, call and slot were in the last step, by leaf; empty in the first.
    """

    path: str
    call: int
    step: int
    module: nn.Module | None
    previous: Mapping[str, TensorSpec]


@dataclass(frozen=True)
class Hit:
    """Why a condition holds, for the window to word: `norm_above`, `1234`, `1000` is "norm 1234 > 1000".

    Attributes:
        what: The condition's tag; `""` when there is no condition.
        value: What was found: a number with as many digits as tell it from the limit, counts, a shape and dtype.
        limit: What it was compared with, `""` when with nothing; of an expression, its text.
        leaf: The first tensor of which it holds; `""` when it is about no tensor.
    """

    what: str
    value: str
    limit: str
    leaf: str


ConditionTest = Callable[[Tensors, EventContext], Hit | None]
"""Says why a condition holds at an event, or returns `None`; on any thread.

Raises `ExpressionError` when an expression raised. Running out of memory is not caught either.
"""


def compile_condition(condition: Condition | None) -> ConditionTest:
    """Check a condition and make its test. No condition always holds.

    A tensor without readable values (on the meta device, nested, within `vmap`) meets no condition on values, an empty
    one neither, and an integer one is always finite. A NaN is not above, below or zero; an infinity is above any limit.

    Raises:
        ValueError: A limit at which it would hold always or never; or, as `ExpressionError`, a wrong expression.
    """
    return _always if condition is None else _MAKERS[type(condition)](condition)


def describe_non_finite(tensors: Tensors) -> tuple[str, str] | None:
    """Return the first leaf with a NaN or an infinity, and how many of which it has: `("out", "3 NaN, 1 +Inf")`."""
    for leaf, tensor in tensors:
        if _measured(measures.is_finite, tensor) is False:
            counts = zip(measures.count_non_finite(tensor), ("NaN", "+Inf", "-Inf"), strict=True)
            return leaf, ", ".join(f"{count:,} {name}" for count, name in counts if count)
    return None


def spec_words(spec: TensorSpec) -> str:
    """Return dtype and shape as Python writes them: `float32 (2, 3)`."""
    return f"{spec.dtype} {spec.shape}"


def number_words(value: float, limit: float | None = None) -> str:
    """Write a number with four significant digits, or with as many as tell it from a limit; below a million, whole."""
    whole = len(str(int(abs(value)))) if abs(value) < _EXPONENT_FROM else 0
    for digits in range(max(whole, _FEWEST_DIGITS), _ALL_DIGITS):
        text = f"{value:.{digits}g}"
        if limit is None or float(text) != limit:
            return text
    return f"{value:.{_ALL_DIGITS}g}"


# -- tests ----------------------------------------------------------------------------------------------------------


def _always(_tensors: Tensors, _context: EventContext) -> Hit:
    return Hit("", "", "", "")


def _is_non_finite(tensors: Tensors, _context: EventContext) -> Hit | None:
    found = describe_non_finite(tensors)
    return Hit("non_finite", found[1], "", found[0]) if found is not None else None


def _has_changed(tensors: Tensors, context: EventContext) -> Hit | None:
    for leaf, tensor in tensors:
        before, now = context.previous.get(leaf), spec_of(tensor)
        if before is not None and (before.shape, before.dtype) != (now.shape, now.dtype):
            return Hit("spec_changed", spec_words(now), spec_words(before), leaf)
    return None


def _comparison(
    what: str, measure: Callable[[torch.Tensor], float | None], holds: Callable[[float, float], bool], limit: float
) -> ConditionTest:
    def test(tensors: Tensors, _context: EventContext) -> Hit | None:
        for leaf, tensor in tensors:
            value = _measured(measure, tensor)
            if value is not None and holds(value, limit):
                return Hit(what, number_words(value, limit), repr(limit).removesuffix(".0"), leaf)
        return None

    return test


def _measured(measure: Callable[[torch.Tensor], _Value], tensor: torch.Tensor) -> _Value | None:
    """Return what is measured, or `None` of a tensor that has no values to read."""
    try:
        return measure(tensor)
    except Unreadable:
        return None


# -- from a condition to its test -----------------------------------------------------------------------------------


def _magnitude_above(condition: MagnitudeAbove) -> ConditionTest:
    limit = _checked(condition.limit, condition.limit >= 0, "from 0 on: an absolute value is never below it")
    return _comparison("magnitude_above", measures.peak, operator.gt, limit)


def _norm_above(condition: NormAbove) -> ConditionTest:
    limit = _checked(condition.limit, condition.limit >= 0, "from 0 on: a norm is never below it")
    return _comparison("norm_above", measures.norm, operator.gt, limit)


def _norm_below(condition: NormBelow) -> ConditionTest:
    limit = _checked(condition.limit, condition.limit > 0, "above 0: no norm is below it")
    return _comparison("norm_below", measures.norm, operator.lt, limit)


def _zeros_above(condition: ZerosAbove) -> ConditionTest:
    limit = _checked(condition.fraction, 0 <= condition.fraction < 1, "a fraction from 0 to less than 1")
    return _comparison("zeros_above", measures.zero_fraction, operator.gt, limit)


def _checked(limit: float, is_fit: bool, wanted: str) -> float:
    if not (is_fit and math.isfinite(limit)):
        raise ValueError(f"the limit must be {wanted}; {number_words(limit)} is not")
    return limit


def _step_is(condition: StepIs) -> ConditionTest:
    if condition.step < 1:
        raise ValueError(f"steps are counted from 1; there is no step {condition.step}")

    def test(_tensors: Tensors, context: EventContext) -> Hit | None:
        return Hit("step_is", str(context.step), str(condition.step), "") if context.step == condition.step else None

    return test


def _expression(condition: Expression) -> ConditionTest:
    """Make a test that asks of each tensor at hand, or once, if the expression is about none."""
    expression = compile_expression(condition.text)
    is_about_tensors = "tensor" in expression.names

    def test(tensors: Tensors, context: EventContext) -> Hit | None:
        known = {"module": context.module, "path": context.path, "call": context.call, "step": context.step}
        for leaf, tensor in tensors if is_about_tensors else (("", None),):
            if expression.evaluate(tensor=tensor, **known):
                return Hit("expression", "True", expression.text, leaf)
        return None

    return test


def _plain(test: ConditionTest) -> Callable[[Any], ConditionTest]:
    def make(_condition: object) -> ConditionTest:
        return test

    return make


_MAKERS: dict[type[Condition], Callable[[Any], ConditionTest]] = {
    NonFinite: _plain(_is_non_finite),
    MagnitudeAbove: _magnitude_above,
    NormAbove: _norm_above,
    NormBelow: _norm_below,
    ZerosAbove: _zeros_above,
    SpecChanged: _plain(_has_changed),
    StepIs: _step_is,
    Expression: _expression,
}
