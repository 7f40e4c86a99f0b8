"""Breakpoints in words: where, when, and on what condition."""

from collections.abc import Callable

from hookscope.figures.text import format_number
from hookscope.protocol.stops import (
    Breakpoint,
    Condition,
    EventPhase,
    Expression,
    MagnitudeAbove,
    NonFinite,
    NormAbove,
    NormBelow,
    SpecChanged,
    StepIs,
    ZerosAbove,
)

Translate = Callable[[str], str]

PHASES: dict[EventPhase, str] = {
    EventPhase.FORWARD_ENTER: "forward enter",
    EventPhase.FORWARD_LEAVE: "forward leave",
    EventPhase.BACKWARD_ENTER: "backward enter",
    EventPhase.BACKWARD_LEAVE: "backward leave",
    EventPhase.PARAMETER_GRADIENT: "parameter gradient",
}
"""One row a phase."""

TITLES: dict[type[Condition], str] = {
    NonFinite: "NaN or infinity",
    MagnitudeAbove: "Largest |x| above",
    NormAbove: "Norm above",
    NormBelow: "Norm below",
    ZerosAbove: "Fraction of zeros above",
    SpecChanged: "Shape or dtype changed",
    StepIs: "In step",
    Expression: "Python expression",
}
"""What each condition is called where one is chosen."""

_TEXTS: dict[type[Condition], str] = {
    NonFinite: "NaN or infinity",
    MagnitudeAbove: "|x| > {limit}",
    NormAbove: "norm > {limit}",
    NormBelow: "norm < {limit}",
    ZerosAbove: "zeros > {fraction}",
    SpecChanged: "shape or dtype changed",
    StepIs: "step {step}",
    Expression: "{text}",
}


def word_condition(condition: Condition | None, translate: Translate = str) -> str:
    """Put a condition into words; none is `""`."""
    if condition is None:
        return ""
    values = {name: getattr(condition, name) for name in condition.__struct_fields__}
    shown = {name: value if isinstance(value, str) else format_number(value) for name, value in values.items()}
    return translate(_TEXTS[type(condition)]).format_map(shown)


def word_phases(breakpoint_: Breakpoint, translate: Translate = str) -> str:
    """Name the events that a breakpoint is on."""
    return ", ".join(translate(text) for phase, text in PHASES.items() if phase in breakpoint_.phases)


def word_place(breakpoint_: Breakpoint, root: str) -> str:
    """Name where a breakpoint is; `root` is what the root module is called."""
    return ", ".join(filter(None, (breakpoint_.pattern or root, breakpoint_.operation)))
