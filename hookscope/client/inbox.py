"""Where everything that a session will hear waits for its owner: filled by reader threads, emptied by the owner.

It cannot grow without bound, however long the owner looks away: of a view per panel and of any progress only the
newest is kept, records are merged per tensor ref, output keeps its end, and of finished steps, logs, events and points
of series no more are kept than their owner would keep.
"""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from hookscope.client.changes import Change, Ended, OutputPrinted
from hookscope.client.events import KEPT_EVENTS, KEPT_STEPS
from hookscope.client.output import TextTail
from hookscope.protocol.events import (
    ExportProgress,
    LogPrinted,
    OverviewReady,
    Records,
    SeriesPoints,
    StepEvents,
    StepFinished,
    StepProgress,
    ViewProgress,
    ViewReady,
)
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.series import SeriesPoint
from hookscope.protocol.tensors import Record

HISTORY_STEPS = 10_000
"""Finished steps that are kept."""

KEPT_LOGS = 10_000
"""Texts of log points that are kept."""

Arrival = Change | Ended


@dataclass
class _MergedRecords:
    newest: dict[TensorRef, Record] = field(default_factory=dict)

    def item(self) -> Records:
        return Records(tuple(self.newest.values()))


@dataclass
class _MergedOutput:
    tail: TextTail = field(default_factory=TextTail)

    def item(self) -> OutputPrinted:
        return OutputPrinted(self.tail.text())


@dataclass
class _MergedPoints:
    newest: dict[int, deque[SeriesPoint]] = field(default_factory=dict)
    left_out: dict[int, int] = field(default_factory=dict)

    def add(self, points: SeriesPoints) -> None:
        for point in points.points:
            kept = self.newest.setdefault(point.id, deque(maxlen=HISTORY_STEPS))
            if len(kept) == HISTORY_STEPS:
                self.left_out[point.id] = self.left_out.get(point.id, 0) + 1
            kept.append(point)

    def item(self) -> SeriesPoints:
        return SeriesPoints(tuple(itertools.chain.from_iterable(self.newest.values())), self.left_out)


_Merged = _MergedRecords | _MergedOutput | _MergedPoints


class Inbox:
    """Arrivals in their order, each with the number of the link it came from. Safe from every thread.

    Args:
        on_ready: Called when something arrived in an empty inbox, on the thread that brought it.
    """

    def __init__(self, on_ready: Callable[[], None] | None = None) -> None:
        self._on_ready = on_ready
        self._waiting: dict[Hashable, tuple[int, Arrival | _Merged]] = {}
        self._step_keys: deque[Hashable] = deque()
        self._log_keys: deque[Hashable] = deque()
        self._event_keys: dict[tuple[int, int], list[Hashable]] = {}
        self._event_counts: dict[tuple[int, int], int] = {}
        self._serial = itertools.count()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, sender: int, arrival: Arrival) -> None:
        """Add what a link has heard."""
        with self._changed:
            if self._closed:
                return
            was_empty = not self._waiting
            self._add(sender, arrival)
            self._changed.notify_all()
        if was_empty and self._on_ready is not None:
            self._on_ready()

    def take(self) -> list[tuple[int, Arrival]]:
        """Return everything and be empty again."""
        with self._changed:
            waiting, self._waiting = self._waiting, {}
            for kept in (self._step_keys, self._log_keys, self._event_keys, self._event_counts):
                kept.clear()
        return [(sender, held.item() if isinstance(held, _Merged) else held) for sender, held in waiting.values()]

    def wait(self, timeout_s: float) -> bool:
        """Block until there is something to take; return whether there is."""
        with self._changed:
            return self._changed.wait_for(self._is_over, timeout_s) and bool(self._waiting)

    def close(self) -> None:
        """Drop everything, now and from now on; `on_ready` is not called again by a later `put`."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._on_ready = None
            self._changed.notify_all()

    def _is_over(self) -> bool:
        return bool(self._waiting) or self._closed

    def _add(self, sender: int, arrival: Arrival) -> None:
        match arrival:
            case Records():
                # Merged into the earliest place: records never come after the end of their step.
                held = self._waiting.setdefault((sender, Records), (sender, _MergedRecords()))[1]
                assert isinstance(held, _MergedRecords)
                for record in arrival.records:
                    held.newest.pop(record.ref, None)
                    held.newest[record.ref] = record
            case OutputPrinted():
                held = self._waiting.setdefault((sender, OutputPrinted), (sender, _MergedOutput()))[1]
                assert isinstance(held, _MergedOutput)
                held.tail.add(arrival.text)
            case SeriesPoints():
                held = self._waiting.setdefault((sender, SeriesPoints), (sender, _MergedPoints()))[1]
                assert isinstance(held, _MergedPoints)
                held.add(arrival)
            case StepProgress() | OverviewReady():
                self._replace((sender, type(arrival)), sender, arrival)
            case ViewReady() | ViewProgress():
                self._replace((sender, type(arrival), arrival.panel), sender, arrival)
            case ExportProgress():
                self._replace((sender, ExportProgress, arrival.number), sender, arrival)
            case StepFinished():
                self._append_bounded(self._step_keys, HISTORY_STEPS, sender, arrival)
            case LogPrinted():
                self._append_bounded(self._log_keys, KEPT_LOGS, sender, arrival)
            case StepEvents():
                self._append_events(sender, arrival)
            case _:
                self._append(sender, arrival)

    def _replace(self, key: Hashable, sender: int, arrival: Arrival) -> None:
        self._waiting.pop(key, None)  # so that the newest stands where it arrived
        self._waiting[key] = (sender, arrival)

    def _append_bounded(self, keys: deque[Hashable], bound: int, sender: int, arrival: Arrival) -> None:
        keys.append(self._append(sender, arrival))
        if len(keys) > bound:
            del self._waiting[keys.popleft()]

    def _append_events(self, sender: int, arrival: StepEvents) -> None:
        """Keep the newest steps, each of them whole."""
        step = (sender, arrival.step)
        self._event_keys.setdefault(step, []).append(self._append(sender, arrival))
        self._event_counts[step] = self._event_counts.get(step, 0) + len(arrival.events)
        while len(self._event_keys) > KEPT_STEPS or (
            sum(self._event_counts.values()) > KEPT_EVENTS and len(self._event_keys) > 1
        ):
            oldest = next(iter(self._event_keys))
            del self._event_counts[oldest]
            for key in self._event_keys.pop(oldest):
                del self._waiting[key]

    def _append(self, sender: int, arrival: Arrival) -> Hashable:
        key = next(self._serial)
        self._waiting[key] = (sender, arrival)
        return key
