"""The intents of a session that run a model, hold it within a step and let it go on."""

from abc import abstractmethod
from collections.abc import Iterable

from hookscope.client.changes import StateChanged
from hookscope.client.facts import SessionFacts
from hookscope.client.state import SessionState, SessionStateError
from hookscope.protocol import commands
from hookscope.protocol.stops import Breakpoint, ContinueMode

_RunCommand = (
    commands.RunSteps | commands.TraceOperations | commands.FindNonFinite | commands.RunTrial | commands.ProveUnchanged
)


class SteppingSession(SessionFacts):
    """The part of `DebugSession` that steps; what is said there of intents holds for these."""

    def step(self, mode: ContinueMode = ContinueMode.CONTINUE, path: str = "") -> None:
        """Run one step.

        Args:
            mode: How far it goes before it stops; breakpoints stop it in any mode.
            path: The module of mode `TO_SELECTED`.
        """
        self._demand("step")
        self._start(commands.RunSteps(1, mode, path, self.trace_steps))

    def run(self, count: int | None = None) -> None:
        """Run steps: `count` of them, or until `finish_step` or `stop`."""
        self._demand("run")
        self._start(commands.RunSteps(count, trace=self.trace_steps))

    def pause(self) -> None:
        """Stop at the next event; when there is none, the run ends as it would have."""
        self._demand("pause")
        self._send(commands.Pause(at_event=True))

    def finish_step(self) -> None:
        """End the run after the current step, which must still be told to go on when it is stopped."""
        self._demand("finish_step")
        self._send(commands.Pause(at_event=False))

    def continue_(self, mode: ContinueMode = ContinueMode.CONTINUE, path: str = "") -> None:
        """Let the stopped step go on; `mode` and `path` as for `step`."""
        self._demand("continue_")
        self._go_on(mode, path)

    def step_into(self) -> None:
        """Go to the next event. This and what follows start a step when none runs."""
        self._advance("step_into", ContinueMode.INTO)

    def step_over(self) -> None:
        """Go to the next event that is not deeper than this one."""
        self._advance("step_over", ContinueMode.OVER)

    def step_out(self) -> None:
        """Go to where the call is left that encloses this event, in this direction."""
        self._advance("step_out", ContinueMode.OUT)

    def run_to(self, path: str) -> None:
        """Go to the next event of a module."""
        self._advance("run_to", ContinueMode.TO_SELECTED, path)

    def to_non_finite(self) -> None:
        """Go to the next event at which a tensor at hand has a NaN or an infinity."""
        self._advance("to_non_finite", ContinueMode.TO_NON_FINITE)

    def to_end_of_forward(self) -> None:
        """Go to where the root has returned."""
        self._advance("to_end_of_forward", ContinueMode.TO_END_OF_FORWARD)

    def to_end_of_backward(self) -> None:
        """Go to where backward is over."""
        self._advance("to_end_of_backward", ContinueMode.TO_END_OF_BACKWARD)

    def find_non_finite(self, steps: int = 1) -> None:
        """Run steps until one has a NaN or an infinity that does harm; `non_finite_search` tells where it was born."""
        self._demand("find_non_finite")
        self._model.stepping.search = None
        self._start(commands.FindNonFinite(steps))

    def stop(self) -> None:
        """End the run as soon as can be: at the next hook, else by an interrupt, else by killing the process.

        The step that runs or is stopped is given up, and what it changed is taken back as the settings say.
        """
        self._demand("stop")
        self._stop_run()
        self._announce(self._enter(SessionState.STOPPING))

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Let exactly these hold, from the next event on; those that a later one has the id of do not count.

        They are kept whether a model is loaded or not, and given to every debuggee.
        """
        self._demand("set_breakpoints")
        self._model.stepping.set_breakpoints(breakpoints)
        self._send(commands.SetBreakpoints(self.breakpoints))

    def next_breakpoint_id(self) -> int:
        """Return an id for a new breakpoint, another one each time."""
        return self._model.stepping.next_id()

    def request_stack(self) -> None:
        """Ask for the frames of the event at hand; `StackReady` answers, unless the step goes on before."""
        self._demand("request_stack")
        self._send(commands.RequestStack())

    def request_source(self, file: str, line: int) -> None:
        """Ask for the text of a source file around a line; `SourceReady` answers."""
        self._demand("request_source")
        if not self._send(commands.RequestSource(file, line)):
            raise SessionStateError("request_source: the model's debuggee is gone")

    def _advance(self, intent: str, mode: ContinueMode, path: str = "") -> None:
        self._demand(intent)
        if self._state is SessionState.STOPPED:
            self._go_on(mode, path)
        else:
            self._start(commands.RunSteps(1, mode, path, self.trace_steps))

    def _go_on(self, mode: ContinueMode, path: str) -> None:
        self._model.let_go()
        self._send(commands.Continue(mode, path))
        self._announce(self._enter(SessionState.RUNNING))

    def _start(self, command: _RunCommand) -> None:
        self._model.is_running = self._send(command)
        self._announce(self._enter(SessionState.RUNNING))

    def _enter(self, state: SessionState) -> StateChanged:
        self._state = state
        return StateChanged(state)

    @abstractmethod
    def _demand(self, intent: str) -> None:
        """Raise `SessionStateError` when the state forbids an intent."""

    @abstractmethod
    def _send(self, command: commands.Command) -> bool:
        """Send to the debuggee of the loaded model; return whether there is one."""

    @abstractmethod
    def _announce(self, change: StateChanged) -> None:
        """Let `drain` return what an intent changed."""

    @abstractmethod
    def _stop_run(self) -> None:
        """Begin to end the run that goes on."""
