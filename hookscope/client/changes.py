"""What `DebugSession.drain` returns: the events of the debuggee and what only the client knows."""

from dataclasses import dataclass

from hookscope.client.state import SessionState
from hookscope.protocol.events import Event


@dataclass(frozen=True)
class StateChanged:
    """The session entered a state. `DebugSession.state` may be further on already."""

    state: SessionState


@dataclass(frozen=True)
class OutputPrinted:
    """The debuggee printed on its standard output or standard error."""

    text: str


Change = Event | StateChanged | OutputPrinted


@dataclass(frozen=True)
class Ended:
    """A debuggee's process is gone, after everything it had said; for the session alone.

    Attributes:
        code: Its exit code, negative for a signal; `None` when it could not be started.
        output: The end of what it printed, or why it could not be started.
        killed_after_s: How long it had been deaf to Stop when it was killed for that, in seconds.
        trouble: What was wrong with the connection, when that is why it was ended; else `""`.
    """

    code: int | None
    output: str
    killed_after_s: float | None = None
    trouble: str = ""
