"""A two-way stream of frames; the engine and the client know only this."""

import queue
import threading
from typing import TYPE_CHECKING, Protocol

from hookscope.protocol.wire import MAX_FRAME_BYTES

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class ChannelClosedError(Exception):
    """The other end is gone."""


class Channel(Protocol):
    """One end of a connection. `send` is safe from any thread; `receive` belongs to one thread."""

    def send(self, frame: bytes) -> None:
        """Send one frame; raises `ChannelClosedError` when the other end is gone."""

    def receive(self) -> bytes:
        """Block until a frame arrives; raises `ChannelClosedError` when the other end is gone."""

    def close(self) -> None:
        """Close this end; may be called twice."""


class ConnectionChannel:
    """A channel over `multiprocessing.connection` (bytes only, so nothing is unpickled)."""

    def __init__(self, connection: "Connection[bytes, bytes]") -> None:
        self._connection = connection
        self._send_lock = threading.Lock()

    def send(self, frame: bytes) -> None:
        """See `Channel.send`."""
        try:
            with self._send_lock:
                self._connection.send_bytes(frame)
        except (OSError, ValueError) as error:
            raise ChannelClosedError from error

    def receive(self) -> bytes:
        """See `Channel.receive`; a frame above `MAX_FRAME_BYTES` ends the connection."""
        try:
            return self._connection.recv_bytes(MAX_FRAME_BYTES)
        except (EOFError, OSError, TypeError) as error:  # TypeError: closed by another thread while waiting
            raise ChannelClosedError from error

    def close(self) -> None:
        """See `Channel.close`."""
        self._connection.close()


_Frames = queue.SimpleQueue[bytes | None]


class MemoryChannel:
    """One end of a pair that lives in one process, made by `memory_channels`."""

    def __init__(self, outgoing: _Frames, incoming: _Frames) -> None:
        self._outgoing = outgoing
        self._incoming = incoming
        self._closed = False

    def send(self, frame: bytes) -> None:
        """See `Channel.send`."""
        if self._closed:
            raise ChannelClosedError
        self._outgoing.put(frame)

    def receive(self) -> bytes:
        """See `Channel.receive`."""
        frame = self._incoming.get()
        if frame is None:
            self._closed = True
            raise ChannelClosedError
        return frame

    def close(self) -> None:
        """See `Channel.close`."""
        if not self._closed:
            self._closed = True
            self._outgoing.put(None)
            self._incoming.put(None)


def memory_channels() -> tuple[MemoryChannel, MemoryChannel]:
    """Return two connected ends, for an engine and a client in one process."""
    one: _Frames = queue.SimpleQueue()
    two: _Frames = queue.SimpleQueue()
    return MemoryChannel(one, two), MemoryChannel(two, one)
