"""Numbers over the steps: series of one tensor, and an overview of all layers in one step."""

from enum import StrEnum

import msgspec

from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge


class Statistic(StrEnum):
    """A number of a whole tensor; except for `non_finite`, of its finite values."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MEAN = "mean"
    STD = "std"
    """Of the population."""
    NORM = "norm"
    """Euclidean."""
    ZEROS = "zeros"
    """Share of the elements that are zero, from 0 to 1."""
    NON_FINITE = "non_finite"
    """Number of elements that are NaN or infinite."""


class StatisticOf(msgspec.Struct, frozen=True, tag="statistic"):
    """A statistic, one value a step."""

    statistic: Statistic = Statistic.NORM


class ElementAt(msgspec.Struct, frozen=True, tag="element"):
    """One element, one value a step; of a complex tensor its magnitude."""

    index: tuple[int, ...] = ()


class Distribution(msgspec.Struct, frozen=True, tag="distribution"):
    """The smallest value, the quantiles at `LEVELS` and the largest value, in this order, of the finite values."""


LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


class UpdateRatio(msgspec.Struct, frozen=True, tag="update_ratio"):
    """Of a parameter: the norm of what a step changed, over the norm that it had. Known when the next step has run."""


SeriesKind = StatisticOf | ElementAt | Distribution | UpdateRatio


class Series(msgspec.Struct, frozen=True):
    """What is recorded of a tensor after each step, as long as its module is checked.

    Attributes:
        id: Names it; never used twice in a session.
        ref: The tensor.
        kind: Which numbers.
    """

    id: int
    ref: TensorRef
    kind: SeriesKind = StatisticOf()


class Gap(StrEnum):
    """Why a step has no point."""

    NOT_CAPTURED = "not_captured"
    """The tensor was not captured, or has no values."""
    NOT_IN_TIME = "not_in_time"
    """Steps were so fast that the capture had left before it could be looked at."""
    NO_ELEMENT = "no_element"
    """The tensor has no such index in this step."""


class SeriesPoint(msgspec.Struct, frozen=True):
    """What one step gave.

    Attributes:
        id: The series.
        step: The step.
        values: One value; of a distribution seven; none when there is a gap or no value is finite.
        non_finite: Elements that are NaN or infinite.
        gap: Why there are no values.
    """

    id: int
    step: int
    values: tuple[float, ...] = ()
    non_finite: int = 0
    gap: Gap | None = None


class Magnitude(msgspec.Struct, frozen=True):
    """How large a tensor is.

    Attributes:
        norm: Euclidean norm of its finite values.
        count: Elements, from which follows the root mean square: `norm / sqrt(count)`.
        non_finite: Elements that are NaN or infinite.
    """

    norm: float
    count: int
    non_finite: int = 0


class Layer(msgspec.Struct, frozen=True):
    """One module of an overview; of several calls or leaves the values are taken together.

    Attributes:
        path: The module.
        order: When its output was captured: the order of the forward pass.
        output: Of its outputs; `None` for what was not captured, here and below.
        grad_output: Of the gradients of its outputs.
        parameters: Of its own parameters.
        parameter_grads: Of their gradients.
        update: What the step before has changed of the parameters, over their norm then; `None` when it is not kept.
        absences: Why there is nothing in a slot of which nothing was captured, where that is known.
    """

    path: str
    order: int
    output: Magnitude | None = None
    grad_output: Magnitude | None = None
    parameters: Magnitude | None = None
    parameter_grads: Magnitude | None = None
    update: float | None = None
    absences: dict[Slot, Badge] = {}
