"""Writes the script that does the same without hookscope, and beside it the values that it takes from other steps."""

from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from hookscope.client.script_captures import NeededCapture, needed_captures
from hookscope.client.script_writer import script_of
from hookscope.client.state import ALLOWED
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import Exported
from hookscope.protocol.exports import ExportEnd, ExportForm


@dataclass
class _Script:
    """A script that is written, and the files beside it.

    Attributes:
        path: The script.
        waiting: Numbers of the exports that have not ended.
        files: Files beside it that are written.
        lacking: In words, what it lacks.
    """

    path: Path
    waiting: set[int] = field(default_factory=set)
    files: int = 0
    lacking: list[str] = field(default_factory=list)


class ScriptExport(QObject):
    """The debuggee writes the values, one file an intervention; the script loads them from beside itself.

    Signals:
        told: What came of it (`str`), once everything is written.
    """

    told = Signal(str)

    def __init__(self, bridge: SessionBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._scripts: list[_Script] = []
        # Later than whoever tells of each file that was written: what is told last is seen.
        bridge.exported.connect(self._note, Qt.ConnectionType.QueuedConnection)

    def write(self, path: Path) -> None:
        """Write the script of the session, and have the values written.

        Raises:
            ValueError: See `script_of`.
            OSError: The script cannot be written.
        """
        script = _Script(path)
        files: dict[int, Path] = {}
        needed = needed_captures(self._session)
        can_export = self._session.state in ALLOWED["export_tensor"]
        for number, capture in enumerate(needed, 1):
            if capture.ref is None:
                script.lacking.append(self._word(capture, self.tr("it has not acted yet, or not in one place alone")))
            elif not can_export:
                script.lacking.append(self._word(capture, self.tr("the model's process is gone")))
            else:
                files[capture.intervention.id] = path.with_name(f"{path.stem}_values_{number}.npy")
        text = script_of(self._session, arrays={id_: file.name for id_, file in files.items()})
        path.write_text(text, encoding="utf-8")
        for capture in needed:
            file = files.get(capture.intervention.id)
            if file is not None and capture.ref is not None:
                number = self._session.export_tensor(capture.ref, file, ExportForm.NPY, capture.step)
                script.waiting.add(number)
        self._scripts.append(script)
        self._tell_if_done(script)

    def _word(self, capture: NeededCapture, why: str) -> str:
        text = self.tr("the values of step {step} for {path} ({why})")
        path = capture.intervention.path or self.tr("the model")
        return text.format(step=capture.step, path=path, why=why)

    @Slot(object)
    def _note(self, exported: Exported) -> None:
        for script in list(self._scripts):
            if exported.number in script.waiting:
                script.waiting.remove(exported.number)
                if exported.end is ExportEnd.WRITTEN:
                    script.files += 1
                else:
                    why = exported.detail or self.tr("given up")
                    text = self.tr("{name} ({why})").format(name=Path(exported.place).name, why=why)
                    script.lacking.append(text)
                self._tell_if_done(script)

    def _tell_if_done(self, script: _Script) -> None:
        if script.waiting:
            return
        self._scripts.remove(script)
        name = script.path.name
        if script.lacking:
            text = self.tr("Saved {name}, but it lacks {what}.").format(name=name, what="; ".join(script.lacking))
        elif script.files == 1:
            text = self.tr("Saved {name}, and beside it the values that it takes from another step").format(name=name)
        elif script.files:
            text = self.tr("Saved {name}, and beside it {count} files of values that it takes from other steps")
            text = text.format(name=name, count=script.files)
        else:
            text = self.tr("Saved {name}").format(name=name)
        self.told.emit(text)
