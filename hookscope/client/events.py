"""The events of the newest traced steps. Belongs to the thread of its session."""

from collections.abc import Iterable, Sequence

from hookscope.protocol.stops import StepEvent

KEPT_STEPS = 50
"""Steps whose events are kept, here and in the inbox."""

KEPT_EVENTS = 500_000
"""Events that are kept in all, unless the newest step alone has more: a step is kept whole or not at all."""


class EventBook:
    """Step -> its events in the order in which they happened; the oldest steps are dropped."""

    def __init__(self) -> None:
        self._steps: dict[int, list[StepEvent]] = {}
        self._count = 0
        self._may_repeat: int | None = None

    @property
    def steps(self) -> tuple[int, ...]:
        """Numbers of the kept steps, ascending; steps that were not traced are missing."""
        return tuple(self._steps)

    @property
    def newest(self) -> int:
        """Number of the newest kept step; 0 when there is none."""
        return next(reversed(self._steps), 0)

    def of(self, step: int) -> Sequence[StepEvent]:
        """Return the events of a step by their number, none when it is not kept.

        It is the list itself, not to be changed: it grows while the step runs.
        """
        return self._steps.get(step, ())

    def add(self, step: int, events: Iterable[StepEvent]) -> None:
        """Add events to a step. One whose number is there already replaces it: it was sent again with more in it.

        After `end_run`, number 0 begins the step anew: it was given up and is run again.
        """
        kept = self._steps.get(step)
        if kept is None:
            kept = self._steps[step] = []
        before = len(kept)
        for event in events:
            if event.number == 0 and step == self._may_repeat:
                kept.clear()
                self._may_repeat = None
            if event.number < len(kept):
                kept[event.number] = event
            else:
                kept.append(event)
        self._count += len(kept) - before
        self._drop_oldest()

    def end_run(self) -> None:
        """No event of a step that has begun is still to come."""
        self._may_repeat = self.newest

    def clear(self) -> None:
        """Forget everything."""
        self._steps.clear()
        self._count = 0
        self._may_repeat = None

    def _drop_oldest(self) -> None:
        while len(self._steps) > KEPT_STEPS or (self._count > KEPT_EVENTS and len(self._steps) > 1):
            self._count -= len(self._steps.pop(next(iter(self._steps))))
