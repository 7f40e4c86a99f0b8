"""A debugging session: what the user set up, the debuggee it is set up in, and what that has told.

A `DebugSession` belongs to one thread, the window's. Threads of its links fill an inbox and call `on_ready`; `drain`
applies what arrived, on the owner's thread. So every property changes only inside a method that the owner called.
"""

import sys
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from hookscope.client.changes import Change, Ended, OutputPrinted, StateChanged
from hookscope.client.exporting import ExportingSession
from hookscope.client.facts import Candidate
from hookscope.client.inbox import Arrival, Inbox
from hookscope.client.link import Link
from hookscope.client.model import Setup
from hookscope.client.state import ALLOWED, SessionState, SessionStateError
from hookscope.client.supervisor import LadderTimes, Supervisor, failure_of, version_mismatch
from hookscope.protocol import commands, events
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.hooks import HookMode, OperationRef
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.views import ViewRequest
from hookscope.protocol.workload import RunSettings, Source, SyntheticInput

_OWN = 0
"""Sender in the inbox of what the session itself has to say; links are numbered from 1."""

_MENDED_BY_SETUP = frozenset({FailureKind.DEVICE_UNAVAILABLE, FailureKind.BAD_INPUT, FailureKind.NEEDS_INPUT})
"""Failures that are over when a new setting or input is in force."""


