"""What went wrong, as keys and values; the window and the command line word it."""

from enum import StrEnum

import msgspec

from hookscope.protocol.tensors import NamedSpec


class FailureKind(StrEnum):
    """What went wrong. `Failure.values` carries the names listed with each kind."""

    UNKNOWN_EXAMPLE = "unknown_example"
    """`name`, `near` (nearest names, may be empty)."""
    SOURCE_MISSING = "source_missing"
    """No such file or module: `source`."""
    ATTRIBUTE_MISSING = "attribute_missing"
    """The file or module has no such name: `source`, `attribute`, `near`."""
    SOURCE_RAISED = "source_raised"
    """Importing it, or calling the callable, raised: `source`."""
    SOURCE_TYPE = "source_type"
    """It gave neither a Workload nor an nn.Module: `source`, `given`."""
    UNKNOWN_MODULES = "unknown_modules"
    """A glob matches no module: `pattern`, `near`."""
    NEEDS_INPUT = "needs_input"
    """Inputs of a bare module could not be guessed."""
    BAD_INPUT = "bad_input"
    """`reason`."""
    BATCHES_ENDED = "batches_ended"
    """The iterable of batches has no further batch and cannot start again: `count`."""
    FORWARD_RAISED = "forward_raised"
    LOSS_RAISED = "loss_raised"
    """The loss callable raised: `loss`."""
    LOSS_NOT_SCALAR = "loss_not_scalar"
    """Backward cannot start from a non-scalar: `shape`."""
    LOSS_MISSING = "loss_missing"
    """The output is no tensor and has no `.loss`: `given`."""
    GRADIENT_UNUSABLE = "gradient_unusable"
    """Backward cannot start from the gradient that was chosen: `reason` (expected and given)."""
    LOSS_NEEDS_NO_GRAD = "loss_needs_no_grad"
    """Nothing that the loss was made of requires a gradient."""
    BACKWARD_RAISED = "backward_raised"
    OPTIMIZER_RAISED = "optimizer_raised"
    INTERVENTION_FAILED = "intervention_failed"
    """An intervention could not be applied where it fired: `id`, `slot`, `leaf`, `reason` (expected and given)."""
    DEVICE_UNAVAILABLE = "device_unavailable"
    """`device`, `reason`."""
    OUT_OF_MEMORY = "out_of_memory"
    """`device`."""
    INTERNAL = "internal"
    """A fault of hookscope itself."""
    # From here on the client makes them: the debuggee cannot speak any more.
    INTERPRETER_UNUSABLE = "interpreter_unusable"
    """The debuggee could not start: `interpreter`, `output`."""
    VERSION_MISMATCH = "version_mismatch"
    """`window`, `debuggee`: the protocol versions."""
    DEBUGGEE_SIGNALLED = "debuggee_signalled"
    """The process was ended by a signal: `signal` (a name such as SIGKILL), `output`."""
    DEBUGGEE_EXITED = "debuggee_exited"
    """The process ended by itself: `code`, `output`."""
    DEBUGGEE_KILLED = "debuggee_killed"
    """It neither reached a hook nor could be interrupted, so it was killed: `seconds`."""


class Frame(msgspec.Struct, frozen=True):
    """One frame of a traceback; `user` is false for frames of libraries and of hookscope."""

    file: str
    line: int
    function: str
    text: str
    user: bool


class ExceptionInfo(msgspec.Struct, frozen=True):
    """An exception of the user's code, innermost frame last."""

    type: str
    message: str
    frames: tuple[Frame, ...]
    traceback: str


class Failure(msgspec.Struct, frozen=True):
    """What a person is shown.

    Attributes:
        kind: What went wrong.
        values: Names and values for the text; which ones is said at the kind.
        module_path: Innermost module that was running, if one was.
        module_class: Its class.
        inputs: What that module was called with.
        exception: What was raised, if something was.
    """

    kind: FailureKind
    values: dict[str, str] = {}
    module_path: str | None = None
    module_class: str = ""
    inputs: tuple[NamedSpec, ...] = ()
    exception: ExceptionInfo | None = None
