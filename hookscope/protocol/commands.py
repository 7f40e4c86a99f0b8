"""What the window asks of a debuggee. *Set* commands carry the whole set, so that a restart is a replay."""

import msgspec

from hookscope.protocol.exports import ExportForm
from hookscope.protocol.hooks import HookMode, OperationRef
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import HandChange, Intervention
from hookscope.protocol.series import Series
from hookscope.protocol.stops import Breakpoint, ContinueMode
from hookscope.protocol.views import ViewRequest
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput


class Load(msgspec.Struct, frozen=True, tag="load"):
    """Sent once, first. Answered by `Loaded` or `Failed`; then the model is on its device and nothing has run."""

    source: Source
    settings: RunSettings
    inputs: tuple[SyntheticInput, ...] = ()


class SetHooks(msgspec.Struct, frozen=True, tag="set_hooks"):
    """Sent when the check marks changed. From the next call on exactly these modules are hooked; answer: `HooksSet`.

    Attributes:
        paths: All checked modules.
        modes: How the gradients of some of them are captured; the others are exact.
        operations: All checked operations; each module in which one runs is hooked too.
    """

    paths: tuple[str, ...]
    modes: dict[str, HookMode] = {}
    operations: tuple[OperationRef, ...] = ()


class TraceOperations(msgspec.Struct, frozen=True, tag="trace_operations"):
    """Sent by "show operations", when idle. Runs the forward pass of the first batch and restores the state.

    Answer: `OperationsTraced`, or `Failed`, or neither when it was stopped; then `RunFinished`, as after steps.
    """

    path: str


class SetSettings(msgspec.Struct, frozen=True, tag="set_settings"):
    """Sent when a setting changed. Holds from the next step on; answer: `SettingsApplied` with what holds now.

    When that are the former settings, because the new ones cannot hold, `Failed` follows.
    """

    settings: RunSettings


class SetInputs(msgspec.Struct, frozen=True, tag="set_inputs"):
    """Sent when made-up inputs were typed. They replace the workload's; answered as `SetSettings`."""

    inputs: tuple[SyntheticInput, ...]


class RunSteps(msgspec.Struct, frozen=True, tag="run_steps"):
    """Sent by Step (`count=1`) and Run (`count=None`, until `Pause` or `Abort`). Ends with `RunFinished`.

    Attributes:
        count: How many steps; `None` for no end.
        mode: How far the first step goes before it stops; `INTO` stops at its first event.
        path: The module of mode `TO_SELECTED`.
        trace: Whether the events of the steps are sent, though nothing stops them.
    """

    count: int | None = 1
    mode: ContinueMode = ContinueMode.CONTINUE
    path: str = ""
    trace: bool = False


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """Sent while running.

    Attributes:
        at_event: Stop at the next event (`Stopped`); when false, the step is finished and the run ends as `PAUSED`.
    """

    at_event: bool = True


class Continue(msgspec.Struct, frozen=True, tag="continue"):
    """Sent while stopped. The step goes on as far as the mode says; `path` is the module of `TO_SELECTED`."""

    mode: ContinueMode = ContinueMode.CONTINUE
    path: str = ""


class SetBreakpoints(msgspec.Struct, frozen=True, tag="set_breakpoints"):
    """Sent when breakpoints changed. They hold from the next event on; answer: `BreakpointsSet`."""

    breakpoints: tuple[Breakpoint, ...]


class SetInterventions(msgspec.Struct, frozen=True, tag="set_interventions"):
    """Sent when interventions changed. They hold from the next call on; answer: `InterventionsSet`.

    They act in their order where several change one tensor.
    """

    interventions: tuple[Intervention, ...]


class RunTrial(msgspec.Struct, frozen=True, tag="run_trial"):
    """Sent when idle, to see what interventions do: runs one step as it would be now, and puts everything back.

    It has the batch of the newest step, its random state, and the present weights; no optimizer steps. Unless one is
    kept that is like it, a step without interventions is run before. Answer: `TrialFinished` before `RunFinished`.
    """


class ProveUnchanged(msgspec.Struct, frozen=True, tag="prove_unchanged"):
    """Sent when idle and no intervention is on. Runs the step of a trial twice, without any hook and as it is observed.

    Answer: `UnchangedProved` before `RunFinished`.
    """


class CompareSteps(msgspec.Struct, frozen=True, tag="compare_steps"):
    """Sent to learn which captured tensors moved between two kept steps; answer: `StepsCompared`."""

    before: int
    after: int