class DebugSession(ExportingSession):
    """One debuggee at a time and all that belongs to it.

    Every intent returns at once; what comes of it is told by `drain`. An intent that the state forbids (see `ALLOWED`)
    or that comes after `close` raises `SessionStateError`. `close` must be called at the end, or `with` used.

    Args:
        interpreter: The Python that runs models; the one that runs this by default.
        on_ready: Called when `drain` has something to return: on a reader thread, or inside an intent.
        times: How patient Stop, cancel and `close` are.
    """

    def __init__(
        self,
        *,
        interpreter: str | None = None,
        on_ready: Callable[[], None] | None = None,
        times: LadderTimes | None = None,
    ) -> None:
        super().__init__()
        self._interpreter = interpreter or sys.executable
        self._inbox = Inbox(on_ready)
        self._supervisor = Supervisor(times or LadderTimes())
        self._is_closed = False
        self._links = 0
        self._failed_link = _OWN
        self._active: Link | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # -- intents --------------------------------------------------------------------------------------------------

    def open(self, source: Source, *, inputs: tuple[SyntheticInput, ...] = ()) -> None:
        """Load a model in a fresh debuggee. A run is stopped; the old model stays until the new one is loaded.

        The settings are kept, but for another source the choice of loss and the requires-grad ticks start anew.
        """
        self._demand("open")
        self._launch(self._model.setup_for(source, inputs))

    def restart(self) -> None:
        """Load the model again in a fresh debuggee, with the same inputs, settings and check marks.

        After a load that failed, that one is tried again with the settings of now, until its failure is dismissed.
        """
        self._demand("restart")
        if self._failed_setup is not None:
            setup: Setup | None = self._model.setup_for(self._failed_setup.source, self._failed_setup.inputs)
        else:
            setup = self._model.replay()
        if setup is None:
            raise SessionStateError("restart: no model has been opened")
        self._launch(setup)

    def cancel(self) -> None:
        """Give up loading; what was there before stays."""
        self._demand("cancel")
        self._drop_candidate()
        self._announce(self._enter(self._state_without_candidate()))

    def check(self, paths: Iterable[str]) -> None:
        """Capture at exactly these modules, from their next call on; without a debuggee, from the next restart on."""
        self._demand("check")
        self._model.check(paths)
        self._send(self._model.hooks())

    def set_hook_mode(self, paths: Iterable[str], mode: HookMode) -> None:
        """Capture the gradients of these modules in this way from the next step on; unchecked ones when checked."""
        self._demand("set_hook_mode")
        self._model.set_hook_mode(paths, mode)
        self._send(self._model.hooks())

    def set_default_hook_mode(self, mode: HookMode) -> None:
        """Capture the gradients of modules for which no mode was chosen in this way; kept for other models too."""
        self._demand("set_default_hook_mode")
        self._model.default_hook_mode = mode
        self._send(self._model.hooks())

    def check_operations(self, refs: Iterable[OperationRef]) -> None:
        """Capture exactly these operations, and the gradients there; otherwise as `check`."""
        self._demand("check_operations")
        self._model.check_operations(refs)
        self._send(self._model.hooks())

    def trace_operations(self, path: str) -> None:
        """Run a module once to list the operations of its own forward in `operations`; a run, though it is no step."""
        self._demand("trace_operations")
        self._start(commands.TraceOperations(path))

    def change_settings(self, settings: RunSettings) -> None:
        """Run the next step with these; when they cannot be applied, the former ones come back."""
        self._demand("change_settings")
        self._model.change_settings(settings, is_sent=self._send(commands.SetSettings(settings)))

    def give_inputs(self, inputs: tuple[SyntheticInput, ...]) -> None:
        """Run the next step on made-up inputs."""
        self._demand("give_inputs")
        if self._failed_setup is not None and self._failed_setup.source == self._model.source:
            self._failed_setup = None  # a restart that failed is tried again with these
        self._model.give_inputs(inputs, is_sent=self._send(commands.SetInputs(inputs)))

    def request_view(
        self,
        panel: str,
        number: int,
        ref: TensorRef,
        request: ViewRequest,
        step: int | None = None,
        minus: int | None = None,
    ) -> None:
        """Ask for a view; `ViewReady` of the same panel and number answers, unless a newer one of the panel does.

        Args:
            panel: Who asks.
            number: Running number of the panel's requests.
            ref: Which tensor.
            request: Which view of it.
            step: Of which step; `None` for the newest.
            minus: A step whose values are subtracted first; `None` for the values themselves.
        """
        self._demand("request_view")
        if not self._send(commands.RequestView(panel, number, ref, request, step, minus)):
            raise SessionStateError("request_view: the model's debuggee is gone")

    def dismiss_failure(self) -> None:
        """Forget the newest failure."""
        self._fail(None)

    # -- the owner's loop -----------------------------------------------------------------------------------------

    def drain(self) -> list[Change]:
        """Apply everything that arrived and return it in order. Never waits."""
        return [change for sender, arrival in self._inbox.take() for change in self._apply(sender, arrival)]

    def wait(self, timeout_s: float) -> bool:
        """Block until `drain` has something; return whether it has. For scripts and tests."""
        return self._inbox.wait(timeout_s)

    def close(self) -> None:
        """End every debuggee and wait for that; nothing arrives any more. May be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self._inbox.close()
        self._drop_candidate()
        self._drop_active()
        self._supervisor.close()

    # -- sending --------------------------------------------------------------------------------------------------

    def _demand(self, intent: str) -> None:
        if self._is_closed:
            raise SessionStateError(f"{intent}: the session is closed")
        if self._state not in ALLOWED[intent]:
            raise SessionStateError(f"{intent}: not while the session is in the state {self._state.value!r}")

    def _announce(self, change: StateChanged | events.Exported) -> None:
        """Let `drain` return what the session itself has to say."""
        self._inbox.put(_OWN, change)

    def _send(self, command: commands.Command) -> bool:
        """Send to the debuggee of the loaded model; return whether there is one."""
        if self._active is None:
            return False
        self._active.send(command)
        return True

    def _stop_run(self) -> None:
        self._model.let_go()
        self._model.intervening.is_another_trial_wanted = False
        if self._active is not None:
            self._supervisor.stop(self._active)

    def _launch(self, setup: Setup) -> None:
        if self._state in ALLOWED["stop"]:
            self._stop_run()
        self._drop_candidate()
        self._failed_setup = None
        self._links += 1
        self._candidate = Candidate(Link(self._links, self._interpreter, self._inbox), setup)
        self._announce(self._enter(SessionState.LAUNCHING))

    def _drop_candidate(self, *, is_loading: bool = True) -> None:
        if self._candidate is not None:
            self._supervisor.retire(self._candidate.link, interrupt=is_loading)
            self._candidate = None

    def _drop_active(self) -> None:
        if self._active is not None:
            self._supervisor.retire(self._active)
            self._active = None
            for exported in self._model.exporting.lose_debuggee():
                self._announce(exported)

    def _state_without_candidate(self) -> SessionState:
        if self._model.tree is None:
            return SessionState.NO_MODEL
        if self._active is None:
            return SessionState.LOST
        return SessionState.STOPPING if self._model.is_running else SessionState.IDLE

    # -- hearing --------------------------------------------------------------------------------------------------

    def _apply(self, sender: int, arrival: Arrival) -> list[Change]:
        if sender == _OWN and not isinstance(arrival, Ended):
            return [arrival]
        if self._candidate is not None and sender == self._candidate.link.number:
            return self._apply_of_candidate(self._candidate, arrival)
        if self._active is not None and sender == self._active.number:
            return self._apply_of_active(self._active, arrival)
        if isinstance(arrival, OutputPrinted) and sender == self._failed_link:
            return [arrival]
        return []  # of a debuggee that is no longer wanted

    def _apply_of_candidate(self, candidate: Candidate, arrival: Arrival) -> list[Change]:
        match arrival:
            case events.Hello():
                return self._greet(candidate, arrival)
            case events.Loaded():
                return self._adopt(candidate, arrival)
            case events.Failed():
                return self._give_up(candidate, arrival.failure)
            case Ended():
                said_hello = candidate.hello is not None
                return self._give_up(candidate, failure_of(arrival, self._interpreter, said_hello=said_hello))
            case OutputPrinted():
                return [arrival]
            case _:
                return []

    def _greet(self, candidate: Candidate, hello: events.Hello) -> list[Change]:
        if hello.protocol != events.PROTOCOL_VERSION:
            return self._give_up(candidate, version_mismatch(str(hello.protocol)))
        candidate.hello = hello
        if self._model.tree is None:
            self._model.hello = hello  # so that the devices can be seen when loading fails
        setup = candidate.setup
        candidate.link.send(commands.Load(setup.source, setup.settings, setup.inputs))
        return [hello, self._enter(SessionState.LOADING)]

    def _adopt(self, candidate: Candidate, loaded: events.Loaded) -> list[Change]:
        self._drop_active()
        self._active, self._candidate = candidate.link, None
        self._model.replace(candidate.setup, candidate.hello, loaded)
        self._fail(None)
        self._send(self._model.hooks())
        if self.breakpoints:
            self._send(commands.SetBreakpoints(self.breakpoints))
        if self.interventions:
            self._send(self._model.intervening.command())
        if self.series:
            self._send(self._model.watching.command())
        return [loaded, self._enter(SessionState.IDLE)]

    def _give_up(self, candidate: Candidate, failure: Failure) -> list[Change]:
        self._failed_link = candidate.link.number  # what it printed may still be on its way
        self._drop_candidate(is_loading=False)
        self._fail(failure, candidate.setup)
        return [events.Failed(failure), self._enter(self._state_without_candidate())]

    def _apply_of_active(self, active: Link, arrival: Arrival) -> list[Change]:
        match arrival:
            case Ended():
                return self._lose(failure_of(arrival, active.interpreter, said_hello=True))
            case OutputPrinted() | StateChanged():
                return [arrival]
            case events.Failed():
                self._fail(arrival.failure)
                self._model.note_failure(arrival.failure)
                return [arrival, *self._settle()]
            case events.Stopped() if self._state is not SessionState.RUNNING:
                return []  # it crossed a Stop, which ends it
            case events.StackReady() | events.AtHandChanged() if not self._model.stepping.is_of_this_stop(arrival):
                return []
        self._model.note(arrival)
        return [arrival, *self._consequences_of(arrival)]

    def _consequences_of(self, event: events.Event) -> list[Change]:
        match event:
            case events.StepFinished():
                self._fail(None)
                return self._settle(event.step)
            case events.SettingsApplied() if self._failure is not None and self._failure.kind in _MENDED_BY_SETUP:
                self._fail(None)
            case events.Stopped():
                return [*self._settle(), self._enter(SessionState.STOPPED)]
            case events.RunFinished():
                is_followed = self._follow_trial()
                if not is_followed and self._candidate is None:
                    return [self._enter(SessionState.IDLE)]
        return []

    def _settle(self, step: int | None = None) -> list[Change]:
        """Let the records of a step say what it has told itself; by default those of the running one too."""
        changed = self._model.records.settle(step)
        return [events.Records(changed)] if changed else []

    def _lose(self, failure: Failure) -> list[Change]:
        self._drop_active()
        self._model.lose_debuggee()
        self._fail(failure)
        lost = [self._enter(SessionState.LOST)] if self._candidate is None else []
        return [events.Failed(failure), *lost]

    def _fail(self, failure: Failure | None, setup: Setup | None = None) -> None:
        """Set the newest failure, and what to try again when it was one of loading."""
        self._failure, self._failed_setup = failure, setup
