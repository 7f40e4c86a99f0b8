"""Which event of a step is the one that the window looks at."""

from collections.abc import Sequence

from hookscope.gui.current import Current
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import SLOT_OF, EventKind, StepEvent

_KIND_OF: dict[Slot, EventKind] = {slot: kind for kind, slot in SLOT_OF.items()}


def marked_number(current: Current, step: int, events: Sequence[StepEvent]) -> int | None:
    """Return the number of the event that was chosen, or of the one at which the current tensor was at hand."""
    moment, ref = current.moment, current.ref
    if moment is not None and moment.step == step and moment.event.number < len(events):
        return moment.event.number
    kind = _KIND_OF.get(ref.slot) if ref is not None else None
    if ref is None or kind is None:
        return None
    found = [event for event in events if event.path == ref.path and event.kind is kind and _is_of(event, ref)]
    exact = next((event for event in found if event.leaf == ref.leaf), None)
    return (exact or found[0]).number if found else None


def _is_of(event: StepEvent, ref: TensorRef) -> bool:
    return event.operation == ref.operation and (ref.slot is Slot.PARAMETER_GRAD or event.call == ref.call)