class ChangeAtHand(msgspec.Struct, frozen=True, tag="change_at_hand"):
    """Sent while stopped: the tensors at hand are as they came, with exactly these changes. Answer: `AtHandChanged`."""

    changes: tuple[HandChange, ...]


class SetSeries(msgspec.Struct, frozen=True, tag="set_series"):
    """Sent when other numbers are wanted of every step. From the next finished step on, `SeriesPoints` tell them."""

    series: tuple[Series, ...]


class RequestOverview(msgspec.Struct, frozen=True, tag="request_overview"):
    """Sent to see all checked modules at once; answer: `OverviewReady`. `step`: `None` is the newest finished one."""

    step: int | None = None


class ExportTensor(msgspec.Struct, frozen=True, tag="export_tensor"):
    """Sent to write one tensor to a file; answers: `ExportProgress`, then `Exported` of the same number.

    It is written under a temporary name beside the file and then takes its place: a former file is lost only then.

    Attributes:
        number: Names the export.
        ref: A tensor that was captured, or a local variable of the stopped step.
        file: Where to.
        form: What is written.
        step: Of which step; `None` for the newest.
        minus: A step whose values are subtracted; `None` for the values themselves.
    """

    number: int
    ref: TensorRef
    file: str
    form: ExportForm = ExportForm.NPY
    step: int | None = None
    minus: int | None = None


class ExportStep(msgspec.Struct, frozen=True, tag="export_step"):
    """Sent to write every capture of a step as .npy into a folder, with an `index.json`; answered as `ExportTensor`."""

    number: int
    folder: str
    step: int | None = None


class CancelExport(msgspec.Struct, frozen=True, tag="cancel_export"):
    """Sent to end an export that runs or waits; it answers `Exported` with `cancelled`."""

    number: int


class CancelView(msgspec.Struct, frozen=True, tag="cancel_view"):
    """Sent when a view that takes long is not wanted any more; the answer is a `NoPicture`, or the view."""

    panel: str
    number: int


class FindNonFinite(msgspec.Struct, frozen=True, tag="find_non_finite"):
    """Sent when idle. Runs up to `steps` steps and ends at the first one with a NaN or an infinity that does harm.

    They are ordinary steps otherwise, and told of as such. Answer: `NonFiniteSearched`, before `RunFinished`.
    """

    steps: int = 1


class RequestStack(msgspec.Struct, frozen=True, tag="request_stack"):
    """Sent while stopped; answer: `StackReady` of the event at hand. Its refs can be viewed until the step goes on."""


class RequestSource(msgspec.Struct, frozen=True, tag="request_source"):
    """Sent for a frame's file; answer: `SourceReady`."""

    file: str
    line: int


class Abort(msgspec.Struct, frozen=True, tag="abort"):
    """Sent by Stop. The next hook that fires raises `StepAborted`; the run ends with reason `ABORTED`."""


class Interrupt(msgspec.Struct, frozen=True, tag="interrupt"):
    """Sent when an abort was not heard. Raises `KeyboardInterrupt` in the main thread, also while loading."""


class RequestView(msgspec.Struct, frozen=True, tag="request_view"):
    """Sent by a visible panel; one is outstanding per panel. Answered by `ViewReady` of the same number.

    Attributes:
        panel: Who asks; a newer request of the same panel replaces one that is still waiting.
        number: Running number of the panel's requests.
        ref: Which tensor.
        request: Which view.
        step: Of which step, or `None` for the newest that is complete for this ref.
        minus: A step whose values are subtracted, to see what differs; `None` for the values themselves.
    """

    panel: str
    number: int
    ref: TensorRef
    request: ViewRequest
    step: int | None = None
    minus: int | None = None


class Shutdown(msgspec.Struct, frozen=True, tag="shutdown"):
    """Sent last. A running step is aborted and the process ends."""


Command = (
    Load
    | SetHooks
    | TraceOperations
    | SetSettings
    | SetInputs
    | RunSteps
    | Pause
    | Continue
    | SetBreakpoints
    | SetInterventions
    | RunTrial
    | ProveUnchanged
    | CompareSteps
    | ChangeAtHand
    | SetSeries
    | RequestOverview
    | ExportTensor
    | ExportStep
    | CancelExport
    | CancelView
    | FindNonFinite
    | RequestStack
    | RequestSource
    | Abort
    | Interrupt
    | RequestView
    | Shutdown
)
