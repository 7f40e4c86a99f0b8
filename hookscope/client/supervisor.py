"""Ends what does not end by itself: the ladder behind Stop, debuggees that are no longer wanted, and what an end means.

Each climb has a thread of its own that waits for the debuggee and for nothing else.
"""

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass

from hookscope.client.changes import Ended
from hookscope.client.link import Link
from hookscope.protocol.commands import Abort, Interrupt, Shutdown
from hookscope.protocol.events import PROTOCOL_VERSION
from hookscope.protocol.failures import ExceptionInfo, Failure, FailureKind

_KILL_WAIT_S = 5.0
"""A killed process that is not gone by then hangs in the kernel; nobody can do more about it."""


@dataclass(frozen=True)
class LadderTimes:
    """How long each rung is given, in seconds.

    Attributes:
        abort_s: After Stop, for the next hook to end the step; then it is interrupted.
        interrupt_s: For the interrupt to be heard; then the process is killed.
        close_s: For a debuggee that is no longer wanted to end by itself; then it is killed.
    """

    abort_s: float = 2.0
    interrupt_s: float = 3.0
    close_s: float = 2.0


class Supervisor:
    """Climbs ladders in the background. Belongs to the thread of its session; only `close` waits."""

    def __init__(self, times: LadderTimes) -> None:
        self._times = times
        self._threads: list[threading.Thread] = []

    def stop(self, link: Link) -> None:
        """End the run that goes on: abort at the next hook, else interrupt, else kill."""
        self._start("stop", self._stop, link, link.run)

    def retire(self, link: Link, *, interrupt: bool = False) -> None:
        """End a debuggee that is no longer wanted, or collect the threads of one that is gone.

        Args:
            link: The debuggee.
            interrupt: Whether it may be busy loading, which a shutdown alone would wait for.
        """
        self._start("retire", self._retire, link, interrupt)

    def close(self) -> None:
        """Wait until everything is ended; all links have been retired."""
        for thread in self._threads:
            thread.join()

    def _start(self, task: str, target: Callable[..., None], link: Link, argument: int) -> None:
        name = f"hookscope-{link.number}-{task}"
        thread = threading.Thread(target=target, args=(link, argument), name=name, daemon=True)
        self._threads = [known for known in self._threads if known.is_alive()]
        self._threads.append(thread)
        thread.start()

    def _stop(self, link: Link, run: int) -> None:
        link.send(Abort())
        if link.wait_for_run(run, self._times.abort_s):
            return
        link.send(Interrupt())
        if link.wait_for_run(run, self._times.interrupt_s):
            return
        link.kill(deaf_for_s=self._times.abort_s + self._times.interrupt_s)

    def _retire(self, link: Link, interrupt: bool) -> None:
        if interrupt:
            link.send(Interrupt())
        link.send(Shutdown())
        # One that has not connected is still importing: it has nothing to put in order.
        if not link.is_connected or not link.wait_ended(self._times.close_s):
            link.kill()
        link.join(_KILL_WAIT_S)


def failure_of(ended: Ended, interpreter: str, *, said_hello: bool) -> Failure:
    """Return what a person is shown when a debuggee ended that should not have."""
    if ended.killed_after_s is not None:
        return Failure(FailureKind.DEBUGGEE_KILLED, {"seconds": f"{ended.killed_after_s:g}"})
    if ended.trouble and not said_hello:
        return version_mismatch("?")
    if ended.trouble:
        trouble = ExceptionInfo("ConnectionError", ended.trouble, (), ended.output)
        return Failure(FailureKind.INTERNAL, exception=trouble)
    if ended.code is not None and ended.code < 0:
        return Failure(
            FailureKind.DEBUGGEE_SIGNALLED, {"signal": _signal_name(-ended.code), "output": ended.output.strip()}
        )
    if not said_hello:
        values = {"interpreter": interpreter, "output": ended.output.strip()}
        return Failure(FailureKind.INTERPRETER_UNUSABLE, values)
    return Failure(FailureKind.DEBUGGEE_EXITED, {"code": str(ended.code), "output": ended.output.strip()})


def version_mismatch(debuggee: str) -> Failure:
    """Return the failure of a debuggee that speaks another protocol."""
    return Failure(FailureKind.VERSION_MISMATCH, {"window": str(PROTOCOL_VERSION), "debuggee": debuggee})


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
