"""What the client knows of interventions: the set, its trials, and changes by hand. For the session's thread."""

from collections.abc import Iterable

from hookscope.protocol import commands, events
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import HandChange, Intervention, InterventionStatus


class InterventionMirror:
    """See the properties of `DebugSession` with the same names.

    Attributes:
        is_another_trial_wanted: Whether a trial is to follow the one that runs.
        is_unsent: Whether the set is another one than the debuggee has, because a trial of the former one runs.
    """

    def __init__(self) -> None:
        self.interventions: tuple[Intervention, ...] = ()
        self.errors: dict[int, str] = {}
        self.statuses: dict[int, InterventionStatus] = {}
        self.trial: events.TrialFinished | None = None
        self.comparison: events.StepsCompared | None = None
        self.proof: events.UnchangedProved | None = None
        self.hand_changes: tuple[HandChange, ...] = ()
        self.at_hand: events.AtHandChanged | None = None
        self.is_trying = False
        self.is_another_trial_wanted = False
        self.is_unsent = False
        self._edited_before: tuple[TensorRef, ...] = ()
        self._last_id = 0

    @property
    def edited(self) -> tuple[TensorRef, ...]:
        """The tensors that were changed by hand in the step that runs."""
        at_hand = self.at_hand.refs if self.at_hand is not None else ()
        return tuple(dict.fromkeys((*self._edited_before, *at_hand)))

    def set_interventions(self, interventions: Iterable[Intervention]) -> None:
        """Keep the whole set; what was said of those that are as before still holds."""
        before = set(self.interventions)
        self.interventions = tuple({intervention.id: intervention for intervention in interventions}.values())
        self._last_id = max((self._last_id, *(intervention.id for intervention in self.interventions)))
        same = {intervention.id for intervention in self.interventions if intervention in before}
        there = {intervention.id for intervention in self.interventions}
        self.errors = {id_: error for id_, error in self.errors.items() if id_ in same}
        self.statuses = {id_: status for id_, status in self.statuses.items() if id_ in there}
        if any(intervention.enabled for intervention in self.interventions):
            self.proof = None

    def next_id(self) -> int:
        """Return an id that no intervention had in this session."""
        self._last_id += 1
        return self._last_id

    def command(self) -> commands.SetInterventions:
        """Return what gives a debuggee the set; it has it then."""
        self.is_unsent = False
        return commands.SetInterventions(self.interventions)

    def let_go(self) -> None:
        """The stop is over, or will be at once: what was changed by hand there stays changed in this step."""
        self._edited_before = self.edited
        self.hand_changes, self.at_hand = (), None

    def end_run(self) -> None:
        """No step runs any more."""
        self.let_go()
        self._edited_before = ()
        self.is_trying = False

    def lose_debuggee(self) -> None:
        """Expect nothing more from the debuggee that there was."""
        self.end_run()
        self.is_unsent = self.is_another_trial_wanted = False

    def forget_steps(self) -> None:
        """Forget what is said of steps and of the set: another debuggee has steps of its own."""
        self.errors, self.statuses = {}, {}
        self.trial, self.comparison, self.proof = None, None, None

    def note(self, event: events.Event) -> None:
        """Apply an event of the model's debuggee."""
        match event:
            case events.InterventionsSet():
                there = {intervention.id for intervention in self.interventions}
                self.errors = {id_: error for id_, error in event.errors.items() if id_ in there}
            case events.InterventionsActed():
                there = {intervention.id for intervention in self.interventions}
                self.statuses = {status.id: status for status in event.statuses if status.id in there}
            case events.StepFinished():
                self._edited_before = ()
                if not event.is_trial:
                    self.trial = None
            case events.TrialFinished():
                self.trial = event
            case events.StepsCompared():
                self.comparison = event
            case events.UnchangedProved():
                self.proof = event
            case events.AtHandChanged():
                self.at_hand = event
            case events.Stopped() | events.Continued():
                self.let_go()
            case events.RunFinished():
                self.end_run()
