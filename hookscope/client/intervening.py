"""The intents of a session that change tensors: interventions, their trials, and changes by hand of a stopped step."""

from collections.abc import Iterable

from hookscope.client.state import SessionState, SessionStateError
from hookscope.client.stepping import SteppingSession
from hookscope.protocol import commands
from hookscope.protocol.interventions import HandChange, Intervention


class InterveningSession(SteppingSession):
    """The part of `DebugSession` that changes tensors; what is said there of intents holds for these."""

    def set_interventions(self, interventions: Iterable[Intervention]) -> None:
        """Let exactly these act, in their order; those that a later one has the id of do not count.

        They hold from the next call on, but a trial that runs is not disturbed: they hold after it. They are kept
        whether a model is loaded or not, and given to every debuggee.
        """
        self._demand("set_interventions")
        mirror = self._model.intervening
        mirror.set_interventions(interventions)
        if mirror.is_trying and self._state is not SessionState.STOPPED:
            mirror.is_unsent = True
        else:
            self._send(mirror.command())

    def next_intervention_id(self) -> int:
        """Return an id for a new intervention, another one each time."""
        return self._model.intervening.next_id()

    def try_interventions(self) -> None:
        """Run a trial of the interventions: a step that leaves nothing behind; `trial` is what came of it.

        While a trial runs, another one follows it, with the interventions of then: however often this is called, one.

        Raises:
            SessionStateError: Also when a run goes on that is no trial.
        """
        self._demand("try_interventions")
        if self._state is SessionState.IDLE:
            self._start(commands.RunTrial())
            self._model.intervening.is_trying = True
        elif self.is_trying:
            self._model.intervening.is_another_trial_wanted = True
        else:
            raise SessionStateError("try_interventions: not while a run goes on that is no trial")

    def prove_unchanged(self) -> None:
        """Run a step twice to show that nothing is left of interventions; `proof` is the answer. None may be on.

        Raises:
            SessionStateError: Also when an intervention is on.
        """
        self._demand("prove_unchanged")
        if any(intervention.enabled for intervention in self.interventions):
            raise SessionStateError("prove_unchanged: an intervention is on")
        self._model.intervening.proof = None
        self._start(commands.ProveUnchanged())

    def compare_steps(self, before: int, after: int) -> None:
        """Ask how far each captured tensor moved from one kept step to another; `comparison` is the answer."""
        self._demand("compare_steps")
        if not self._send(commands.CompareSteps(before, after)):
            raise SessionStateError("compare_steps: the model's debuggee is gone")

    def change_at_hand(self, changes: Iterable[HandChange]) -> None:
        """Let the tensors at hand be as they came, with exactly these changes, in this event alone.

        `hand_changes` are these at once; `at_hand` tells which of them were made.
        """
        self._demand("change_at_hand")
        self._model.intervening.hand_changes = tuple(changes)
        self._send(commands.ChangeAtHand(self.hand_changes))

    def _follow_trial(self) -> bool:
        """After a run: send the interventions that waited for its end; return whether another trial has begun."""
        mirror = self._model.intervening
        if mirror.is_unsent:
            self._send(mirror.command())
        if mirror.is_another_trial_wanted:
            mirror.is_another_trial_wanted = False
            mirror.is_trying = self._model.is_running = self._send(commands.RunTrial())
        return mirror.is_trying
