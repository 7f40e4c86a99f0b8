"""Stepping: the events of a step, where it stops, and why. The words are the Debug Adapter Protocol's."""

from enum import StrEnum

import msgspec

from hookscope.protocol.identity import Slot, TensorRef


class EventKind(StrEnum):
    """One moment of a step."""

    FORWARD_ENTER = "forward_enter"
    """A module is about to run: its inputs are known."""
    FORWARD_LEAVE = "forward_leave"
    """A module has returned: its outputs are known."""
    LOSS = "loss"
    """The loss is known; backward is about to begin."""
    BACKWARD_ENTER = "backward_enter"
    """The gradient of a call's output is known (its first leaf that gets one)."""
    BACKWARD_LEAVE = "backward_leave"
    """A call's share of its inputs' gradients is known; without one, all that happens in the call has happened."""
    PARAMETER_GRADIENT = "parameter_gradient"
    """A gradient was accumulated into a parameter."""
    OPTIMIZER = "optimizer"
    """The optimizer is about to change the parameters."""


class StepEvent(msgspec.Struct, frozen=True, gc=False):
    """One event of a step.

    Attributes:
        number: Running number within the step, from 0: the order in which things happened.
        kind: What happened.
        path: The module; `""` is the root, also for the loss and the optimizer.
        call: Index of the module's call.
        depth: Depth in the tree of calls; 0 is the root's call, the loss and the optimizer.
        time_s: Seconds since the step began, without the time that it was stopped.
        leaf: Of a parameter gradient, the parameter's name; else the leaf that is known now.
        memory_bytes: Memory allocated on a CUDA device at that moment; 0 on the CPU.
        device_s: On CUDA, the device's own time since the step began, filled in when the step is finished; else 0.
        operation: Of an operation's event, `add:1`.
    """

    number: int
    kind: EventKind
    path: str
    call: int
    depth: int
    time_s: float
    leaf: str = ""
    memory_bytes: int = 0
    device_s: float = 0.0
    operation: str = ""


class EventPhase(StrEnum):
    """Where a breakpoint stops; one per kind of event that a module has."""

    FORWARD_ENTER = "forward_enter"
    FORWARD_LEAVE = "forward_leave"
    BACKWARD_ENTER = "backward_enter"
    BACKWARD_LEAVE = "backward_leave"
    PARAMETER_GRADIENT = "parameter_gradient"


SLOT_OF: dict[EventKind, Slot] = {
    EventKind.FORWARD_ENTER: Slot.INPUT,
    EventKind.FORWARD_LEAVE: Slot.OUTPUT,
    EventKind.BACKWARD_ENTER: Slot.GRAD_OUTPUT,
    EventKind.BACKWARD_LEAVE: Slot.GRAD_INPUT,
    EventKind.PARAMETER_GRADIENT: Slot.PARAMETER_GRAD,
}
"""Which tensors are at hand at an event."""


class NonFinite(msgspec.Struct, frozen=True, tag="non_finite"):
    """Holds when a tensor at hand has a NaN or an infinity."""


class MagnitudeAbove(msgspec.Struct, frozen=True, tag="magnitude_above"):
    """Holds when the largest absolute value is above `limit`."""

    limit: float


class NormAbove(msgspec.Struct, frozen=True, tag="norm_above"):
    """Holds when the Euclidean norm is above `limit`."""

    limit: float


class NormBelow(msgspec.Struct, frozen=True, tag="norm_below"):
    """Holds when the Euclidean norm is below `limit`."""

    limit: float


class ZerosAbove(msgspec.Struct, frozen=True, tag="zeros_above"):
    """Holds when more than this fraction of the elements is zero."""

    fraction: float


class SpecChanged(msgspec.Struct, frozen=True, tag="spec_changed"):
    """Holds when shape or dtype differ from those of the same tensor in the last step."""


class StepIs(msgspec.Struct, frozen=True, tag="step_is"):
    """Holds in one step."""

    step: int


class Expression(msgspec.Struct, frozen=True, tag="expression"):
    """Holds when a Python expression is true; names: `tensor, module, path, call, step`, and `torch`."""

    text: str


Condition = NonFinite | MagnitudeAbove | NormAbove | NormBelow | ZerosAbove | SpecChanged | StepIs | Expression


