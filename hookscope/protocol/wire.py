"""Structs to bytes and back: MessagePack, typed on both ends. No pickle crosses."""

import msgspec

from hookscope.protocol.commands import Command
from hookscope.protocol.events import Event

MAX_FRAME_BYTES = 256 * 1024 * 1024
"""A frame above this is refused before it is read; views are a few MB at most."""

_encoder = msgspec.msgpack.Encoder()
_command_decoder: msgspec.msgpack.Decoder[Command] = msgspec.msgpack.Decoder(Command)
_event_decoder: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(Event)


def encode(message: Command | Event) -> bytes:
    """Pack a command or an event; safe from any thread."""
    return _encoder.encode(message)


def decode_command(frame: bytes) -> Command:
    """Unpack a command.

    Raises:
        msgspec.ValidationError: The frame is no command of this protocol.
    """
    return _command_decoder.decode(frame)


def decode_event(frame: bytes) -> Event:
    """Unpack an event.

    Raises:
        msgspec.ValidationError: The frame is no event of this protocol.
    """
    return _event_decoder.decode(frame)
