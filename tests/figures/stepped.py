"""Events of made-up steps, one millisecond apart."""

import msgspec

from hookscope.protocol.stops import EventKind, StepEvent

ENTER, LEAVE = EventKind.FORWARD_ENTER, EventKind.FORWARD_LEAVE
BACK, DONE = EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE
GRADIENT, LOSS, OPTIMIZER = EventKind.PARAMETER_GRADIENT, EventKind.LOSS, EventKind.OPTIMIZER

Told = tuple[EventKind, str] | tuple[EventKind, str, int]

FORWARD: tuple[Told, ...] = (
    (ENTER, ""),
    (ENTER, "features"),
    (ENTER, "features.0"),
    (LEAVE, "features.0"),
    (ENTER, "features.1"),
    (LEAVE, "features.1"),
    (LEAVE, "features"),
    (ENTER, "head"),
    (LEAVE, "head"),
    (LEAVE, ""),
    (LOSS, ""),
)
"""Numbers 0 to 10."""

BACKWARD: tuple[Told, ...] = (
    (BACK, "head"),
    (BACK, ""),
    (DONE, "head"),
    (GRADIENT, "head"),
    (BACK, "features.1"),
    (BACK, "features"),
    (DONE, "features.1"),
    (BACK, "features.0"),
    (GRADIENT, "features.0"),
    (DONE, "features.0"),
    (DONE, "features"),
    (DONE, ""),
    (OPTIMIZER, ""),
)
"""Numbers 11 to 23: modules are reached before those around them, and a gradient comes after its module was left."""


def events_of(*told: Told, step_s: float = 0.001) -> list[StepEvent]:
    """Make events that follow each other at a distance; depths are those of the paths."""
    made = []
    for number, (kind, path, *call) in enumerate(told):
        depth = path.count(".") + 1 if path else 0
        depth += kind is GRADIENT
        leaf = {LEAVE: "out", BACK: "out", GRADIENT: "weight"}.get(kind, "args.0" if path or kind is ENTER else "")
        made.append(StepEvent(number, kind, path, call[0] if call else 0, depth, number * step_s, leaf))
    return made


def whole_step(step_s: float = 0.001) -> list[StepEvent]:
    """Make the events of a whole step."""
    return events_of(*FORWARD, *BACKWARD, step_s=step_s)


def on_device(events: list[StepEvent]) -> list[StepEvent]:
    """Give events times of a device that is twice as slow, and memory that grows by 100 bytes in forward."""
    return [
        msgspec.structs.replace(event, device_s=2 * event.time_s + 1e-6, memory_bytes=1000 + 100 * event.number)
        for event in events
    ]
