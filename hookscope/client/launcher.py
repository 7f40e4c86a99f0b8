"""Starts the process of a debuggee, and knows when and how it ended."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

BOOTSTRAP = Path(__file__).resolve().parents[1] / "engine" / "bootstrap.py"
"""The script that the debuggee's interpreter runs."""

_AUTHKEY_BYTES = 32
_FAMILY = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"
_MAX_DIRECTORY_BYTES = 100
"""The path of a socket has room for 104 bytes on macOS and 108 on Linux; two more and an end mark are needed."""

_PATIENT = {"OMP_WAIT_POLICY": "passive"}
"""Threads of torch that wait for each other sleep. If they spun, as they do by themselves, a window that draws on one
of two cores would make a step take four times as long. What a person has set holds."""


class DebuggeeProcess:
    """One process, in a session of its own, that was given a secret and an address to connect to.

    The secret goes through its standard input, which is closed then: it is in no list of processes, and user code that
    reads the standard input finds its end.

    Args:
        interpreter: The Python that runs the model.
        output: File descriptor for what the process prints.

    Raises:
        OSError: The process could not be started.
    """

    def __init__(self, interpreter: str, output: int) -> None:
        authkey = secrets.token_bytes(_AUTHKEY_BYTES)
        self._directory, address = _private_address()
        try:
            self._listener = Listener(address, family=_FAMILY, authkey=authkey)
        except OSError:
            self.dispose()
            raise
        self._address = str(self._listener.address)
        self._gone = False
        self._lock = threading.Lock()  # held to signal the process, so that its id is not someone else's by then
        try:
            self._process = subprocess.Popen(
                [interpreter, "-u", str(BOOTSTRAP), self._address],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=_PATIENT | os.environ,
                start_new_session=True,  # Ctrl+C in the window's terminal is not meant for the model
            )
        except OSError:
            self._listener.close()
            self.dispose()
            raise
        with suppress(BrokenPipeError):  # it is gone already: `wait` says so
            self._hand_over(authkey)

    def accept(self) -> "Connection[bytes, bytes] | None":
        """Block until the debuggee has connected; `None` when it never will. Called once, on the reader thread."""
        try:
            while not self._gone:
                # These end one attempt, such as that of a debuggee that died while it proved who it is.
                with suppress(AuthenticationError, EOFError, ConnectionError):
                    return self._listener.accept()
            return None
        finally:
            self._listener.close()

    def wait(self) -> int:
        """Block until the process has ended, end what it left running in its session, and return its exit code."""
        if hasattr(os, "waitid"):  # leaves its id taken until nothing is to be signalled any more
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        with self._lock:
            self._kill_group()
            code = self._process.wait()
            self._gone = True
        self._stop_accepting()
        return code

    def kill(self) -> None:
        """End the process and all that runs in its session, at once; does nothing when it is gone."""
        with self._lock:
            if not self._gone:
                self._kill_group()

    def dispose(self) -> None:
        """Remove what is left on disk; both `wait` and `accept` have returned."""
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)

    def _hand_over(self, authkey: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with stdin:
            stdin.write(authkey)

    def _kill_group(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):  # macOS: no permission where only the ended is left
                os.killpg(self._process.pid, signal.SIGKILL)

    def _stop_accepting(self) -> None:
        """Make an `accept` that still waits come back: knock with a wrong key. The listener may be closed already."""
        with suppress(AuthenticationError, EOFError, OSError):
            Client(self._address, family=_FAMILY, authkey=b"nobody").close()


def _private_address() -> tuple[str | None, str | None]:
    """Return a new directory that only this user may enter and an address in it; a named pipe needs neither."""
    if sys.platform == "win32":
        return None, None
    directory = tempfile.mkdtemp(prefix="hookscope-")
    if len(os.fsencode(directory)) > _MAX_DIRECTORY_BYTES:
        Path(directory).rmdir()
        directory = tempfile.mkdtemp(prefix="hookscope-", dir="/tmp")
    return directory, str(Path(directory) / "s")
