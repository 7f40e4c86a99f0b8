"""What the client knows of exports. For the session's thread."""

import dataclasses
from dataclasses import dataclass

from hookscope.protocol import commands, events
from hookscope.protocol.exports import ExportEnd

_KEPT = 100
"""Ended exports that can still be asked for; the oldest are forgotten."""

_LOST = "the model's process ended before it was done"


@dataclass(frozen=True)
class ExportState:
    """An export that was asked for.

    Attributes:
        command: What was asked for.
        done: Bytes that are written.
        total: Bytes in all; 0 as long as that is not known.
        ended: How it has ended; `None` while it runs or waits.
    """

    command: commands.ExportTensor | commands.ExportStep
    done: int = 0
    total: int = 0
    ended: events.Exported | None = None

    @property
    def is_of_step(self) -> bool:
        """Whether it is of a whole step, and its place a folder."""
        return isinstance(self.command, commands.ExportStep)

    @property
    def place(self) -> str:
        """The file or the folder."""
        return self.command.file if isinstance(self.command, commands.ExportTensor) else self.command.folder


class ExportMirror:
    """See the property of `DebugSession` with the same name."""

    def __init__(self) -> None:
        self.exports: dict[int, ExportState] = {}
        self._last_number = 0

    def next_number(self) -> int:
        """Return a number that no export had in this session."""
        self._last_number += 1
        return self._last_number

    def begin(self, command: commands.ExportTensor | commands.ExportStep) -> None:
        """Note that an export was asked for."""
        self.exports[command.number] = ExportState(command)
        ended = [number for number, state in self.exports.items() if state.ended is not None]
        for number in ended[:-_KEPT]:
            del self.exports[number]

    def note(self, event: events.Event) -> None:
        """Apply an event of the model's debuggee."""
        match event:
            case events.ExportProgress() if event.number in self.exports:
                state = self.exports[event.number]
                self.exports[event.number] = dataclasses.replace(state, done=event.done, total=event.total)
            case events.Exported() if event.number in self.exports:
                self.exports[event.number] = dataclasses.replace(self.exports[event.number], ended=event)

    def lose_debuggee(self) -> list[events.Exported]:
        """End what the debuggee has not ended, and return how."""
        lost = [
            events.Exported(number, ExportEnd.FAILED, state.place, detail=_LOST)
            for number, state in self.exports.items()
            if state.ended is None
        ]
        for exported in lost:
            self.note(exported)
        return lost
