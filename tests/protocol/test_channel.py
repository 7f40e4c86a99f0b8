"""Frames cross whole and in order, and the end of the other side is told."""

import os
import threading
from collections.abc import Iterator
from multiprocessing.connection import Pipe

import pytest

from hookscope.protocol.channel import Channel, ChannelClosedError, ConnectionChannel, memory_channels
from hookscope.protocol.wire import MAX_FRAME_BYTES


def connection_channels() -> tuple[ConnectionChannel, ConnectionChannel]:
    one, two = Pipe()
    return ConnectionChannel(one), ConnectionChannel(two)


@pytest.fixture(params=[memory_channels, connection_channels], ids=["memory", "connection"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Channel, Channel]]:
    one, two = request.param()
    yield one, two
    one.close()
    two.close()


def test_that_frames_arrive_whole_and_in_order(ends: tuple[Channel, Channel]) -> None:
    one, two = ends
    frames = [b"", b"a", bytes(50_000)]
    for frame in frames:
        one.send(frame)
    two.send(b"back")
    assert [two.receive() for _ in frames] == frames
    assert one.receive() == b"back"


def test_that_the_reader_is_told_when_the_other_end_closes(ends: tuple[Channel, Channel]) -> None:
    one, two = ends
    one.send(b"last")
    one.close()
    assert two.receive() == b"last"
    with pytest.raises(ChannelClosedError):
        two.receive()


def test_that_sending_on_a_closed_end_is_refused(ends: tuple[Channel, Channel]) -> None:
    one, _ = ends
    one.close()
    one.close()
    with pytest.raises(ChannelClosedError):
        one.send(b"x")


def test_that_several_threads_may_send(ends: tuple[Channel, Channel]) -> None:
    one, two = ends
    names = [b"a" * 30_000, b"b" * 30_000, b"c" * 30_000]
    threads = [threading.Thread(target=one.send, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    received = {two.receive() for _ in names}
    for thread in threads:
        thread.join()
    assert received == set(names)


def test_that_a_frame_above_the_limit_ends_the_connection() -> None:
    one, two = Pipe()
    receiver = ConnectionChannel(two)
    # Only the announced length is sent: a frame that is too large is refused before it is read.
    header = (-1).to_bytes(4, "big", signed=True) + (MAX_FRAME_BYTES + 1).to_bytes(8, "big")
    os.write(one.fileno(), header)
    with pytest.raises(ChannelClosedError):
        receiver.receive()
    one.close()
    receiver.close()
