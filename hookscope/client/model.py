"""What the client knows of the loaded model: kept when its debuggee is lost, so that it can be read and replayed.

Belongs to the thread of its session.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from hookscope.client.export_mirror import ExportMirror
from hookscope.client.inbox import HISTORY_STEPS
from hookscope.client.intervention_mirror import InterventionMirror
from hookscope.client.records import RecordBook
from hookscope.client.stepping_mirror import SteppingMirror
from hookscope.client.watching_mirror import WatchingMirror
from hookscope.protocol import commands, events
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.hooks import HookMode, OperationInfo, OperationRef
from hookscope.protocol.workload import LossChoice, RunSettings, Source, SyntheticInput, WorkloadInfo

if TYPE_CHECKING:
    from hookscope.protocol.tree import ModuleTree


TRIALS_KEPT = 20
"""Of trials that follow each other in the history."""


@dataclass(frozen=True)
class Setup:
    """What is loaded: enough for a fresh debuggee to take the place of another."""

    source: Source
    settings: RunSettings
    inputs: tuple[SyntheticInput, ...]


class ModelMirror:
    """The loaded model and what the user set up for it; see the properties of `DebugSession` with the same names."""

    def __init__(self) -> None:
        self.source: Source | None = None
        self.tree: ModuleTree | None = None
        self.workload: WorkloadInfo | None = None
        self.settings = RunSettings()
        self.inputs: tuple[SyntheticInput, ...] = ()
        self.checked: tuple[str, ...] = ()
        self.checked_operations: tuple[OperationRef, ...] = ()
        self.operations: dict[str, tuple[OperationInfo, ...]] = {}
        self.hook_modes: dict[str, HookMode] = {}
        self.default_hook_mode = HookMode.EXACT
        self.refused_modes: dict[str, str] = {}
        self.hooks_on: dict[str, tuple[str, ...]] = {}
        self.hello: events.Hello | None = None
        self.records = RecordBook()
        self.stepping = SteppingMirror()
        self.intervening = InterventionMirror()
        self.watching = WatchingMirror()
        self.exporting = ExportMirror()
        self.history: deque[events.StepFinished] = deque(maxlen=HISTORY_STEPS)
        self.progress: events.StepProgress | None = None
        self._trials_at_end = 0
        self.is_running = False
        self._inputs_before: tuple[SyntheticInput, ...] = ()
        self._unanswered = 0
        self.are_records_former = False

    # -- what the user wants --------------------------------------------------------------------------------------

    def setup_for(self, source: Source, inputs: tuple[SyntheticInput, ...]) -> Setup:
        """Return how to load a source: what was chosen for another model's loss and inputs is not kept."""
        settings = self.settings
        if self.source is not None and source != self.source:
            settings = msgspec.structs.replace(settings, loss=LossChoice.AUTO, gradient_file="", requires_grad=())
        return Setup(source, settings, inputs)

    def replay(self) -> Setup | None:
        """Return how to load the same model again."""
        return None if self.source is None else Setup(self.source, self.settings, self.inputs)

    def check(self, paths: Iterable[str]) -> None:
        """Keep which modules are checked."""
        self.checked = tuple(dict.fromkeys(paths))

    def check_operations(self, refs: Iterable[OperationRef]) -> None:
        """Keep which operations are checked."""
        self.checked_operations = tuple(dict.fromkeys(refs))

    def set_hook_mode(self, paths: Iterable[str], mode: HookMode) -> None:
        """Keep the mode of some modules."""
        self.hook_modes |= dict.fromkeys(paths, mode)

    def hooks(self) -> commands.SetHooks:
        """Return what asks a debuggee for everything that is checked."""
        wanted = {path: self.hook_modes.get(path, self.default_hook_mode) for path in self.checked}
        modes: dict[str, HookMode] = {path: mode for path, mode in wanted.items() if mode is not HookMode.EXACT}
        return commands.SetHooks(self.checked, modes, self.checked_operations)

    def change_settings(self, settings: RunSettings, *, is_sent: bool) -> None:
        """Keep wanted settings; those that were sent hold until the debuggee says what is in force."""
        self.settings = settings
        self._unanswered += is_sent

    def give_inputs(self, inputs: tuple[SyntheticInput, ...], *, is_sent: bool) -> None:
        """Keep made-up inputs, and the former ones in case they are refused."""
        self._inputs_before, self.inputs = self.inputs, inputs
        self._unanswered += is_sent

    # -- what the debuggee says -----------------------------------------------------------------------------------

    def replace(self, setup: Setup, hello: events.Hello | None, loaded: events.Loaded) -> None:
        """Take over a model that was just loaded.

        The same model again keeps its check marks, and its records and history until there are newer ones.
        """
        is_same = setup.source == self.source
        self.lose_debuggee()
        self.intervening.forget_steps()
        self.source, self.inputs, self.hello = setup.source, setup.inputs, hello
        self.tree, self.workload, self.settings = loaded.tree, loaded.workload, loaded.settings
        self.records.follow(loaded.tree)
        self.are_records_former = is_same
        if not is_same:
            self.checked = ()
            self.checked_operations = ()
            self.operations.clear()
            self.hook_modes.clear()
            self.refused_modes, self.hooks_on = {}, {}
            self.stepping.logs.clear()
            self._forget_steps()

    def lose_debuggee(self) -> None:
        """Expect nothing more from the debuggee that there was."""
        self._unanswered = 0
        self.progress = None
        self.is_running = False
        self.stepping.let_go()
        self.intervening.lose_debuggee()

    def let_go(self) -> None:
        """The stop is over, or will be at once."""
        self.stepping.let_go()
        self.intervening.let_go()

    def note(self, event: events.Event) -> None:
        """Apply an event of the model's debuggee."""
        match event:
            case events.HooksSet():
                unknown = set(event.unknown)
                self.checked = tuple(path for path in self.checked if path not in unknown)
                self.checked_operations = tuple(ref for ref in self.checked_operations if ref.path not in unknown)
                self.refused_modes, self.hooks_on = event.refused, event.hooks
            case events.OperationsTraced():
                self.operations[event.path] = event.operations
            case events.SettingsApplied():
                self._note_applied(event)
            case events.StepProgress():
                self.progress = event
            case events.StepEvents() | events.SeriesPoints():
                self._forget_former_steps()
            case events.Records():
                self._forget_former_steps()
                self.records.add(event.records)
            case events.StepFinished():
                self._forget_former_steps()
                self.records.finish(event.step)
                self._keep(event)
            case events.RunFinished():
                self.progress = None
                self.is_running = False
        self.stepping.note(event)
        self.intervening.note(event)
        self.watching.note(event)
        self.exporting.note(event)

    def _keep(self, finished: events.StepFinished) -> None:
        """Keep a finished step; of trials that follow each other, the newest few, for a slider makes many."""
        self.history.append(finished)
        self._trials_at_end = self._trials_at_end + 1 if finished.is_trial else 0
        if self._trials_at_end > TRIALS_KEPT and len(self.history) > TRIALS_KEPT:
            del self.history[-TRIALS_KEPT - 1]
            self._trials_at_end -= 1

    def note_failure(self, failure: Failure) -> None:
        """Take back inputs that the debuggee refused, so that they are not replayed."""
        if failure.kind is FailureKind.BAD_INPUT and not self.is_running:
            self.inputs = self._inputs_before

    def _note_applied(self, event: events.SettingsApplied) -> None:
        self._unanswered = max(0, self._unanswered - 1)
        self.workload = event.workload
        if not self._unanswered:  # else newer wishes are on their way
            self.settings = event.settings

    def _forget_former_steps(self) -> None:
        if self.are_records_former:
            self.are_records_former = False
            self._forget_steps()

    def _forget_steps(self) -> None:
        self.records.clear()
        self.history.clear()
        self._trials_at_end = 0
        self.stepping.event_book.clear()
        self.watching.forget_steps()
