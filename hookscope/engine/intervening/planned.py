"""An intervention that was accepted: which calls and leaves it means, and whether it can be at all."""

from collections.abc import Iterable, Mapping

import torch

from hookscope.engine.intervening.changes import CompiledChange, compile_change
from hookscope.engine.intervening.statuses import Tally
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Idle, Intervention

_OF_OPERATIONS = frozenset({Slot.OUTPUT, Slot.GRAD_OUTPUT})
_OF_PARAMETERS = frozenset({Slot.PARAMETER, Slot.PARAMETER_GRAD})
_TELLING_CALLS_APART = kinds.Noise | kinds.Shuffle | kinds.FromStep | kinds.Expression


class InterventionFailed(BaseException):
    """Raised in a hook when a change cannot be made of the tensor that came by. Ends the step.

    No `Exception`, so that a model which catches those does not go on without what it was asked to do.

    Args:
        intervention: What failed.
        leaf: Place in a nested value, or the name of a parameter; `""` when it is not known.
        reason: What was expected and what was given.

    Attributes:
        path: The module.
        values: `id`, `slot`, `leaf` and `reason`, for a failure's text.
    """

    def __init__(self, intervention: Intervention, leaf: str, reason: str) -> None:
        where = " ".join(filter(None, (repr(intervention.path), intervention.operation, intervention.slot, leaf)))
        super().__init__(f"the intervention on {where} failed: {reason}")
        self.path = intervention.path
        self.values = {
            "id": str(intervention.id),
            "slot": intervention.slot.value,
            "leaf": leaf,
            "reason": reason,
        }


class Planned:
    """An intervention that was accepted.

    Args:
        intervention: What is to be done.

    Attributes:
        intervention: Likewise.
        change: The same, ready to be applied.
        tally: How it fares in the running step.

    Raises:
        ChangeError: It can never be.
    """

    def __init__(self, intervention: Intervention) -> None:
        self.intervention = intervention
        self.change: CompiledChange = compile_change(
            intervention.change, intervention.where, is_gradient=intervention.slot.is_gradient
        )
        self.tally = Tally()

    @property
    def tells_calls_apart(self) -> bool:
        """Whether what it does differs from call to call."""
        change = self.intervention.change
        inner = change.change if isinstance(change, kinds.StraightThrough) else change
        return self.intervention.call is not None or isinstance(inner, _TELLING_CALLS_APART)

    def is_of(self, slot: Slot, operation: str, number: int) -> bool:
        """Whether it means a slot of an operation (`""`: of the module itself) in a call."""
        meant = self.intervention
        return meant.slot is slot and meant.operation == operation and meant.call in {None, number}

    def leaf_among(self, found: Mapping[str, torch.Tensor]) -> str | None:
        """Return which leaf it means; `None` when there is none, and then it is noted why."""
        leaf = self.intervention.leaf
        if leaf:
            if leaf in found:
                return leaf
            self.tally.missed(Idle.NO_SUCH_LEAF, _listed(found))
            return None
        names = list(found)
        if len(names) > 1 and self.intervention.slot.is_gradient:
            names = [name for name in names if found[name].requires_grad] or names
        if len(names) != 1:
            self.tally.missed(Idle.SEVERAL_LEAVES if names else Idle.NO_SUCH_LEAF, _listed(names))
            return None
        return names[0]


def why_impossible(intervention: Intervention) -> str:
    """Return why an intervention can be at no tensor; `""` if it can."""
    slot = intervention.slot
    if intervention.operation and slot not in _OF_OPERATIONS:
        return f"expected output or grad_output of an operation, given {slot.value}"
    if slot in _OF_PARAMETERS and intervention.call:
        return f"expected no call for a parameter, given {intervention.call}"
    if intervention.call is not None and intervention.call < 0:
        return f"expected a call from 0 on, given {intervention.call}"
    change = intervention.change
    if slot is Slot.PARAMETER and isinstance(change, kinds.StopGradient | kinds.StraightThrough):
        return f"expected a change of a parameter's value, given {type(change).__name__}: it is of activations"
    return ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
