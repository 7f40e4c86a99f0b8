"""How far a running step has come, module by module."""

from collections.abc import Sequence
from enum import StrEnum

from hookscope.protocol.stops import EventKind, StepEvent


class Reach(StrEnum):
    """What has happened of a module in the pass that is under way."""

    NOT_REACHED = "not_reached"
    PENDING = "pending"
    """A call was entered and is not left."""
    DONE = "done"
    """Every call that was entered is left."""


_FORWARD = {EventKind.FORWARD_ENTER: 1, EventKind.FORWARD_LEAVE: -1}
_BACKWARD = {EventKind.BACKWARD_ENTER: 1, EventKind.BACKWARD_LEAVE: -1}
_BACKWARD_BEGINS = frozenset({EventKind.LOSS, *_BACKWARD, EventKind.PARAMETER_GRADIENT})


class StepReach:
    """Follows the events of a step, each one once, however often it is asked."""

    def __init__(self) -> None:
        self._step = 0
        self._first: StepEvent | None = None
        self._seen = 0
        self._is_backward = False
        self._open: dict[str, int] = {}

    @property
    def is_backward(self) -> bool:
        """Whether backward has begun; then what counts is what happened since."""
        return self._is_backward

    def follow(self, step: int, events: Sequence[StepEvent], last: int) -> None:
        """Take the events of a step up to number `last`; another step, or the same one run again, begins anew."""
        first = events[0] if events else None
        if step != self._step or first != self._first or last + 1 < self._seen:
            self._step, self._first, self._seen, self._is_backward = step, first, 0, False
            self._open.clear()
        for event in events[self._seen : last + 1]:
            self._take(event)
        self._seen = max(self._seen, min(last + 1, len(events)))

    def of(self, path: str) -> Reach:
        """Return how far a module is."""
        count = self._open.get(path)
        if count is None:
            return Reach.NOT_REACHED
        return Reach.PENDING if count > 0 else Reach.DONE

    def _take(self, event: StepEvent) -> None:
        if not self._is_backward and event.kind in _BACKWARD_BEGINS:
            self._is_backward = True
            self._open.clear()
        change = (_BACKWARD if self._is_backward else _FORWARD).get(event.kind)
        if change is not None:
            self._open[event.path] = max(0, self._open.get(event.path, 0) + change)
