"""Where and why a step is stopped, in words."""

from collections.abc import Callable
from dataclasses import dataclass

from hookscope.figures.text import slot_label
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.stops import SLOT_OF, EventKind, StepEvent, StopKind, StopReason

Translate = Callable[[str], str]

PASSES: dict[EventKind, str] = {
    EventKind.FORWARD_ENTER: "forward",
    EventKind.FORWARD_LEAVE: "forward",
    EventKind.LOSS: "loss",
    EventKind.BACKWARD_ENTER: "backward",
    EventKind.BACKWARD_LEAVE: "backward",
    EventKind.PARAMETER_GRADIENT: "backward",
    EventKind.OPTIMIZER: "optimizer",
}
"""In which part of a step an event is."""

REASONS: dict[StopKind, str] = {
    StopKind.STEP: "step",
    StopKind.PAUSE: "paused",
    StopKind.BREAKPOINT: "breakpoint",
    StopKind.SELECTED: "the selected module",
    StopKind.NON_FINITE: "{what}",
    StopKind.END_OF_FORWARD: "end of forward",
    StopKind.END_OF_BACKWARD: "end of backward",
    StopKind.CONDITION_FAILED: "the condition of a breakpoint failed: {error}",
}
"""One row a kind; `{name}` stands for a value of the reason."""

MET: dict[str, str] = {
    "non_finite": "{value}",
    "magnitude_above": "|x| {value} > {limit}",
    "norm_above": "{norm} {value} > {limit}",
    "norm_below": "{norm} {value} < {limit}",
    "zeros_above": "zeros {value} > {limit}",
    "spec_changed": "{value}, was {limit}",
    "step_is": "step {value}",
    "expression": "{limit}",
}
"""What a condition has found, by its tag."""

_MODULES = frozenset(EventKind) - {EventKind.LOSS, EventKind.OPTIMIZER}
_GRADIENTS = frozenset({EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE, EventKind.PARAMETER_GRADIENT})


@dataclass(frozen=True)
class StopText:
    """A stop as a person reads it.

    Attributes:
        where: Part of the step, module and tensor: `backward, features.3 grad_output`.
        why: What has stopped it: `grad norm 1234 > 1000, hit 2`.
    """

    where: str
    why: str


def word_stop(event: StepEvent, reason: StopReason, root: str, translate: Translate = str) -> StopText:
    """Put a stop into words.

    Args:
        event: The event at hand.
        reason: Why the step stopped there.
        root: What the root module is called.
        translate: Gives the words in the person's language.
    """
    return StopText(word_place(event, root, translate), word_reason(event, reason, translate))


def word_place(event: StepEvent, root: str, translate: Translate = str) -> str:
    """Say where in a step an event is, and which tensor is at hand."""
    part = translate(PASSES[event.kind])
    if event.kind not in _MODULES:
        return part
    tensor = TensorRef(event.path, SLOT_OF[event.kind], event.leaf, event.call)
    name = f"{event.path or root} {event.operation}".rstrip()
    return f"{part}, {name} {slot_label(tensor)}"


def word_reason(event: StepEvent, reason: StopReason, translate: Translate = str) -> str:
    """Say why a step stopped at an event; values that are missing are left out."""
    values = reason.values
    if reason.kind is not StopKind.BREAKPOINT:
        known = {"what": values.get("what", "").removeprefix("non_finite "), "error": values.get("error", "")}
        return translate(REASONS[reason.kind]).format_map(known).removesuffix(": ")
    hit = translate("hit {hits}").format(hits=values["hits"]) if values.get("hits") else ""
    return ", ".join(filter(None, (_met(event, values, translate), hit)))


def _met(event: StepEvent, values: dict[str, str], translate: Translate) -> str:
    template = MET.get(values.get("what", ""), REASONS[StopKind.BREAKPOINT])
    norm = translate("grad norm") if event.kind in _GRADIENTS else translate("norm")
    found = {"norm": norm, "value": values.get("value", ""), "limit": values.get("limit", "")}
    return translate(template).format_map(found)
