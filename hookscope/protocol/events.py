"""What a debuggee tells the window."""

from enum import StrEnum

import msgspec

from hookscope.protocol.devices import DeviceInfo
from hookscope.protocol.failures import Failure
from hookscope.protocol.hooks import HookMode, OperationInfo
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.side_events import Exported, ExportProgress, OverviewReady, SeriesPoints, ViewProgress
from hookscope.protocol.stops import NonFiniteOrigin, StackFrame, StepEvent, StopReason
from hookscope.protocol.tensors import Badge, Record, TensorSpec
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.trial_events import (
    AtHandChanged,
    InterventionsActed,
    InterventionsSet,
    StepsCompared,
    TrialFinished,
    UnchangedProved,
)
from hookscope.protocol.views import ViewResult
from hookscope.protocol.workload import LossChoice, RunSettings, WorkloadInfo

__all__ = [
    "PROTOCOL_VERSION",
    "AtHandChanged",
    "BreakpointsSet",
    "Continued",
    "Event",
    "ExportProgress",
    "Exported",
    "Failed",
    "Hello",
    "HooksSet",
    "InterventionsActed",
    "InterventionsSet",
    "Loaded",
    "LogPrinted",
    "NonFiniteSearched",
    "OperationsTraced",
    "OverviewReady",
    "Phase",
    "Records",
    "RunEnd",
    "RunFinished",
    "SeriesPoints",
    "SettingsApplied",
    "SourceReady",
    "StackReady",
    "StepEvents",
    "StepFinished",
    "StepProgress",
    "StepsCompared",
    "Stopped",
    "TrialFinished",
    "UnchangedProved",
    "ViewProgress",
    "ViewReady",
]

PROTOCOL_VERSION = 4


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """Sent first, once, when torch is imported. Nothing is loaded yet."""

    protocol: int
    hookscope: str
    torch: str
    python: str
    pid: int
    devices: tuple[DeviceInfo, ...]


class Loaded(msgspec.Struct, frozen=True, tag="loaded"):
    """Sent after `Load`. The model is on its device, no hook is on it, and steps can run."""

    tree: ModuleTree
    workload: WorkloadInfo
    settings: RunSettings


class HooksSet(msgspec.Struct, frozen=True, tag="hooks_set"):
    """Sent after `SetHooks`, and again when a mode had to be refused. Exactly `paths` are hooked.

    Attributes:
        paths: The hooked modules.
        unknown: What is no module of this model.
        modes: The modes that hold, for those that are not exact.
        refused: Module path -> why its mode was refused; it is captured exactly.
        hooks: Module path -> in words of PyTorch's API, the hooks of ours that are on it.
    """

    paths: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    modes: dict[str, HookMode] = {}
    refused: dict[str, str] = {}
    hooks: dict[str, tuple[str, ...]] = {}


class OperationsTraced(msgspec.Struct, frozen=True, tag="operations_traced"):
    """Sent after `TraceOperations`: the operations of the module's own forward, in order; its children's are theirs."""

    path: str
    operations: tuple[OperationInfo, ...]


class SettingsApplied(msgspec.Struct, frozen=True, tag="settings_applied"):
    """Sent after `SetSettings` and `SetInputs`. The next step runs with these."""

    settings: RunSettings
    workload: WorkloadInfo


class Phase(StrEnum):
    """Where a step is."""

    FORWARD = "forward"
    LOSS = "loss"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"


class StepProgress(msgspec.Struct, frozen=True, tag="step_progress"):
    """Sent while a step runs, at most 30 times a second; only the newest matters.

    `done` of `total` checked modules have fired in this phase, the last of them `path`.
    """

    step: int
    phase: Phase
    done: int
    total: int
    path: str


class Records(msgspec.Struct, frozen=True, tag="records"):
    """Sent at most 30 times a second and before a step's end. While running fast, the newest per ref are sent."""

    records: tuple[Record, ...]


