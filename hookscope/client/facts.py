"""What can be read of a session at any time. Belongs to the thread of the session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hookscope.client.events import EventBook
from hookscope.client.link import Link
from hookscope.client.model import ModelMirror, Setup
from hookscope.client.records import RecordBook
from hookscope.client.state import SessionState
from hookscope.protocol.devices import DeviceInfo
from hookscope.protocol.events import (
    AtHandChanged,
    Hello,
    LogPrinted,
    NonFiniteSearched,
    StackReady,
    StepFinished,
    StepProgress,
    StepsCompared,
    Stopped,
    TrialFinished,
    UnchangedProved,
)
from hookscope.protocol.failures import Failure
from hookscope.protocol.hooks import HookMode, OperationInfo, OperationRef
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import HandChange, Intervention, InterventionStatus
from hookscope.protocol.stops import Breakpoint
from hookscope.protocol.tree import ModuleTree
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput, WorkloadInfo


@dataclass
class Candidate:
    """A debuggee that takes the place of the present one when its model is loaded."""

    link: Link
    setup: Setup
    hello: Hello | None = None


class SessionFacts:
    """The side of `DebugSession` that is read; the session alone changes it, but for `trace_steps`."""

    def __init__(self) -> None:
        self._state = SessionState.NO_MODEL
        self._model = ModelMirror()
        self._candidate: Candidate | None = None
        self._failure: Failure | None = None
        self._failed_setup: Setup | None = None

    @property
    def state(self) -> SessionState:
        """Where the session is."""
        return self._state

    @property
    def source(self) -> Source | None:
        """Where the loaded model came from; `None` before the first one is loaded."""
        return self._model.source

    @property
    def wanted_source(self) -> Source | None:
        """What is being loaded, else what `restart` would load; `None` when there is nothing to load."""
        setup = self._candidate.setup if self._candidate is not None else self._failed_setup
        return setup.source if setup is not None else self._model.source

    @property
    def tree(self) -> ModuleTree | None:
        """The modules of the loaded model."""
        return self._model.tree

    @property
    def workload(self) -> WorkloadInfo | None:
        """What else was loaded."""
        return self._model.workload

    @property
    def made_up_inputs(self) -> tuple[SyntheticInput, ...]:
        """The made-up inputs that were asked for; none when the model runs on its own, or on guessed ones."""
        return self._model.inputs

    @property
    def settings(self) -> RunSettings:
        """Settings of the next step; those on their way to the debuggee count already."""
        return self._model.settings

    @property
    def checked(self) -> tuple[str, ...]:
        """Paths of the checked modules."""
        return self._model.checked

    @property
    def checked_operations(self) -> tuple[OperationRef, ...]:
        """The checked operations."""
        return self._model.checked_operations

    @property
    def operations(self) -> Mapping[str, tuple[OperationInfo, ...]]:
        """Module path -> the operations that its last trace has listed, in order."""
        return MappingProxyType(self._model.operations)

    @property
    def hook_modes(self) -> Mapping[str, HookMode]:
        """The modes that were chosen for single modules, checked or not; the others have `default_hook_mode`."""
        return MappingProxyType(self._model.hook_modes)

    @property
    def default_hook_mode(self) -> HookMode:
        """The mode of modules for which none was chosen."""
        return self._model.default_hook_mode

    @property
    def refused_modes(self) -> Mapping[str, str]:
        """Module path -> why its mode cannot be; it is captured exactly. Some refusals are known only after a step."""
        return MappingProxyType(self._model.refused_modes)

    def hooks_on(self, path: str) -> tuple[str, ...]:
        """Return, in words of PyTorch's API, the hooks on a module that are for capture; none when it is unchecked."""
        return self._model.hooks_on.get(path, ())

    @property
    def hello(self) -> Hello | None:
        """What the debuggee said of itself: that of the loaded model, where there is one."""
        return self._model.hello

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """Devices to choose from; empty until a debuggee has told them."""
        return self._model.hello.devices if self._model.hello is not None else ()

    @property
    def records(self) -> RecordBook:
        """Newest records of the loaded model; the same object all the time."""
        return self._model.records

    @property
    def are_records_former(self) -> bool:
        """Whether records and history are of a debuggee before this one, because the model has not run in this one."""
        return self._model.are_records_former

    @property
    def history(self) -> Sequence[StepFinished]:
        """The finished steps, the newest last; of very many the oldest are dropped."""
        return self._model.history

    @property
    def progress(self) -> StepProgress | None:
        """Where the running step is; `None` when none runs."""
        return self._model.progress

    @property
    def stopped(self) -> Stopped | None:
        """Where and why the step is stopped; `None` in every state but `STOPPED`."""
        return self._model.stepping.stopped

    @property
    def stack(self) -> StackReady | None:
        """The frames of the event at hand, once `request_stack` is answered; `None` when the step has gone on."""
        return self._model.stepping.stack

    @property
    def events(self) -> EventBook:
        """The events of the newest traced steps; the same object all the time."""
        return self._model.stepping.event_book

    @property
    def trace_steps(self) -> bool:
        """Whether steps tell their events though nothing may stop them; holds from the next `step` or `run` on."""
        return self._model.stepping.trace_steps

    @trace_steps.setter
    def trace_steps(self, are_traced: bool) -> None:
        self._model.stepping.trace_steps = are_traced

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """All breakpoints and log points."""
        return self._model.stepping.breakpoints

    @property
    def breakpoint_errors(self) -> Mapping[int, str]:
        """Breakpoint id -> why it was refused; it does not stop."""
        return MappingProxyType(self._model.stepping.errors)

    @property
    def unmatched_breakpoints(self) -> frozenset[int]:
        """Ids of the breakpoints that match no module of the loaded model."""
        return self._model.stepping.unmatched

    @property
    def logs(self) -> Sequence[LogPrinted]:
        """What log points have printed, the newest last; of very many the oldest are dropped."""
        return self._model.stepping.logs

    @property
    def non_finite_search(self) -> NonFiniteSearched | None:
        """What the newest `find_non_finite` has found; `None` before its answer."""
        return self._model.stepping.search

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """All interventions, on or off, in the order in which they act."""
        return self._model.intervening.interventions

    @property
    def intervention_errors(self) -> Mapping[int, str]:
        """Intervention id -> why it was refused; it does not act."""
        return MappingProxyType(self._model.intervening.errors)

    @property
    def intervention_statuses(self) -> Mapping[int, InterventionStatus]:
        """Intervention id -> how it fared in the newest step of this debuggee."""
        return MappingProxyType(self._model.intervening.statuses)

    @property
    def trial(self) -> TrialFinished | None:
        """The newest trial, until a step is finished that is none, or a model is loaded: then its steps are gone."""
        return self._model.intervening.trial

    @property
    def is_trying(self) -> bool:
        """Whether the run that goes on is a trial."""
        return self._model.intervening.is_trying

    @property
    def comparison(self) -> StepsCompared | None:
        """The newest answer to `compare_steps`, until a model is loaded."""
        return self._model.intervening.comparison

    @property
    def proof(self) -> UnchangedProved | None:
        """The newest answer to `prove_unchanged`, until an intervention is on or a model is loaded."""
        return self._model.intervening.proof

    @property
    def hand_changes(self) -> tuple[HandChange, ...]:
        """What `change_at_hand` asked for at this stop; nothing when the step has gone on."""
        return self._model.intervening.hand_changes

    @property
    def at_hand(self) -> AtHandChanged | None:
        """What came of the newest `change_at_hand` at this stop; `None` when the step has gone on."""
        return self._model.intervening.at_hand

    @property
    def edited(self) -> tuple[TensorRef, ...]:
        """The tensors that were changed by hand in the running step, at this stop or before; until it ends."""
        return self._model.intervening.edited

    @property
    def failure(self) -> Failure | None:
        """The newest failure, until it is dismissed or something succeeds that shows it to be over."""
        return self._failure
