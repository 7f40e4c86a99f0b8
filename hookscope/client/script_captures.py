"""Which captures a written script takes its values from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hookscope.protocol.tensor_changes import FromStep, StraightThrough

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.interventions import Intervention


@dataclass(frozen=True)
class NeededCapture:
    """What an intervention puts in.

    Attributes:
        intervention: Whose.
        step: The step that it was captured in.
        ref: The tensor; `None` when it is not known: the intervention has not acted yet, or in several places, each of
            which has values of its own.
    """

    intervention: "Intervention"
    step: int
    ref: "TensorRef | None"


def needed_captures(session: "DebugSession") -> tuple[NeededCapture, ...]:
    """Return what the interventions of a session take from other steps; of those that are on and were not refused."""
    needed = []
    for intervention in session.interventions:
        change = intervention.change
        inner = change.change if isinstance(change, StraightThrough) else change
        if isinstance(inner, FromStep) and intervention.enabled and intervention.id not in session.intervention_errors:
            status = session.intervention_statuses.get(intervention.id)
            acted_on = status.refs if status is not None else ()
            ref = inner.ref or (acted_on[0] if len(acted_on) == 1 else None)
            needed.append(NeededCapture(intervention, inner.step, ref))
    return tuple(needed)
