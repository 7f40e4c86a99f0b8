"""What the client knows of stepping: breakpoints, the stop at hand, events and logs. For the session's thread."""

from collections import deque
from collections.abc import Iterable

from hookscope.client.events import EventBook
from hookscope.client.inbox import KEPT_LOGS
from hookscope.protocol import events
from hookscope.protocol.stops import Breakpoint


class SteppingMirror:
    """See the properties of `DebugSession` with the same names."""

    def __init__(self) -> None:
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.errors: dict[int, str] = {}
        self.unmatched: frozenset[int] = frozenset()
        self.stopped: events.Stopped | None = None
        self.stack: events.StackReady | None = None
        self.event_book = EventBook()
        self.logs: deque[events.LogPrinted] = deque(maxlen=KEPT_LOGS)
        self.search: events.NonFiniteSearched | None = None
        self.trace_steps = False
        self._last_id = 0

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Keep the whole set; what was said of those that are as before still holds."""
        before = set(self.breakpoints)
        self.breakpoints = tuple({point.id: point for point in breakpoints}.values())
        self._last_id = max((self._last_id, *(point.id for point in self.breakpoints)))
        known = {point.id for point in self.breakpoints if point in before}
        self.errors = {id_: error for id_, error in self.errors.items() if id_ in known}
        self.unmatched &= known

    def next_id(self) -> int:
        """Return an id that no breakpoint had in this session."""
        self._last_id += 1
        return self._last_id

    def let_go(self) -> None:
        """The stop is over, or will be at once."""
        self.stopped, self.stack = None, None

    def is_of_this_stop(self, answer: events.StackReady | events.AtHandChanged) -> bool:
        """Return whether an answer belongs to the stop at hand rather than to one before it."""
        stopped = self.stopped
        return stopped is not None and (answer.step, answer.event) == (stopped.step, stopped.event)

    def note(self, event: events.Event) -> None:
        """Apply an event of the model's debuggee."""
        match event:
            case events.StepEvents():
                self.event_book.add(event.step, event.events)
            case events.Stopped():
                self.stopped, self.stack = event, None
            case events.Continued():
                self.let_go()
            case events.RunFinished():
                self.let_go()
                self.event_book.end_run()
            case events.BreakpointsSet():
                known = {point.id for point in self.breakpoints}
                self.errors = {id_: error for id_, error in event.errors.items() if id_ in known}
                self.unmatched = frozenset(known.intersection(event.unmatched))
            case events.StackReady():
                self.stack = event
            case events.NonFiniteSearched():
                self.search = event
            case events.LogPrinted():
                self.logs.append(event)
