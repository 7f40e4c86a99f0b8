"""One debuggee: its process, the line to it, and what both say, put into the inbox.

Threads, all ended before the last arrival (`Ended`) is in the inbox, and all named after the link:

- *life* starts the process, waits for its end, and then for the threads below;
- *reader* waits for the process to connect, then takes its events;
- *writer* sends commands, so that a debuggee that does not read never blocks the window;
- *output* (`OutputPump`) reads what it prints.
"""

import queue
import threading
from collections.abc import Callable

import msgspec

from hookscope.client.changes import Ended, OutputPrinted
from hookscope.client.inbox import Inbox
from hookscope.client.launcher import DebuggeeProcess
from hookscope.client.output import OutputPump
from hookscope.protocol.channel import Channel, ChannelClosedError, ConnectionChannel
from hookscope.protocol.commands import Command, FindNonFinite, RunSteps, TraceOperations
from hookscope.protocol.events import Event, RunFinished
from hookscope.protocol.wire import decode_event, encode

_EXIT_GRACE_S = 2.0
"""A debuggee that closed its connection and has not ended by then is killed."""


class Link:
    """A debuggee from its start to its end. Every method is safe from every thread and, unless it says so, never waits.

    Args:
        number: Names this link in the inbox.
        interpreter: The Python that runs the model.
        inbox: Gets every event, what is printed, and at last one `Ended`.
    """

    def __init__(self, number: int, interpreter: str, inbox: Inbox) -> None:
        self.number = number
        self.interpreter = interpreter
        self._inbox = inbox
        self._outgoing: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._process: DebuggeeProcess | None = None
        self._is_connected = False
        self._is_killed = False
        self._has_exited = threading.Event()
        self._has_ended = False
        self._runs_started = 0
        self._runs_finished = 0
        self._killed_after_s: float | None = None
        self._trouble = ""
        self._life = self._thread("life", self._live)
        self._life.start()

    @property
    def is_connected(self) -> bool:
        """Whether commands reach the debuggee yet; those sent earlier wait for it."""
        return self._is_connected

    @property
    def run(self) -> int:
        """Number of the newest run that was started."""
        return self._runs_started

    def send(self, command: Command) -> None:
        """Send a command; when the debuggee is gone it is dropped."""
        if isinstance(command, RunSteps | TraceOperations | FindNonFinite):
            with self._changed:
                self._runs_started += 1
        self._outgoing.put(command)

    def kill(self, deaf_for_s: float | None = None) -> None:
        """End the process at once.

        Args:
            deaf_for_s: How long it had not heard Stop, in seconds, when that is the reason.
        """
        with self._changed:
            self._is_killed = True
            if not self._has_exited.is_set():
                self._killed_after_s = deaf_for_s
            process = self._process
        if process is not None:
            process.kill()

    def wait_for_run(self, run: int, timeout_s: float) -> bool:
        """Block until a run is over or the debuggee is gone; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._runs_finished >= run or self._has_ended, timeout_s)

    def wait_ended(self, timeout_s: float) -> bool:
        """Block until the process is gone and everything it said is in the inbox; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._has_ended, timeout_s)

    def join(self, timeout_s: float) -> None:
        """Block until the threads are gone, which follows from the end of the process."""
        self._life.join(timeout_s)

    def _thread(self, task: str, target: Callable[..., None], *args: object) -> threading.Thread:
        return threading.Thread(target=target, args=args, name=f"hookscope-{self.number}-{task}", daemon=True)

    # -- life thread ----------------------------------------------------------------------------------------------

    def _live(self) -> None:
        pump = OutputPump(self._take_output)
        try:
            process = DebuggeeProcess(self.interpreter, pump.write_end)
        except OSError as error:
            pump.finish()
            self._end(None, str(error))
            return
        with self._changed:
            self._process = process
            was_killed = self._is_killed
        if was_killed:
            process.kill()
        reader = self._thread("reader", self._read, process)
        reader.start()
        code = process.wait()
        self._has_exited.set()
        output = pump.finish()
        reader.join()
        process.dispose()
        self._end(code, output)

    def _take_output(self, text: str) -> None:
        self._inbox.put(self.number, OutputPrinted(text))

    def _end(self, code: int | None, output: str) -> None:
        self._inbox.put(self.number, Ended(code, output, self._killed_after_s, self._trouble))
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    # -- reader thread --------------------------------------------------------------------------------------------

    def _read(self, process: DebuggeeProcess) -> None:
        connection = process.accept()
        if connection is None:
            return
        channel = ConnectionChannel(connection)
        writer = self._thread("writer", self._write, channel)
        writer.start()
        self._is_connected = True
        try:
            while True:
                self._take(decode_event(channel.receive()))
        except ChannelClosedError:
            if not self._has_exited.wait(_EXIT_GRACE_S):
                self._trouble = "the process closed its connection and went on"
        except msgspec.DecodeError as error:
            self._trouble = str(error)
        if self._trouble:
            process.kill()
        self._has_exited.wait()
        self._outgoing.put(None)
        writer.join()
        channel.close()

    def _take(self, event: Event) -> None:
        self._inbox.put(self.number, event)
        if isinstance(event, RunFinished):
            with self._changed:
                self._runs_finished += 1
                self._changed.notify_all()

    # -- writer thread --------------------------------------------------------------------------------------------

    def _write(self, channel: Channel) -> None:
        try:
            while (command := self._outgoing.get()) is not None:
                channel.send(encode(command))
        except ChannelClosedError:
            return  # the reader hears it too