class StepFinished(msgspec.Struct, frozen=True, tag="step_finished"):
    """Sent when a step ran to its end, after its records. Its captures can be viewed.

    Attributes:
        step: Its number, from 1.
        loss: The loss; `None` when it is NaN or infinite.
        duration_s: Wall time of forward, loss, backward and optimizer, without stops, in seconds.
        forward_s: Wall time of the forward pass alone.
        backward_s: Wall time of the backward pass alone.
        memory_bytes: Peak memory allocated on a CUDA device during the step; on the CPU resident memory of the process.
        capture_bytes: Bytes held by captures.
        budget_bytes: What they may hold.
        optimizer_stepped: Whether the optimizer changed the parameters after backward.
        acted: How many interventions acted in it.
        is_trial: Whether it was run by `RunTrial`, and everything was put back after it.
        loss_choice: How the loss was made; where backward started from a gradient, it is the sum of output times
            gradient.
    """

    step: int
    loss: float | None
    duration_s: float
    forward_s: float
    backward_s: float
    memory_bytes: int
    capture_bytes: int
    optimizer_stepped: bool
    budget_bytes: int = 0
    acted: int = 0
    is_trial: bool = False
    loss_choice: LossChoice = LossChoice.AUTO


class StepEvents(msgspec.Struct, frozen=True, tag="step_events"):
    """Sent while a traced step runs, at most 30 times a second and before a stop. `events` go on where the last ended.

    On CUDA all events of a step are sent again when it is finished, now with the device's own times.
    """

    step: int
    events: tuple[StepEvent, ...]


class Stopped(msgspec.Struct, frozen=True, tag="stopped"):
    """Sent when a step stops, after its records and events. The thread that fired the hook waits for `Continue`.

    Attributes:
        step: The step.
        event: The event at hand: it has happened, and what follows has not.
        reason: Why.
        ref: The tensor at hand, if there is one; it can be viewed whether its module is checked or not.
    """

    step: int
    event: StepEvent
    reason: StopReason
    ref: TensorRef | None = None


class Continued(msgspec.Struct, frozen=True, tag="continued"):
    """Sent when a stopped step goes on."""

    step: int


class BreakpointsSet(msgspec.Struct, frozen=True, tag="breakpoints_set"):
    """Sent after `SetBreakpoints`.

    Attributes:
        errors: Breakpoint id -> why it was refused; it does not stop.
        unmatched: Ids of those that match no module of this model.
    """

    errors: dict[int, str] = {}
    unmatched: tuple[int, ...] = ()


class NonFiniteSearched(msgspec.Struct, frozen=True, tag="non_finite_searched"):
    """Sent after `FindNonFinite`. Without an origin, loss, outputs and gradients of all `steps` were finite."""

    steps: int
    origin: NonFiniteOrigin | None


class LogPrinted(msgspec.Struct, frozen=True, tag="log_printed"):
    """Sent when a log point was passed."""

    breakpoint: int
    step: int
    event: StepEvent
    text: str


class StackReady(msgspec.Struct, frozen=True, tag="stack_ready"):
    """Sent after `RequestStack`: the user's frames of the event at hand, innermost last.

    In backward these are the frames of the forward call that the event belongs to, without variables.
    """

    step: int
    event: StepEvent
    frames: tuple[StackFrame, ...]


class SourceReady(msgspec.Struct, frozen=True, tag="source_ready"):
    """Sent after `RequestSource`.

    Attributes:
        file: The file.
        first_line: Number of the first line in `lines`.
        lines: The text, or nothing, and then `missing` says why.
    """

    file: str
    line: int
    first_line: int
    lines: tuple[str, ...]
    missing: str = ""


class RunEnd(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    PAUSED = "paused"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class RunFinished(msgspec.Struct, frozen=True, tag="run_finished"):
    """Sent when no step and no trace runs any more. `steps` of this run were finished; the debuggee is idle."""

    reason: RunEnd
    steps: int


class ViewReady(msgspec.Struct, frozen=True, tag="view_ready"):
    """Sent for every `RequestView`. `step` is the step the tensor belongs to, 0 when there is none."""

    panel: str
    number: int
    ref: TensorRef
    step: int
    spec: TensorSpec | None
    badges: tuple[Badge, ...]
    result: ViewResult


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """Sent when a command could not be done. What was captured up to there can be viewed; the process lives on."""

    failure: Failure


Event = (
    Hello
    | Loaded
    | HooksSet
    | OperationsTraced
    | SettingsApplied
    | StepProgress
    | Records
    | StepFinished
    | RunFinished
    | StepEvents
    | Stopped
    | Continued
    | BreakpointsSet
    | NonFiniteSearched
    | InterventionsSet
    | InterventionsActed
    | TrialFinished
    | StepsCompared
    | UnchangedProved
    | AtHandChanged
    | SeriesPoints
    | OverviewReady
    | ExportProgress
    | Exported
    | ViewProgress
    | LogPrinted
    | StackReady
    | SourceReady
    | ViewReady
    | Failed
)
