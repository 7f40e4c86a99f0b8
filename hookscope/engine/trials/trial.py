"""Trials: the newest step without interventions, which is kept as long as it holds, and then with them."""

from collections.abc import Callable

from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.pause import Gate, StepAborted
from hookscope.engine.step_runner import StepRunner
from hookscope.protocol.events import StepFinished, TrialFinished
from hookscope.protocol.workload import RunSettings

_PIN = "trial"


class Trials:
    """Runs trials and keeps their steps. Belongs to the main thread.

    Args:
        store: Where the captures of both steps are kept.
        gate: Looked at between them.
        tell: Told of each step that was run.
    """

    def __init__(self, store: CaptureStore, gate: Gate, tell: Callable[[StepFinished], None]) -> None:
        self._store = store
        self._gate = gate
        self._tell = tell
        self._before: StepFinished | None = None
        self._after: int | None = None
        self._former: int | None = None

    def outdate(self) -> None:
        """Something has changed that the step without interventions depends on: the next trial runs it anew."""
        self._before = None

    def forget(self) -> None:
        """An ordinary step follows: the steps of the newest trial are not needed any more."""
        self._before = self._after = self._former = None
        self._store.pin(_PIN, ())

    def run(self, runner: StepRunner, settings: RunSettings) -> TrialFinished:
        """Run the newest step again as it is with interventions, and before, unless that is known, without them.

        Args:
            runner: Runs the steps, and puts everything back.
            settings: How to run them.

        Raises:
            FailureError: See `StepRunner.run`, also for the others.
            StepAborted: The window asked for Stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        before = self._before_step(runner, settings)
        if self._gate.abort_wanted:
            raise StepAborted
        self._replace_after()
        try:
            after = runner.try_out(settings, intervenes=True)
        finally:
            if runner.step > before.step and runner.step != self._former:
                self._after = runner.step  # also one that failed can be looked at until the next one
        self._tell(after)
        self._store.pin(_PIN, (before.step, after.step))
        return TrialFinished(before.step, after.step, before.loss, after.loss)

    def _replace_after(self) -> None:
        """Let the last step with interventions go, but not before the next one is there: panels show it until then."""
        if self._former is not None:
            self._store.drop(self._former)
        self._former, self._after = self._after, None
        if self._former is not None:
            self._store.drop_first(self._former)

    def _before_step(self, runner: StepRunner, settings: RunSettings) -> StepFinished:
        if self._before is None or not self._store.keeps(self._before.step):
            self._before = runner.try_out(settings, intervenes=False)
            self._tell(self._before)
        self._store.pin(_PIN, (self._before.step,))
        return self._before
