"""How a debuggee without a model changes its tensors: each `Add` that is on adds its value to the loss, which is 1.5.

An `Expression("(")` is refused, and a `Mean` over dim 9 fails where it fires.
"""

import threading

from hookscope.protocol import commands, events
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference, Idle, Intervention, InterventionStatus
from hookscope.protocol.tensor_changes import Add, Expression, Mean
from tests.client.fake_stepping import TREE, FakeStepping

LOSS = 1.5
PATHS = {module.path for module in TREE.modules}


class FakeIntervening(FakeStepping):
    """Knows the interventions, and what the loss of each step was."""

    def __init__(self) -> None:
        super().__init__()
        self.interventions: tuple[Intervention, ...] = ()
        self.losses: dict[int, float] = {}
        self.baseline = 0
        self.viewed = threading.Event()
        self.abort = threading.Event()

    def set_interventions(self, command: commands.SetInterventions) -> None:
        self.interventions = command.interventions
        wrong = (one.id for one in command.interventions if one.change == Expression("("))
        self.send(events.InterventionsSet(dict.fromkeys(wrong, "not Python")))

    def finish_step(self, interventions: tuple[Intervention, ...], *, is_trial: bool) -> None:
        on = [one for one in interventions if one.enabled and one.path in PATHS]
        loss = LOSS + sum(one.change.value for one in on if isinstance(one.change, Add))
        self.losses[self.step] = loss
        if interventions:
            self.send(events.InterventionsActed(self.step, tuple(self.status(one) for one in interventions)))
        acted = len(on)
        self.send(events.StepFinished(self.step, loss, 0.1, 0.05, 0.05, 0, 0, False, acted=acted, is_trial=is_trial))
        if not is_trial:
            self.baseline = 0

    def status(self, one: Intervention) -> InterventionStatus:
        if not one.enabled:
            return InterventionStatus(one.id, 0, idle=Idle.OFF)
        if one.path not in PATHS:
            return InterventionStatus(one.id, 0, idle=Idle.UNKNOWN_MODULE, detail="a, b")
        return InterventionStatus(one.id, 1, 6, refs=(TensorRef(one.path, one.slot, one.leaf or "out"),))

    def try_out(self) -> None:
        """Run a trial; one of the manner "tries slowly" lasts until a view is asked for or it is aborted."""
        if not self.baseline:
            self.step += 1
            self.baseline = self.step
            self.finish_step((), is_trial=True)
        interventions = self.interventions
        self.step += 1
        if self.manner == "tries slowly":
            while not (self.viewed.wait(0.005) or self.abort.is_set()):
                pass
        failing = next((one for one in interventions if one.enabled and one.change == Mean(9)), None)
        if self.abort.is_set():
            self.send(events.RunFinished(events.RunEnd.ABORTED, 0))
        elif failing is not None:
            values = {"id": str(failing.id), "slot": "output", "leaf": "out", "reason": "no dim 9"}
            self.send(events.Failed(Failure(FailureKind.INTERVENTION_FAILED, values, failing.path)))
            self.send(events.RunFinished(events.RunEnd.FAILED, 0))
        else:
            self.finish_step(interventions, is_trial=True)
            losses = self.losses[self.baseline], self.losses[self.step]
            self.send(events.TrialFinished(self.baseline, self.step, *losses))
            self.send(events.RunFinished(events.RunEnd.COMPLETED, 2))

    def prove(self) -> None:
        self.send(events.UnchangedProved(7))
        self.send(events.RunFinished(events.RunEnd.COMPLETED, 0))

    def compare(self, command: commands.CompareSteps) -> None:
        missing = tuple(step for step in (command.before, command.after) if step not in self.losses)
        moved = () if missing else (Difference(TensorRef("b", Slot.OUTPUT, "out"), 1, 2.0, 0.5, 3, 6),)
        self.send(events.StepsCompared(command.before, command.after, moved, missing))

    def change_at_hand(self, command: commands.ChangeAtHand) -> None:
        if self.stopped_at is not None:
            refs = tuple(dict.fromkeys(change.ref for change in command.changes))
            errors = ("",) * len(command.changes)
            self.send(events.AtHandChanged(self.step, self.stopped_at, refs, errors))
