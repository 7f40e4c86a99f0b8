"""A session without a process: it notes what is asked of it, and the test tells what happened."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from hookscope.client.events import EventBook
from hookscope.client.records import RecordBook
from hookscope.client.series_book import SeriesBook
from hookscope.client.state import SessionState
from hookscope.protocol import events
from hookscope.protocol.hooks import HookMode, OperationInfo, OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange, Intervention, InterventionStatus
from hookscope.protocol.series import Layer, Series, SeriesPoint
from hookscope.protocol.stops import Breakpoint, ContinueMode, EventKind, StackFrame, StepEvent, StopKind, StopReason
from hookscope.protocol.tensors import Badge, Record, TensorSpec
from hookscope.protocol.tree import ModuleInfo, ModuleTree, ParameterInfo
from hookscope.protocol.workload import ExampleSource, RunSettings, Source, SyntheticInput, WorkloadInfo
from tests.gui.export_fakes import FakeExports


class FakeSession(FakeExports):
    def __init__(self, tree: ModuleTree | None = None, workload: WorkloadInfo | None = None) -> None:
        super().__init__()
        self.tree = tree
        self.workload = workload
        self.state = SessionState.IDLE if tree is not None else SessionState.NO_MODEL
        self.source: Source | None = ExampleSource("digits") if tree is not None else None
        self.settings = RunSettings()
        self.checked: tuple[str, ...] = ()
        self.checked_operations: tuple[OperationRef, ...] = ()
        self.operations: dict[str, tuple[OperationInfo, ...]] = {}
        self.hook_modes: dict[str, HookMode] = {}
        self.default_hook_mode = HookMode.EXACT
        self.refused_modes: dict[str, str] = {}
        self.hooks: dict[str, tuple[str, ...]] = {}
        self.traced: list[str] = []
        self.records = RecordBook()
        self.history: list[events.StepFinished] = []
        self.are_records_former = False
        self.given_inputs: list[tuple[SyntheticInput, ...]] = []
        self.check_calls = 0
        self.stopped: events.Stopped | None = None
        self.stack: events.StackReady | None = None
        self.events = EventBook()
        self.logs: list[events.LogPrinted] = []
        self.trace_steps = False
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.breakpoint_errors: dict[int, str] = {}
        self.unmatched_breakpoints: frozenset[int] = frozenset()
        self.last_breakpoint_id = 0
        self.interventions: tuple[Intervention, ...] = ()
        self.intervention_errors: dict[int, str] = {}
        self.made_up_inputs: tuple[SyntheticInput, ...] = ()
        self.intervention_statuses: dict[int, InterventionStatus] = {}
        self.last_intervention_id = 0
        self.trial: events.TrialFinished | None = None
        self.is_trying = False
        self.comparison: events.StepsCompared | None = None
        self.proof: events.UnchangedProved | None = None
        self.hand_changes: tuple[HandChange, ...] = ()
        self.at_hand: events.AtHandChanged | None = None
        self.edited: tuple[TensorRef, ...] = ()
        self.series: tuple[Series, ...] = ()
        self.series_book = SeriesBook()
        self.overview: events.OverviewReady | None = None
        self.last_series_id = 0

    def check(self, paths: Iterable[str]) -> None:
        self.checked = tuple(paths)
        self.check_calls += 1

    def check_operations(self, refs: Iterable[OperationRef]) -> None:
        self.checked_operations = tuple(refs)

    def trace_operations(self, path: str) -> None:
        self.traced.append(path)

    def set_hook_mode(self, paths: Iterable[str], mode: HookMode) -> None:
        self.hook_modes |= dict.fromkeys(paths, mode)

    def set_default_hook_mode(self, mode: HookMode) -> None:
        self.default_hook_mode = mode

    def hooks_on(self, path: str) -> tuple[str, ...]:
        return self.hooks.get(path, ())

    def change_settings(self, settings: RunSettings) -> None:
        self.settings = settings

    def give_inputs(self, inputs: tuple[SyntheticInput, ...]) -> None:
        self.given_inputs.append(inputs)

    # -- stepping: each intent is noted as its name and arguments, and changes nothing by itself ------------------

    def step(self, mode: ContinueMode = ContinueMode.CONTINUE, path: str = "") -> None:
        self.wishes.append(("step", mode, path))

    def run(self, count: int | None = None) -> None:
        self.wishes.append(("run", count))

    def pause(self) -> None:
        self.wishes.append(("pause",))

    def finish_step(self) -> None:
        self.wishes.append(("finish_step",))

    def continue_(self, mode: ContinueMode = ContinueMode.CONTINUE, path: str = "") -> None:
        self.wishes.append(("continue_", mode, path))

    def step_into(self) -> None:
        self.wishes.append(("step_into",))

    def step_over(self) -> None:
        self.wishes.append(("step_over",))

    def step_out(self) -> None:
        self.wishes.append(("step_out",))

    def run_to(self, path: str) -> None:
        self.wishes.append(("run_to", path))

    def to_non_finite(self) -> None:
        self.wishes.append(("to_non_finite",))

    def to_end_of_forward(self) -> None:
        self.wishes.append(("to_end_of_forward",))

    def to_end_of_backward(self) -> None:
        self.wishes.append(("to_end_of_backward",))

    def find_non_finite(self, steps: int = 1) -> None:
        self.wishes.append(("find_non_finite", steps))

    def stop(self) -> None:
        self.wishes.append(("stop",))

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        self.breakpoints = tuple(breakpoints)
        self.wishes.append(("set_breakpoints", self.breakpoints))

    def next_breakpoint_id(self) -> int:
        self.last_breakpoint_id = max(self.last_breakpoint_id, *(point.id for point in self.breakpoints), 0) + 1
        return self.last_breakpoint_id

    def set_interventions(self, interventions: Iterable[Intervention]) -> None:
        self.interventions = tuple(interventions)
        self.wishes.append(("set_interventions", self.interventions))

    def next_intervention_id(self) -> int:
        known = (intervention.id for intervention in self.interventions)
        self.last_intervention_id = max(self.last_intervention_id, *known, 0) + 1
        return self.last_intervention_id

    def try_interventions(self) -> None:
        self.wishes.append(("try_interventions",))

    def prove_unchanged(self) -> None:
        self.wishes.append(("prove_unchanged",))

    def compare_steps(self, before: int, after: int) -> None:
        self.wishes.append(("compare_steps", before, after))

    def change_at_hand(self, changes: Iterable[HandChange]) -> None:
        self.hand_changes = tuple(changes)
        self.wishes.append(("change_at_hand", self.hand_changes))

    def set_series(self, series: Iterable[Series]) -> None:
        self.series = tuple(series)
        self.series_book.follow(self.series)
        self.wishes.append(("set_series", self.series))

    def next_series_id(self) -> int:
        self.last_series_id = max(self.last_series_id, *(one.id for one in self.series), 0) + 1
        return self.last_series_id

    def request_overview(self, step: int | None = None) -> None:
        self.wishes.append(("request_overview", step))

    def request_stack(self) -> None:
        self.wishes.append(("request_stack",))

    def request_source(self, file: str, line: int) -> None:
        self.wishes.append(("request_source", file, line))


class FakeBridge(QObject):
    state_changed = Signal()
    model_loaded = Signal()
    hooks_changed = Signal()
    operations_traced = Signal(str)
    settings_changed = Signal()
    records_changed = Signal(object)
    step_finished = Signal(object)
    progress_changed = Signal()
    view_arrived = Signal(object)
    stopped = Signal(object)
    continued = Signal()
    events_added = Signal(int)
    breakpoints_changed = Signal()
    stack_arrived = Signal(object)
    source_arrived = Signal(object)
    log_printed = Signal(object)
    non_finite_searched = Signal(object)
    interventions_changed = Signal()
    trial_finished = Signal(object)
    steps_compared = Signal(object)
    unchanged_proved = Signal(object)
    at_hand_changed = Signal(object)
    series_changed = Signal()
    overview_arrived = Signal(object)
    export_progress = Signal(object)
    exported = Signal(object)
    view_progress = Signal(object)
    failure_raised = Signal(object)
    output_printed = Signal(str)
    drained = Signal(object)

    def __init__(self, session: FakeSession) -> None:
        super().__init__()
        self.session = session

    def enter(self, state: SessionState) -> None:
        self.session.state = state
        self.state_changed.emit()

    def load(self, tree: ModuleTree | None, workload: WorkloadInfo | None = None) -> None:
        self.session.tree, self.session.workload = tree, workload
        self.session.state = SessionState.IDLE if tree is not None else SessionState.NO_MODEL
        self.model_loaded.emit()

    def record(self, *records: Record) -> None:
        self.session.records.add(records)
        self.records_changed.emit(frozenset(record.ref.path for record in records))

    def add_events(self, step: int, *added: StepEvent) -> None:
        self.session.events.add(step, added)
        self.events_added.emit(step)

    def stop_at(
        self,
        event: StepEvent,
        reason: StopReason | None = None,
        ref: TensorRef | None = None,
        *,
        step: int = 1,
    ) -> events.Stopped:
        """Tell, as the session does, that a step is stopped."""
        stopped = events.Stopped(step, event, reason or StopReason(StopKind.STEP), ref)
        self.session.stopped, self.session.stack = stopped, None
        self.session.state = SessionState.STOPPED
        self.stopped.emit(stopped)
        self.state_changed.emit()
        return stopped

    def go_on(self) -> None:
        """Tell that the stopped step goes on."""
        self.session.stopped, self.session.stack = None, None
        self.session.hand_changes, self.session.at_hand = (), None
        self.enter(SessionState.RUNNING)
        self.continued.emit()

    def set_breakpoints(self, errors: dict[int, str] | None = None, unmatched: Iterable[int] = ()) -> None:
        """Tell what the debuggee says of the breakpoints."""
        self.session.breakpoint_errors = errors or {}
        self.session.unmatched_breakpoints = frozenset(unmatched)
        self.breakpoints_changed.emit()

    def set_interventions(self, errors: dict[int, str] | None = None) -> None:
        """Tell what the debuggee says of the interventions."""
        self.session.intervention_errors = errors or {}
        self.interventions_changed.emit()

    def act(self, *statuses: InterventionStatus) -> None:
        """Tell how interventions fared in a step."""
        self.session.intervention_statuses = {status.id: status for status in statuses}
        self.interventions_changed.emit()

    def prove(self, proof: events.UnchangedProved) -> None:
        """Tell whether the model is as it was."""
        self.session.proof = proof
        self.unchanged_proved.emit(proof)

    def change_at_hand(self, refs: tuple[TensorRef, ...], errors: tuple[str, ...] = ()) -> None:
        """Tell what came of the changes by hand."""
        stopped = self.session.stopped
        assert stopped is not None
        self.session.at_hand = events.AtHandChanged(stopped.step, stopped.event, refs, errors)
        self.at_hand_changed.emit(self.session.at_hand)

    def show_stack(self, *frames: StackFrame) -> None:
        """Tell the frames of the stop at hand."""
        stopped = self.session.stopped
        assert stopped is not None
        self.session.stack = events.StackReady(stopped.step, stopped.event, frames)
        self.stack_arrived.emit(self.session.stack)

    def tell_points(self, *points: SeriesPoint) -> None:
        """Tell numbers of series."""
        self.session.series_book.add(points)
        self.series_changed.emit()

    def tell_layers(self, step: int, *layers: Layer) -> None:
        """Answer a request for an overview."""
        self.session.overview = events.OverviewReady(step, layers)
        self.overview_arrived.emit(self.session.overview)

    def log(self, logged: events.LogPrinted) -> None:
        """Tell that a log point was passed."""
        self.session.logs.append(logged)
        self.log_printed.emit(logged)


def event(number: int, kind: EventKind, path: str = "", call: int = 0, depth: int = 0, leaf: str = "") -> StepEvent:
    """Make an event that happened `number` milliseconds after the step began."""
    return StepEvent(number, kind, path, call, depth, number / 1000, leaf)


def spec(*shape: int, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype, "cpu")


def record(
    path: str,
    slot: Slot = Slot.OUTPUT,
    leaf: str = "out",
    of: TensorSpec | None = None,
    *,
    step: int = 1,
    badges: tuple[Badge, ...] = (),
) -> Record:
    return Record(TensorRef(path, slot, leaf), step, 0, of, badges)


_ROWS = (
    ("", "Net"),
    ("features", "Sequential"),
    ("features.0", "Conv2d"),
    ("features.1", "BatchNorm2d"),
    ("features.2", "ReLU"),
    ("features.3", "Conv2d"),
    ("features.4", "BatchNorm2d"),
    ("features.5", "ReLU"),
    ("features.6", "MaxPool2d"),
    ("classifier", "Sequential"),
    ("classifier.0", "Flatten"),
    ("classifier.1", "Linear"),
    ("classifier.2", "ReLU"),
    ("classifier.3", "Linear"),
)


def small_tree() -> ModuleTree:
    """Fourteen modules: features (conv, norm, in-place relu, ...) and a classifier."""
    return tree_of(_ROWS, in_place=("features.2", "features.5"), aliases={"classifier.2": ("act", "head.act")})


def tree_of(
    rows: Iterable[tuple[str, str]],
    in_place: tuple[str, ...] = (),
    aliases: dict[str, tuple[str, ...]] | None = None,
) -> ModuleTree:
    """Make a tree of paths and class names; parents come before children."""
    rows = list(rows)
    index_of = {path: index for index, (path, _) in enumerate(rows)}
    parents = [index_of[path.rpartition(".")[0]] if path else -1 for path, _ in rows]
    containers = set(parents)
    modules = []
    for index, (path, class_name) in enumerate(rows):
        has_weight = class_name in {"Conv2d", "Linear"}
        modules.append(
            ModuleInfo(
                path,
                path.rpartition(".")[2] or class_name,
                class_name,
                parents[index],
                aliases=(aliases or {}).get(path, ()),
                parameters=(ParameterInfo("weight", (16, 1, 3, 3), "float32", "cpu", True),) if has_weight else (),
                parameter_count=1440 if has_weight else 0,
                device="cpu" if has_weight else "",
                in_place=path in in_place,
                has_children=index in containers,
            )
        )
    return ModuleTree(tuple(modules))


def large_tree(blocks: int = 1000) -> ModuleTree:
    """A root and `blocks` blocks of ten modules each: the block and nine layers."""
    rows = [("", "Net")]
    for block in range(blocks):
        rows.append((f"block{block}", "Block"))
        rows += [(f"block{block}.layer{layer}", "Linear" if layer % 3 else "Conv2d") for layer in range(9)]
    return tree_of(rows)