class Breakpoint(msgspec.Struct, frozen=True):
    """Where and when a step stops.

    Attributes:
        id: Names it; never used twice in a session.
        pattern: A glob over module paths, or over class names after `class:`; with `operation`, the module it runs in.
        phases: At which events.
        condition: What must hold of a tensor at hand; `None` always does.
        hits: Stop only from this many hits on, counted over the session.
        log: Text of a log point, which never stops; `{tensor}`, `{path}`, `{call}`, `{step}`, `{hits}` are filled in.
            `""` for a breakpoint.
        enabled: Whether it counts.
        operation: A glob over operation names, for one on operations rather than modules; `""` for modules.
    """

    id: int
    pattern: str
    phases: tuple[EventPhase, ...]
    condition: Condition | None = None
    hits: int = 1
    log: str = ""
    enabled: bool = True
    operation: str = ""


class ContinueMode(StrEnum):
    """How a stopped step goes on."""

    CONTINUE = "continue"
    """To the next breakpoint, or to the end."""
    INTO = "into"
    """To the next event."""
    OVER = "over"
    """To the next event that is not deeper than this one."""
    OUT = "out"
    """To the leaving of the innermost open call that encloses this event, in this direction."""
    TO_SELECTED = "to_selected"
    """To the next event of a module."""
    TO_NON_FINITE = "to_non_finite"
    """To the next event at which a tensor at hand has a NaN or an infinity."""
    TO_END_OF_FORWARD = "to_end_of_forward"
    TO_END_OF_BACKWARD = "to_end_of_backward"


class StopKind(StrEnum):
    """Why a step stopped. `StopReason.values` carries the names listed with each kind."""

    STEP = "step"
    PAUSE = "pause"
    BREAKPOINT = "breakpoint"
    """`breakpoint` (its id), `hits`, and of its condition `what`, `value`, `limit`, `leaf`."""
    SELECTED = "selected"
    NON_FINITE = "non_finite"
    """`what`: which counts."""
    END_OF_FORWARD = "end_of_forward"
    END_OF_BACKWARD = "end_of_backward"
    CONDITION_FAILED = "condition_failed"
    """`breakpoint`, `error`: the expression raised, so the step stops to show it."""


class StopReason(msgspec.Struct, frozen=True):
    """Why a step stopped, as a key and values; the window words it."""

    kind: StopKind
    values: dict[str, str] = {}


class OriginPhase(StrEnum):
    """Where a non-finite value was born."""

    INPUT = "input"
    """It was in the inputs already."""
    PARAMETER = "parameter"
    """A parameter had it before the step began."""
    FORWARD = "forward"
    LOSS = "loss"
    BACKWARD = "backward"


class NonFiniteOrigin(msgspec.Struct, frozen=True):
    """The producer of the first non-finite value of a step that did harm: what went in was finite, what came out not.

    Attributes:
        step: The step.
        phase: Where in the step.
        path: The innermost module whose own forward runs the operation, forward or by its backward.
        class_name: That module's class.
        call: Index of its call.
        operation: `sqrt:0`; of a parameter its name; `""` when it is not known.
        what: What was born, for example `3 NaN, 1 +Inf`.
        file: The user's source file in which the operation stands.
        line: The line.
        code: The source line.
        refs: Captured tensors that led to it, what went in first, and what came out last.
    """

    step: int
    phase: OriginPhase
    path: str
    class_name: str
    call: int
    operation: str
    what: str
    file: str = ""
    line: int = 0
    code: str = ""
    refs: tuple[TensorRef, ...] = ()


class StackFrame(msgspec.Struct, frozen=True):
    """One frame of the user's code at an event, or of the forward call that a backward event belongs to.

    Attributes:
        file: Source file.
        line: Line that is being run.
        function: Qualified name of the function.
        text: The source line.
        user: False for frames of libraries and of hookscope.
        variables: Local variables; only while the frame is alive, so not in backward.
    """

    file: str
    line: int
    function: str
    text: str
    user: bool
    variables: tuple["Variable", ...] = ()


class Variable(msgspec.Struct, frozen=True):
    """A local variable in words.

    Attributes:
        name: Its name.
        type: Name of its class.
        text: Shape, dtype and range of a tensor; a short `repr` of anything else.
        ref: Names the tensor for a view while the step is stopped; `None` when it is none.
    """

    name: str
    type: str
    text: str
    ref: TensorRef | None = None
