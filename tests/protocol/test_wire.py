"""Every command and event survives the wire and says when it is sent."""

import inspect
import typing

import msgspec
import numpy as np
import pytest

from hookscope.protocol.commands import Command, RunSteps, Shutdown
from hookscope.protocol.events import Event, HooksSet
from hookscope.protocol.tensors import Array
from hookscope.protocol.wire import decode_command, decode_event, encode
from tests.protocol.samples import struct_samples

COMMANDS = typing.get_args(Command)
EVENTS = typing.get_args(Event)


@pytest.mark.parametrize("kind", COMMANDS)
def test_that_a_command_comes_back_as_it_was_sent(kind: type[msgspec.Struct]) -> None:
    for command in struct_samples(kind):
        assert decode_command(encode(command)) == command


@pytest.mark.parametrize("kind", EVENTS)
def test_that_an_event_comes_back_as_it_was_sent(kind: type[msgspec.Struct]) -> None:
    for event in struct_samples(kind):
        assert decode_event(encode(event)) == event


@pytest.mark.parametrize("kind", [*COMMANDS, *EVENTS])
def test_that_a_message_says_when_it_is_sent(kind: type[msgspec.Struct]) -> None:
    assert inspect.getdoc(kind).startswith("Sent ")


@pytest.mark.parametrize("kind", [*COMMANDS, *EVENTS])
def test_that_a_message_cannot_be_changed_after_it_was_made(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


def test_that_tags_are_unique() -> None:
    tags = [kind.__struct_config__.tag for kind in (*COMMANDS, *EVENTS)]
    assert len(set(tags)) == len(tags)


def test_that_a_command_is_no_event() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_event(encode(Shutdown()))
    with pytest.raises(msgspec.ValidationError):
        decode_command(encode(HooksSet(("a",))))


@pytest.mark.parametrize(
    "frame", [b"", b"\xff", b"\x80", encode(RunSteps(2))[:-1], msgspec.msgpack.encode({"type": "x"})]
)
def test_that_a_broken_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_command(frame)


@pytest.mark.parametrize("dtype", ["<f4", "<f8", "|u1", "<i8", "|b1", "<c8", "<f2"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3, 4)])
def test_that_an_array_comes_back_exactly(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    decoded = msgspec.msgpack.decode(msgspec.msgpack.encode(Array.from_numpy(values)), type=Array).to_numpy()
    np.testing.assert_array_equal(decoded, values, strict=True)
    assert not decoded.flags.writeable


def test_that_an_array_that_is_not_in_c_order_comes_back_exactly() -> None:
    values = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::2]
    np.testing.assert_array_equal(Array.from_numpy(values).to_numpy(), values, strict=True)


def test_that_no_python_object_crosses_in_an_array() -> None:
    with pytest.raises(ValueError, match="object"):
        Array.from_numpy(np.array([object()]))
    with pytest.raises(ValueError, match="object"):
        Array("|O", (1,), bytes(8)).to_numpy()


def test_that_an_array_with_missing_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"reshape|size"):
        Array("<f4", (2, 2), bytes(12)).to_numpy()
