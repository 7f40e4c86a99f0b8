"""What the actions do that write tensors, steps and all panels to files."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from hookscope.client.state import ALLOWED
from hookscope.figures.export_words import has_written, word_export
from hookscope.figures.text import slot_label
from hookscope.gui import export
from hookscope.gui.current import Current
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.notifications import Notifications
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.protocol.events import Exported
from hookscope.protocol.exports import ExportForm

if TYPE_CHECKING:
    from hookscope.gui.panels.panel_area import PanelArea
    from hookscope.protocol.identity import TensorRef

_FORMS = {f".{form.value}": form for form in ExportForm}


class ExportHandlers(QObject):
    """Asks where to, has the debuggee write it, and says in a toast what came of it.

    Args:
        bridge: The session.
        current: What the window is looking at.
        settings: Where the folder used last is remembered.
        pictures: Saves pictures.
        window: The main window.

    Signals:
        begun: The debuggee was told to write something.
    """

    begun = Signal()

    def __init__(
        self, bridge: SessionBridge, current: Current, settings: Settings, pictures: PictureHandlers, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._current = current
        self._settings = settings
        self._pictures = pictures
        self._window = window
        self._toast: Notifications | None = None
        self._panels: PanelArea | None = None
        self._wanted: tuple[TensorRef, int | None, int | None] | None = None
        self._folder_name = ""
        self._folder = Path()
        bridge.exported.connect(self._tell)

    def join(self, toast: Notifications) -> None:
        """Take where the outcome is told; called once."""
        self._toast = toast

    def use_panels(self, panels: "PanelArea") -> None:
        """Take the panels; called once, when they are made."""
        self._panels = panels

    @Slot()
    def export_tensor(self) -> None:
        """Ask for a file and write what the focused panel shows: all values, or differences, of the step in sight."""
        panel = self._panels.focused_panel() if self._panels is not None else None
        has_tensor = panel is not None and panel.ref is not None
        ref = panel.ref if panel is not None and has_tensor else self._current.ref
        if ref is None:
            self._say(self.tr("There is no tensor to export yet: check a module and press Step."))
            return
        if panel is not None and has_tensor:
            text, self._wanted = export.panel_text(panel), (ref, panel.shown_step or None, panel.shown_minus)
        else:
            text = export.window_text(self._session) | {"module path": ref.path, "slot": slot_label(ref)}
            self._wanted = ref, None, None
        picker = self._picker(self.tr("Export tensor"))
        picker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        picker.setNameFilters([self.tr("NumPy array (*.npy)"), self.tr("Comma-separated values (*.csv)")])
        picker.filterSelected.connect(self._follow_filter)
        picker.setDefaultSuffix(ExportForm.NPY.value)
        picker.selectFile(export.suggest_name(text, ".npy"))
        picker.fileSelected.connect(self._export_tensor_to)
        picker.open()

    @Slot()
    def export_step(self) -> None:
        """Ask for a folder and write every capture of the step that is looked at into a new one inside it."""
        text = export.window_text(self._session)
        step = self._current.step or (self._session.history[-1].step if self._session.history else 0)
        if not step:
            self._say(self.tr("There is no step to export yet: press Step."))
            return
        self._folder_name = export.suggest_name({**text, "step": str(step)}, "")
        caption = self.tr("Choose where the folder {name} is made").format(name=self._folder_name)
        picker = self._picker(caption)
        picker.setFileMode(QFileDialog.FileMode.Directory)
        picker.setOption(QFileDialog.Option.ShowDirsOnly)
        picker.fileSelected.connect(self._export_step_to)
        picker.open()

    @Slot()
    def export_panels(self) -> None:
        """Ask for a file and save all panels in sight in one picture."""
        self._pictures.save_sheet(self._panels.visible_panels() if self._panels is not None else ())

    def _picker(self, caption: str) -> QFileDialog:
        picker = QFileDialog(self._window, caption, str(self._settings.last_folder))
        picker.setOption(QFileDialog.Option.DontUseNativeDialog)
        picker.finished.connect(picker.deleteLater)
        self._open_picker = picker
        return picker

    @Slot(str)
    def _follow_filter(self, name_filter: str) -> None:
        """Give the name the suffix of the kind of file that was chosen."""
        suffix = next((suffix for suffix in _FORMS if f"*{suffix}" in name_filter), ".npy")
        self._open_picker.setDefaultSuffix(suffix.removeprefix("."))
        chosen = self._open_picker.selectedFiles()
        if chosen and Path(chosen[0]).suffix in _FORMS:
            self._open_picker.selectFile(Path(chosen[0]).with_suffix(suffix).name)

    @Slot(str)
    def _export_tensor_to(self, file: str) -> None:
        path = Path(file)
        self._settings.last_folder = path.parent
        if self._wanted is None or not self._can("export_tensor"):
            return
        if path.suffix.lower() not in _FORMS:
            suffixes = " ".join(_FORMS)
            text = self.tr("{name} was not written: the name has to end in one of {suffixes}")
            self._say(text.format(name=path.name, suffixes=suffixes))
            return
        ref, step, minus = self._wanted
        self._session.export_tensor(ref, path, _FORMS[path.suffix.lower()], step, minus)
        self.begun.emit()

    @Slot(str)
    def _export_step_to(self, folder: str) -> None:
        self._settings.last_folder = Path(folder)
        if self._can("export_step"):
            self._session.export_step(Path(folder) / self._folder_name, self._current.step)
            self.begun.emit()

    def _can(self, intent: str) -> bool:
        """Whether it can still be done, now that the dialog is closed; says so when not."""
        if self._session.state in ALLOWED[intent]:
            return True
        self._say(self.tr("Nothing was exported: the model's process is gone."))
        return False

    @Slot(object)
    def _tell(self, exported: Exported) -> None:
        place = Path(exported.place)
        text = word_export(exported, place.name, _translate)
        if not has_written(exported):
            self._say(text)
            return
        state = self._session.exports.get(exported.number)
        self._folder = place if state is not None and state.is_of_step else place.parent
        if self._toast is not None:
            self._toast.show_text(text, self.tr("Open folder"), self._open_folder)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))

    def _say(self, text: str) -> None:
        if self._toast is not None:
            self._toast.show_text(text)


def _translate(english: str) -> str:
    return QCoreApplication.translate("exports", english)
