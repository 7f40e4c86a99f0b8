"""Keeps the list of interventions in a file, reads one, and writes a script that does the same without hookscope."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.script_export import ScriptExport
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings

_LIST_NAME = "interventions.json"
_SCRIPT_NAME = "interventions.py"


class InterventionFiles(QObject):
    """Asks for a file, and says what has come of it.

    Args:
        bridge: The session.
        book: The interventions.
        settings: Where the folder used last is remembered.
        window: Parent of the dialogs.

    Signals:
        told: What came of it (`str`).
    """

    told = Signal(str)

    def __init__(self, bridge: SessionBridge, book: InterventionBook, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._book = book
        self._settings = settings
        self._window = window
        self._script = ScriptExport(bridge, self)
        self._script.told.connect(self.told)

    @Slot()
    def save(self) -> None:
        """Ask for a file, and keep the list in it."""
        picker = self._picker(self.tr("Save interventions"), self.tr("Lists of interventions (*.json)"), _LIST_NAME)
        picker.fileSelected.connect(self.save_to)
        picker.open()

    @Slot()
    def load(self) -> None:
        """Ask for a file, and take the list in it."""
        picker = self._picker(self.tr("Load interventions"), self.tr("Lists of interventions (*.json)"))
        picker.fileSelected.connect(self.load_from)
        picker.open()

    @Slot()
    def export(self) -> None:
        """Ask for a file, and write a script to it."""
        picker = self._picker(self.tr("Export script"), self.tr("Python files (*.py)"), _SCRIPT_NAME)
        picker.fileSelected.connect(self.export_to)
        picker.open()

    @Slot(str)
    def save_to(self, file: str) -> None:
        """Keep the list in a file."""
        path = Path(file)
        try:
            path.write_text(self._book.to_json(), encoding="utf-8")
        except OSError as error:
            self._tell_unwritten(path, error)
            return
        self._settings.last_folder = path.parent
        self.told.emit(self.tr("Saved {name}").format(name=path.name))

    @Slot(str)
    def load_from(self, file: str) -> None:
        """Take the list of a file; what is none leaves the list as it is, and is told."""
        try:
            text = Path(file).read_text(encoding="utf-8")
            self._book.load_json(text)
        except (OSError, ValueError) as error:
            self.told.emit(self.tr("{name} cannot be loaded: {error}").format(name=Path(file).name, error=error))
            return
        self._settings.last_folder = Path(file).parent
        self.told.emit(self.tr("Loaded {name}").format(name=Path(file).name))

    @Slot(str)
    def export_to(self, file: str) -> None:
        """Write a script to a file, and beside it the values that it takes from other steps."""
        path = Path(file)
        try:
            self._script.write(path)
        except ValueError as error:
            self.told.emit(self.tr("No script can be written: {error}").format(error=error))
        except OSError as error:
            self._tell_unwritten(path, error)
        else:
            self._settings.last_folder = path.parent

    def _tell_unwritten(self, path: Path, error: OSError) -> None:
        self.told.emit(self.tr("{name} cannot be written: {error}").format(name=path.name, error=error.strerror))

    def _picker(self, title: str, pattern: str, suggestion: str = "") -> QFileDialog:
        picker = QFileDialog(self._window, title, str(self._settings.last_folder), pattern)
        picker.setOption(QFileDialog.Option.DontUseNativeDialog)
        if suggestion:
            picker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            picker.setDefaultSuffix(Path(suggestion).suffix.removeprefix("."))
            picker.selectFile(suggestion)
        else:
            picker.setFileMode(QFileDialog.FileMode.ExistingFile)
        picker.finished.connect(picker.deleteLater)
        return picker
