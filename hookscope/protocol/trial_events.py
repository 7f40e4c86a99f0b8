"""What a debuggee tells of interventions and of what they do."""

import msgspec

from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Difference, InterventionStatus
from hookscope.protocol.stops import StepEvent


class InterventionsSet(msgspec.Struct, frozen=True, tag="interventions_set"):
    """Sent after `SetInterventions`. The refused ones do not act; the others do from the next call on.

    Attributes:
        errors: Id -> why it is refused: what was expected and what was given.
    """

    errors: dict[int, str] = {}


class InterventionsActed(msgspec.Struct, frozen=True, tag="interventions_acted"):
    """Sent before `StepFinished`, or the `Failed` of a step, when interventions are set: how each one fared."""

    step: int
    statuses: tuple[InterventionStatus, ...]


class TrialFinished(msgspec.Struct, frozen=True, tag="trial_finished"):
    """Sent after `RunTrial`. Both steps are kept until the next trial or step; each has had its `StepFinished`.

    Attributes:
        before: The step without interventions.
        after: The step with them.
        loss_before: Its loss; `None` when it is not finite.
        loss_after: Likewise.
    """

    before: int
    after: int
    loss_before: float | None
    loss_after: float | None


class StepsCompared(msgspec.Struct, frozen=True, tag="steps_compared"):
    """Sent after `CompareSteps`: every tensor that both steps have captured, in the order of the later one.

    Attributes:
        differences: One a tensor of equal shape.
        missing: The steps that are not kept any more; then there are no differences.
    """

    before: int
    after: int
    differences: tuple[Difference, ...]
    missing: tuple[int, ...] = ()


class UnchangedProved(msgspec.Struct, frozen=True, tag="unchanged_proved"):
    """Sent after `ProveUnchanged`.

    Attributes:
        compared: Tensors that were compared bit for bit: loss, outputs, gradients, parameters, buffers.
        differing: What is not the same, as names; nothing is the proof.
        since_set: Whether parameters and buffers were compared with those before the first intervention was set; not
            when steps have trained the model since.
    """

    compared: int
    differing: tuple[str, ...] = ()
    since_set: bool = False


class AtHandChanged(msgspec.Struct, frozen=True, tag="at_hand_changed"):
    """Sent after `ChangeAtHand`.

    Attributes:
        step: The stopped step.
        event: The event at hand.
        refs: The tensors that are now changed; their records carry the badge `EDITED` and follow.
        errors: One text per change of the command; `""` where it was made.
    """

    step: int
    event: StepEvent
    refs: tuple[TensorRef, ...]
    errors: tuple[str, ...] = ()
