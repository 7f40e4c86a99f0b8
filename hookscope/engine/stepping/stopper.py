"""Blocks the thread that fired a hook until the window lets the step go on.

`stop` runs on that thread: the main thread on the CPU, autograd's device thread on CUDA. `go_on`, `run_there` and
`wake` run on the reader thread. No lock is held while errands run, and none of the model's ever.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.commands import Continue
from hookscope.protocol.events import Continued, Event, Stopped


class Stopper:
    """One stop at a time: two threads that fire at once stop one after the other.

    Args:
        gate: Its abort ends a stop.
        post: Tells the window.
    """

    def __init__(self, gate: Gate, post: Callable[[Event], None]) -> None:
        self._gate = gate
        self._post = post
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._answer: Continue | None = None
        self._errands: deque[Callable[[], None]] = deque()
        self._is_stopped = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no other thread is stopped; the block is this thread's stop.

        Raises:
            StepAborted: The window asked for Stop.
        """
        with self._turn:
            if self._gate.abort_wanted:
                raise StepAborted
            yield

    def stop(self, stopped: Stopped) -> Continue:
        """Tell the window, and wait for its word; meanwhile run what it asks for. Within a `turn`.

        Raises:
            StepAborted: The window asked for Stop.
        """
        self._answer = None
        self._is_stopped = True
        self._post(stopped)
        try:
            answer = self._wait()
        finally:
            self._is_stopped = False
            self._errands.clear()
        self._post(Continued(stopped.step))
        return answer

    def go_on(self, command: Continue) -> None:
        """Let the stopped step go on."""
        with self._changed:
            self._answer = command
            self._changed.notify_all()

    def run_there(self, errand: Callable[[], None]) -> bool:
        """Run something on the stopped thread; returns whether one is stopped."""
        with self._changed:
            if not self._is_stopped:
                return False
            self._errands.append(errand)
            self._changed.notify_all()
            return True

    def wake(self) -> None:
        """Look again at the gate: an abort was asked for."""
        with self._changed:
            self._changed.notify_all()

    def _wait(self) -> Continue:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._answer or self._errands or self._gate.abort_wanted)
                if self._gate.abort_wanted:
                    raise StepAborted
                errand = self._errands.popleft() if self._errands else None
                if errand is None:
                    assert self._answer is not None
                    return self._answer
            errand()
