"""The commands that run the model: steps, traces, searches, trials, proofs. On the debuggee's main thread."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hookscope.engine.failure_report import FailureError
from hookscope.engine.loaded_model import LoadedModel
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol import commands, events


@dataclass
class _Run:
    """How a run has gone so far."""

    reason: events.RunEnd = events.RunEnd.FAILED
    steps: int = 0


class Runs:
    """Obeys these commands one after the other, and says how each one ended.

    Args:
        model: Returns the loaded model; raises when there is none.
        gate: Where the window's wishes are.
        outbox: Tells the window.
        after_step: Called with each ordinary step that has ended; obeys what arrived while it ran.

    Attributes:
        handlers: What obeys a command, by its kind.
        is_trying: Whether what runs is to show one state throughout, so that changes of it have to wait for its end.
    """

    def __init__(
        self,
        model: Callable[[], LoadedModel],
        gate: Gate,
        outbox: Outbox,
        after_step: Callable[[int], None],
    ) -> None:
        self._model = model
        self._gate = gate
        self._outbox = outbox
        self._after_step = after_step
        self.is_trying = False
        self.handlers: Mapping[type, Callable[[Any], None]] = {
            commands.RunSteps: self._run_steps,
            commands.TraceOperations: self._trace_operations,
            commands.FindNonFinite: self._find_non_finite,
            commands.RunTrial: self._run_trial,
            commands.ProveUnchanged: self._prove_unchanged,
        }

    def _run_steps(self, command: commands.RunSteps) -> None:
        self._model().stepping.begin_run(command)
        with self._running() as run:
            while command.count is None or run.steps < command.count:
                self._try_modes()
                finished = self._model().run_step()
                self._outbox.add_finished(finished)
                run.steps += 1
                self._after_step(finished.step)
                if self._gate.abort_wanted:
                    raise StepAborted
                if self._gate.finish_wanted:
                    run.reason = events.RunEnd.PAUSED
                    break
            else:
                run.reason = events.RunEnd.COMPLETED

    def _trace_operations(self, command: commands.TraceOperations) -> None:
        with self._running() as run:
            self._outbox.post(self._model().trace_operations(command.path))
            run.reason = events.RunEnd.COMPLETED

    def _find_non_finite(self, command: commands.FindNonFinite) -> None:
        with self._running() as run:
            origin = None
            while origin is None and run.steps < command.steps:
                finished, origin = self._model().find_non_finite()
                self._outbox.add_finished(finished)
                run.steps += 1
                self._after_step(finished.step)
            self._outbox.post(events.NonFiniteSearched(run.steps, origin))
            run.reason = events.RunEnd.COMPLETED

    def _run_trial(self, _command: commands.RunTrial) -> None:
        self._try_out(LoadedModel.run_trial)

    def _prove_unchanged(self, _command: commands.ProveUnchanged) -> None:
        self._try_out(LoadedModel.prove_unchanged)

    def _try_out(self, what: Callable[[LoadedModel], events.Event]) -> None:
        model = self._model()
        with self._running() as run:
            self._try_modes()
            before = model.recorder.step
            self.is_trying = True
            try:
                answer = what(model)
            finally:
                self.is_trying = False
            run.steps = model.recorder.step - before
            self._outbox.post(answer)
            run.reason = events.RunEnd.COMPLETED

    def _try_modes(self) -> None:
        hooks = self._model().try_modes()
        if hooks is not None:
            self._outbox.post(hooks)

    @contextmanager
    def _running(self) -> Iterator[_Run]:
        """Run the model in the block; whatever ends it, say so."""
        run = _Run()
        try:
            yield run
        except StepAborted:
            run.reason = events.RunEnd.ABORTED
        except KeyboardInterrupt:
            run.reason = events.RunEnd.INTERRUPTED
        except FailureError as error:
            self._outbox.post(events.Failed(error.failure))
        finally:
            self._outbox.post(events.RunFinished(run.reason, run.steps))
