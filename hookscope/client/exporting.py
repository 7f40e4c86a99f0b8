"""Tensors that a session has written to files, and long work that is given up."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from hookscope.client.export_mirror import ExportState
from hookscope.client.state import SessionStateError
from hookscope.client.watching import WatchingSession
from hookscope.protocol import commands
from hookscope.protocol.exports import ExportForm
from hookscope.protocol.identity import TensorRef

_Place = str | os.PathLike[str]


class ExportingSession(WatchingSession):
    """The part of `DebugSession` that has files written; what is said there of intents and facts holds for these.

    The debuggee writes them itself, one export after the other, while steps run and panels are served. `ExportProgress`
    tells how far it is, `Exported` of the same number how it has ended, also when the debuggee is lost meanwhile.
    """

    @property
    def exports(self) -> Mapping[int, ExportState]:
        """Number -> the export, in the order in which they were asked for; of those that have ended the newest."""
        return MappingProxyType(self._model.exporting.exports)

    def export_tensor(
        self, ref: TensorRef, file: _Place, form: ExportForm, step: int | None = None, minus: int | None = None
    ) -> int:
        """Write one tensor to a file; a former one is replaced when all is written.

        Args:
            ref: A tensor that was captured, or a local variable of the stopped step, which goes on only afterwards.
            file: Where to.
            form: What is written.
            step: Of which step; `None` for the newest.
            minus: A step whose values are subtracted; `None` for the values themselves.

        Returns:
            The number of the export.
        """
        self._demand("export_tensor")
        number = self._model.exporting.next_number()
        self._begin(commands.ExportTensor(number, ref, _absolute(file), form, step, minus))
        return number

    def export_step(self, folder: _Place, step: int | None = None) -> int:
        """Write every captured tensor of a step as `.npy` into a folder, with an `index.json` that says what is what.

        Args:
            folder: Where to; it is made if need be.
            step: Which step; `None` for the newest finished one.

        Returns:
            The number of the export.
        """
        self._demand("export_step")
        number = self._model.exporting.next_number()
        self._begin(commands.ExportStep(number, _absolute(folder), step))
        return number

    def cancel_export(self, number: int) -> None:
        """Give up an export; nothing happens when it has ended already."""
        self._demand("cancel_export")
        state = self.exports.get(number)
        if state is not None and state.ended is None:
            self._send(commands.CancelExport(number))

    def cancel_view(self, panel: str, number: int) -> None:
        """Give up a view that takes long; it is answered all the same, with `NoPicture` unless it was done already."""
        self._demand("cancel_view")
        self._send(commands.CancelView(panel, number))

    def _begin(self, command: commands.ExportTensor | commands.ExportStep) -> None:
        if not self._send(command):
            raise SessionStateError("export: the model's debuggee is gone")
        self._model.exporting.begin(command)


def _absolute(place: _Place) -> str:
    """Say where a file is for a process that may have another working folder."""
    return str(Path(place).absolute())
