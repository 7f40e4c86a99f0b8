"""The side of a session without a process that has files written: it notes what is asked for."""

from os import PathLike
from pathlib import Path

from hookscope.client.export_mirror import ExportMirror, ExportState
from hookscope.protocol.commands import ExportStep, ExportTensor
from hookscope.protocol.exports import ExportForm
from hookscope.protocol.identity import TensorRef


class FakeExports:
    def __init__(self) -> None:
        self.wishes: list[tuple[object, ...]] = []
        self.exporting = ExportMirror()

    @property
    def exports(self) -> dict[int, ExportState]:
        return self.exporting.exports

    def export_tensor(
        self,
        ref: TensorRef,
        file: str | PathLike[str],
        form: ExportForm,
        step: int | None = None,
        minus: int | None = None,
    ) -> int:
        number = self.exporting.next_number()
        self.exporting.begin(ExportTensor(number, ref, str(file), form, step, minus))
        self.wishes.append(("export_tensor", ref, Path(file), form, step, minus))
        return number

    def export_step(self, folder: str | PathLike[str], step: int | None = None) -> int:
        number = self.exporting.next_number()
        self.exporting.begin(ExportStep(number, str(folder), step))
        self.wishes.append(("export_step", Path(folder), step))
        return number

    def cancel_export(self, number: int) -> None:
        self.wishes.append(("cancel_export", number))

    def cancel_view(self, panel: str, number: int) -> None:
        self.wishes.append(("cancel_view", panel, number))
