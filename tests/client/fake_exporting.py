"""How a debuggee without a model exports: it writes a few bytes; a file named `slow` takes until it is cancelled."""

from abc import ABC, abstractmethod
from pathlib import Path

from hookscope.protocol import commands, events
from hookscope.protocol.exports import ExportEnd, SkippedTensor
from hookscope.protocol.identity import Slot, TensorRef

TOTAL = 24


class FakeExporting(ABC):
    """Does what it is told at once, on the thread that hears it, but for what is slow."""

    step: int

    def __init__(self) -> None:
        super().__init__()
        self.slow: dict[int, str] = {}

    @abstractmethod
    def send(self, event: events.Event) -> None: ...

    def export_tensor(self, command: commands.ExportTensor) -> None:
        file = Path(command.file)
        self.send(events.ExportProgress(command.number, TOTAL // 2, TOTAL))
        if file.stem == "slow":
            self.slow[command.number] = command.file
        elif not file.parent.is_dir():
            detail = f"{file}: No such file or directory"
            self.send(events.Exported(command.number, ExportEnd.FAILED, command.file, detail=detail))
        else:
            file.write_text(f"{command.form} of {command.ref.path}, step {command.step or self.step}")
            self.send(events.Exported(command.number, ExportEnd.WRITTEN, command.file, 1, TOTAL))

    def export_step(self, command: commands.ExportStep) -> None:
        skipped = (SkippedTensor(TensorRef("b", Slot.GRAD_INPUT, "args.0"), "it does not require a gradient"),)
        end = events.Exported(command.number, ExportEnd.WRITTEN, command.folder, 2, 2 * TOTAL, skipped)
        self.send(end)

    def cancel_export(self, command: commands.CancelExport) -> None:
        place = self.slow.pop(command.number, None)
        if place is not None:
            self.send(events.Exported(command.number, ExportEnd.CANCELLED, place))
