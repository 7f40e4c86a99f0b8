"""Everything that the debuggee tells the window leaves through here, in order.

Captures and what ends a step are batched: a flusher thread sends them at most 30 times a second, newest record per ref.
Any other event is sent at once, after what was batched before it. Safe from every thread.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from hookscope.engine.capture.captures import Capture
from hookscope.protocol.channel import Channel, ChannelClosedError
from hookscope.protocol.events import (
    Event,
    InterventionsActed,
    Records,
    StepEvents,
    StepFinished,
    StepProgress,
    ViewReady,
)
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.stops import StepEvent
from hookscope.protocol.wire import encode

FLUSH_INTERVAL_S = 1 / 30


class Outbox:
    """Sends events over a channel; when the other end is gone, it drops them."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._send_lock = threading.Lock()
        self._lock = threading.Lock()
        self._captures: deque[Capture] = deque()
        self._events: deque[tuple[int, StepEvent]] = deque()
        self._finished: list[InterventionsActed | StepFinished] = []
        self._progress: Callable[[], StepProgress | None] | None = None
        self._wake = threading.Event()
        self._closed = False
        self._flusher = threading.Thread(target=self._flush_regularly, name="hookscope-outbox", daemon=True)
        self._flusher.start()

    def add_capture(self, capture: Capture) -> None:
        """Batch a record. Called in hooks."""
        self._captures.append(capture)  # a deque's append needs no lock
        if not self._wake.is_set():
            self._wake.set()

    def report_progress(self, progress: Callable[[], StepProgress | None]) -> None:
        """Ask this where a step is whenever a batch leaves, so that progress costs a hook nothing."""
        self._progress = progress

    def add_event(self, step: int, event: StepEvent) -> None:
        """Batch an event of a traced step; every one is sent. Called in hooks."""
        self._events.append((step, event))
        if not self._wake.is_set():
            self._wake.set()

    def add_finished(self, finished: InterventionsActed | StepFinished) -> None:
        """Batch what is told of a step that ended; all of it is sent, in order."""
        with self._lock:
            self._finished.append(finished)
        self._wake.set()

    def post(self, event: Event) -> None:
        """Send an event now, after everything batched."""
        with self._send_lock:
            self._flush()
            self._send(event)

    def close(self) -> None:
        """Send what is batched and end the flusher."""
        self._closed = True
        self._wake.set()
        self._flusher.join()
        with self._send_lock:
            self._flush()

    def _flush_regularly(self) -> None:
        while True:
            self._wake.wait()
            if self._closed:
                return
            self._wake.clear()
            with self._send_lock:
                self._flush()
            time.sleep(FLUSH_INTERVAL_S)  # the rate limit, not a poll: without news the thread waits above

    def post_view(self, view: ViewReady) -> None:
        """Send a view now; what is batched can wait."""
        with self._send_lock:
            self._send(view)

    def _take_captures(self) -> dict[TensorRef, Capture]:
        """Return the newest capture of each ref, in the order of events."""
        newest: dict[TensorRef, Capture] = {}
        while self._captures:
            capture = self._captures.popleft()
            newest.pop(capture.ref, None)
            newest[capture.ref] = capture
        return newest

    def _flush(self) -> None:
        captures = self._take_captures()
        with self._lock:
            finished, self._finished = self._finished, []
        if captures:
            self._send(Records(tuple(capture.record() for capture in captures.values())))
        self._send_events()
        for event in finished:
            self._send(event)
        progress = self._progress() if self._progress is not None and captures else None
        if progress is not None:
            self._send(progress)

    def _send_events(self) -> None:
        batches: dict[int, list[StepEvent]] = {}
        while self._events:
            step, event = self._events.popleft()
            batches.setdefault(step, []).append(event)
        for step, events in batches.items():
            self._send(StepEvents(step, tuple(events)))

    def _send(self, event: Event) -> None:
        try:
            self._channel.send(encode(event))
        except ChannelClosedError:
            self._closed = True
