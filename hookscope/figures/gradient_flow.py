"""All layers side by side: which number of each is drawn on one logarithmic axis, and which of them stand out.

A number stands out by a rule (`BOUNDS`) that compares it with the other layers and with fixed bounds:

- *zero*: all of the layer's values are zero, and none is NaN or infinite.
- *unreached*: backward ended without a gradient of the layer.
- *exploding*: above `largest`; or more than `factor` times the median of the layers, and above `large`.
- *vanishing*: below `smallest`; or less than the median by more than `factor`, and below `small`.

The median is of the layers that are shown and not zero, and counts where there are at least `LEAST_LAYERS` of them. The
second bound of each pair is why in a network whose gradients explode towards the input the few layers near the loss,
which are far below the median, are not called vanishing; nor the other way round. Gradients are judged by their norm,
which passes through healthy layers about unchanged whatever their size, outputs and parameters by the root mean square
of their elements, whatever of the two is drawn.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from hookscope.protocol.identity import Slot
from hookscope.protocol.series import Layer, Magnitude
from hookscope.protocol.tensors import Badge, BadgeKind

LEAST_LAYERS = 4
"""Of fewer layers the median says nothing."""

LEAST_DECADES = 2
_MOST_TICKS = 7
_INF = math.inf


class Measure(StrEnum):
    """What is compared."""

    GRAD_OUTPUT = "grad_output"
    PARAMETER_GRADS = "parameter_grads"
    OUTPUT = "output"
    PARAMETERS = "parameters"
    UPDATE = "update"

    @property
    def is_gradient(self) -> bool:
        """Whether backward makes it."""
        return self in {Measure.GRAD_OUTPUT, Measure.PARAMETER_GRADS}

    @property
    def is_of_parameters(self) -> bool:
        """Whether only a layer with parameters has it."""
        return self not in {Measure.GRAD_OUTPUT, Measure.OUTPUT}


class Verdict(StrEnum):
    """How a layer compares with the others; see the rule above."""

    FINE = "fine"
    VANISHING = "vanishing"
    EXPLODING = "exploding"
    ZERO = "zero"
    UNREACHED = "unreached"


@dataclass(frozen=True)
class Bounds:
    """What of a measure stands out; the default is what never does."""

    factor: float = _INF
    small: float = 0.0
    smallest: float = 0.0
    large: float = _INF
    largest: float = _INF


BOUNDS: dict[Measure, Bounds] = {
    # A loss that is scaled for float16 makes all norms some 1e5 times as large: that alone is not exploding.
    Measure.GRAD_OUTPUT: Bounds(factor=100.0, small=1e-4, smallest=1e-7, large=1.0, largest=1e6),
    Measure.PARAMETER_GRADS: Bounds(factor=100.0, small=1e-4, smallest=1e-7, large=1.0, largest=1e6),
    Measure.OUTPUT: Bounds(factor=100.0, small=1e-2, smallest=1e-6, large=1e2, largest=1e4),
    Measure.PARAMETERS: Bounds(largest=1e4),
    Measure.UPDATE: Bounds(smallest=1e-6, largest=0.1),  # about 1e-3 is what trains well
}

_SLOTS: dict[Measure, Slot] = {
    Measure.GRAD_OUTPUT: Slot.GRAD_OUTPUT,
    Measure.PARAMETER_GRADS: Slot.PARAMETER_GRAD,
    Measure.OUTPUT: Slot.OUTPUT,
    Measure.PARAMETERS: Slot.PARAMETER,
}


@dataclass(frozen=True)
class FlowRow:
    """One layer.

    Attributes:
        path: Its module.
        value: What is drawn; `None` when the layer has no such number.
        verdict: How it compares with the others.
        non_finite: Elements that are NaN or infinite.
        absence: Why it has no number, where that is known.
    """

    path: str
    value: float | None
    verdict: Verdict = Verdict.FINE
    non_finite: int = 0
    absence: Badge | None = None


@dataclass(frozen=True)
class Flow:
    """What to draw.

    Attributes:
        rows: The layers, in the order of the forward pass.
        first_decade: Power of ten at the left end of the axis.
        last_decade: Power of ten at its right end.
        median: Of what is drawn, of the layers that are not zero; `None` when there is none.
    """

    rows: tuple[FlowRow, ...] = ()
    first_decade: int = -LEAST_DECADES
    last_decade: int = 0
    median: float | None = None

    def share(self, value: float) -> float:
        """Return the place of a number along the axis, from 0 to 1; a number that is not positive is at 0."""
        if value <= 0.0:
            return 0.0
        place = (math.log10(value) - self.first_decade) / (self.last_decade - self.first_decade)
        return min(max(place, 0.0), 1.0)

    def ticks(self) -> tuple[int, ...]:
        """Return the powers of ten that are marked, at even distances."""
        every = math.ceil((self.last_decade - self.first_decade) / _MOST_TICKS)
        return tuple(range(self.first_decade, self.last_decade + 1, every))

    def count(self, verdict: Verdict) -> int:
        """Return how many layers there are of a verdict."""
        return sum(row.verdict is verdict for row in self.rows)


def flow_of(layers: Iterable[Layer], measure: Measure, *, by_element: bool, containers: bool) -> Flow:
    """Compare the layers of an overview.

    Args:
        layers: In the order of the forward pass.
        measure: What is compared.
        by_element: Draw the root mean square of the elements instead of the norm.
        containers: Show also modules around others that are shown, if they have no parameters of their own.
    """
    shown = [layer for layer in _without_containers(list(layers), containers=containers) if _is_listed(layer, measure)]
    judge = _judge([_judged(layer, measure) for layer in shown], BOUNDS[measure])
    rows = tuple(
        FlowRow(
            layer.path,
            _value(layer, measure, by_element=by_element),
            _verdict(layer, measure, judge),
            _non_finite(layer, measure),
            _absence(layer, measure),
        )
        for layer in shown
    )
    drawn = [row.value for row in rows if row.value]
    if not drawn:
        return Flow(rows)
    # A bar of the smallest number has some length.
    last = math.ceil(math.log10(max(drawn)))
    first = min(math.floor(math.log10(min(drawn)) - 0.1), last - LEAST_DECADES)
    return Flow(rows, first, last, median(drawn))


def _without_containers(layers: list[Layer], *, containers: bool) -> list[Layer]:
    if containers:
        return layers
    around = {""} if any(layer.path for layer in layers) else set()
    for layer in layers:
        parts = layer.path.split(".")
        around.update(".".join(parts[:end]) for end in range(1, len(parts)))
    return [layer for layer in layers if layer.path not in around or layer.parameters is not None]


def _is_listed(layer: Layer, measure: Measure) -> bool:
    """Whether a layer belongs in the list: not one of which only something else was seen, while a step was stopped."""
    if measure.is_of_parameters:
        return layer.parameters is not None or layer.parameter_grads is not None
    return any((layer.output, layer.grad_output, layer.parameters, layer.parameter_grads, layer.absences))


def _magnitude(layer: Layer, measure: Measure) -> Magnitude | None:
    found: Magnitude | None = getattr(layer, measure.value)
    return found


def _value(layer: Layer, measure: Measure, *, by_element: bool) -> float | None:
    if measure is Measure.UPDATE:
        return layer.update
    found = _magnitude(layer, measure)
    if found is None or found.count == found.non_finite:
        return None
    return _by_element(found) if by_element else found.norm


def _by_element(found: Magnitude) -> float:
    return found.norm / math.sqrt(found.count - found.non_finite)


def _judged(layer: Layer, measure: Measure) -> float | None:
    return _value(layer, measure, by_element=not measure.is_gradient)


def _non_finite(layer: Layer, measure: Measure) -> int:
    found = layer.parameters if measure is Measure.UPDATE else _magnitude(layer, measure)
    return found.non_finite if found is not None else 0


def _absence(layer: Layer, measure: Measure) -> Badge | None:
    slot = _SLOTS.get(measure)
    return layer.absences.get(slot) if slot is not None else None


def _verdict(layer: Layer, measure: Measure, judge: Callable[[float | None], Verdict]) -> Verdict:
    absence = _absence(layer, measure)
    if absence is not None and absence.kind is BadgeKind.NO_GRADIENT_REACHED:
        return Verdict.UNREACHED
    found = judge(_judged(layer, measure))
    return Verdict.FINE if found is Verdict.ZERO and _non_finite(layer, measure) else found


def _judge(values: list[float | None], bounds: Bounds) -> Callable[[float | None], Verdict]:
    """Return what compares one number with all of them."""
    positive = [value for value in values if value]
    middle = median(positive) if len(positive) >= LEAST_LAYERS else None

    def verdict_on(value: float | None) -> Verdict:
        if value is None:
            return Verdict.FINE
        if value == 0.0:
            return Verdict.ZERO
        is_far_above = middle is not None and value > middle * bounds.factor
        is_far_below = middle is not None and value < middle / bounds.factor
        if value > bounds.largest or (is_far_above and value > bounds.large):
            return Verdict.EXPLODING
        if value < bounds.smallest or (is_far_below and value < bounds.small):
            return Verdict.VANISHING
        return Verdict.FINE

    return verdict_on
