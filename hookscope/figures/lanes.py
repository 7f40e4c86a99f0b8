"""The events of a step as spans of time: one for each pass of each call, forward and backward.

Times are the device's own where every event has them (CUDA, once the step is finished), else wall time without stops.
"""

from collections.abc import Iterable, Sequence

from hookscope.protocol.stops import EventKind, StepEvent

_FORWARD_ENTER = EventKind.FORWARD_ENTER
_FORWARD_LEAVE = EventKind.FORWARD_LEAVE
_BACKWARD_ENTER = EventKind.BACKWARD_ENTER
_BACKWARD_LEAVE = EventKind.BACKWARD_LEAVE
_LOSS = EventKind.LOSS
_OPTIMIZER = EventKind.OPTIMIZER

SpanKey = tuple[str, int, bool]
"""Path, call, and whether it is the backward pass."""


class Span:
    """What one call of a module did in one pass.

    Attributes:
        path: The module.
        call: Index of the call.
        is_backward: Which pass.
        parent: The span of the call that this one was made in; `None` for the outermost.
        first: Number of its first event, or of the first one inside it when that came before.
        last: Number of its last event so far.
        enter: Number of the event that entered it; -1 when there was none.
        leave: Number of the event that left it; -1 as long as there is none.
        begin_s: Seconds since the step began.
        end_s: Time of its last event so far; see `StepTrace.end_of`.
        has_inner: Whether it has spans inside.
        allocated_bytes: How much more memory was allocated on the device when it was left than when it was entered.
    """

    __slots__ = (
        "allocated_bytes",
        "begin_s",
        "call",
        "end_s",
        "enter",
        "entered_bytes",
        "first",
        "has_inner",
        "is_backward",
        "last",
        "leave",
        "parent",
        "path",
    )

    def __init__(self, key: SpanKey, parent: "Span | None", number: int, time_s: float) -> None:
        self.path, self.call, self.is_backward = key
        self.parent = parent
        self.first = self.last = number
        self.enter = self.leave = -1
        self.begin_s = self.end_s = time_s
        self.has_inner = False
        self.entered_bytes = 0
        self.allocated_bytes = 0
        if parent is not None:
            parent.has_inner = True

    @property
    def key(self) -> SpanKey:
        """What no other span of the step has."""
        return self.path, self.call, self.is_backward


class StepTrace:
    """The spans of one step; further events extend them.

    Args:
        events: The events so far, from number 0 on.

    Attributes:
        events: The events.
        spans: The spans by their key, in the order in which they began; outer ones before those inside them.
        marks: Events of no module: the loss and the optimizer.
        span_of: Of each event its span; `None` for marks.
        is_device_timed: Whether times are the device's own.
        has_memory: Whether memory was told, as it is on CUDA.
        end_s: Time of the newest event.
    """

    def __init__(self, events: Sequence[StepEvent] = ()) -> None:
        self.events: list[StepEvent] = []
        self.spans: dict[SpanKey, Span] = {}
        self.marks: list[StepEvent] = []
        self.span_of: list[Span | None] = []
        self.is_device_timed = bool(events) and events[-1].device_s > 0
        self.has_memory = False
        self.end_s = 0.0
        self._open_at: dict[int, Span] = {}
        self._newest_call: dict[str, int] = {}
        self.extend(events)

    def extend(self, events: Iterable[StepEvent]) -> None:
        """Take what happened next."""
        is_device_timed, told, span_of = self.is_device_timed, self.events, self.span_of
        for event in events:
            time_s = event.device_s if is_device_timed else event.time_s
            kind = event.kind  # compared one by one: the hash of an enum's member is dear
            if kind is _FORWARD_ENTER:
                span: Span | None = self._enter_forward(event, time_s)
            elif kind is _FORWARD_LEAVE:
                span = self._leave_forward(event, time_s)
            elif kind is _LOSS or kind is _OPTIMIZER:
                span = None
                self.marks.append(event)
            else:
                span = self._pass_backward(event, time_s)
            told.append(event)
            span_of.append(span)
            self.end_s = time_s
            if event.memory_bytes:
                self.has_memory = True
                if span is not None:
                    _note_memory(span, event)

    def time_of(self, event: StepEvent) -> float:
        """Return the time of an event, in seconds since the step began."""
        return event.device_s if self.is_device_timed else event.time_s

    def end_of(self, span: Span) -> float:
        """Return when a span ended: that of a forward call that has not returned goes on until now."""
        return self.end_s if span.leave < 0 and not span.is_backward else span.end_s

    def duration_of(self, span: Span) -> float:
        """Return how many seconds a span took, or has taken so far."""
        return self.end_of(span) - span.begin_s

    @property
    def begin_s(self) -> float:
        """Time of the first event."""
        return self.time_of(self.events[0]) if self.events else 0.0

    @property
    def duration_s(self) -> float:
        """Seconds from the first event to the newest."""
        return self.end_s - self.begin_s

    @property
    def is_forward_over(self) -> bool:
        """Whether the root has returned; what was not called until then will not be."""
        root = self.spans.get(("", 0, False))
        return bool(self.marks) or (root is not None and root.leave >= 0)

    def _enter_forward(self, event: StepEvent, time_s: float) -> Span:
        parent = self._open_at.get(event.depth - 1)
        if parent is None or parent.leave >= 0:
            parent = self._enclosing(event.path, is_backward=False)
        key = (event.path, event.call, False)
        span = self.spans[key] = Span(key, parent, event.number, time_s)
        span.enter = event.number
        self._open_at[event.depth] = span
        self._newest_call[event.path] = event.call
        return span

    def _leave_forward(self, event: StepEvent, time_s: float) -> Span:
        key = (event.path, event.call, False)
        span = self.spans.get(key)
        if span is None:  # the step is traced from within this call
            span = self.spans[key] = Span(key, self._enclosing(event.path, is_backward=False), event.number, time_s)
            self._newest_call[event.path] = event.call
        span.last = span.leave = event.number
        span.end_s = time_s
        return span

    def _pass_backward(self, event: StepEvent, time_s: float) -> Span:
        span = self._backward_span(event.path, event.call, event.number, time_s)
        if event.kind is _BACKWARD_ENTER:
            span.enter = event.number
        elif event.kind is _BACKWARD_LEAVE:
            span.leave = event.number
        number = event.number
        above: Span | None = span
        while above is not None:  # what happens inside a call happens in all that it is inside of
            above.last = number
            above.end_s = time_s
            above = above.parent
        return span

    def _backward_span(self, path: str, call: int, number: int, time_s: float) -> Span:
        key = (path, call, True)
        span = self.spans.get(key)
        if span is None:
            forward = self.spans.get((path, call, False))
            outer = forward.parent if forward is not None else self._enclosing(path, is_backward=True)
            parent = self._backward_span(outer.path, outer.call, number, time_s) if outer is not None else None
            span = self.spans[key] = Span(key, parent, number, time_s)
        return span

    def _enclosing(self, path: str, *, is_backward: bool) -> Span | None:
        """Return the newest call of the nearest module around this one, by its path."""
        while path:
            path = path.rpartition(".")[0]
            call = self._newest_call.get(path)
            if call is not None:
                return self.spans.get((path, call, is_backward)) or self.spans[path, call, False]
        return None


def _note_memory(span: Span, event: StepEvent) -> None:
    if event.number == span.enter:
        span.entered_bytes = event.memory_bytes
    elif event.number == span.leave and span.enter >= 0:
        span.allocated_bytes = event.memory_bytes - span.entered_bytes
