"""Fake interpreters, and waiting for a session without sleeping."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from hookscope.client.changes import Change, OutputPrinted
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.protocol.events import ViewReady

GIVE_UP_S = 60.0
"""Only a broken program gets here."""

SCRIPT = Path(__file__).with_name("fake_debuggee.py")


def fake_interpreter(folder: Path, manner: str = "good") -> str:
    """Write an executable that stands for a Python interpreter and behaves as told."""
    path = folder / f"python-{manner.replace(' ', '-')}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{SCRIPT}" "{manner}" "$@"\n')
    path.chmod(0o700)
    return str(path)


def drain_until_told(session: DebugSession, is_told: Callable[[list[Change]], bool]) -> list[Change]:
    """Drain until all that came from now on fulfils something; return it."""
    changes: list[Change] = []
    deadline = time.monotonic() + GIVE_UP_S
    while not is_told(changes):
        assert session.wait(deadline - time.monotonic()), f"nothing more came; {session.state} {session.failure}"
        changes += session.drain()
    return changes


def drain_until(session: DebugSession, is_reached: Callable[[], bool]) -> list[Change]:
    """Drain until something holds; return everything that came."""
    return drain_until_told(session, lambda _: is_reached())


def drain_until_state(session: DebugSession, *states: SessionState) -> list[Change]:
    """Drain until the session is in one of the states."""
    return drain_until(session, lambda: session.state in states)


def drain_until_view(session: DebugSession) -> ViewReady:
    """Drain until a view has arrived, and return it."""
    changes = drain_until_told(session, lambda changes: any(isinstance(change, ViewReady) for change in changes))
    return next(change for change in changes if isinstance(change, ViewReady))


def printed(changes: list[Change]) -> str:
    """Return all output among some changes."""
    return "".join(change.text for change in changes if isinstance(change, OutputPrinted))
