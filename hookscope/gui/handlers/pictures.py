"""Saving and copying pictures of the window and of its panels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from hookscope.gui import export
from hookscope.gui.notifications import Notifications
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings

if TYPE_CHECKING:
    from hookscope.gui.panels.panel import TensorPanel

COPY_SCALE = 2
_SCALES = (2, 1, 3, 4)
"""Pixels per logical pixel, as choices of the file dialog; the first is sharp in a paper and on any screen."""

Write = Callable[[Path, int], Path]
"""Writes a picture to a path at a scale, and returns the path it took."""


class PictureHandlers(QObject):
    """Asks where to, writes the file, and says so in a toast.

    Args:
        bridge: The session, for what is written into the files.
        settings: Where the folder used last is remembered.
        toast: Where the outcome is told.
        focused_panel: Returns the panel to save, if there is one.
        window: The main window.
    """

    def __init__(
        self,
        bridge: SessionBridge,
        settings: Settings,
        toast: Notifications,
        focused_panel: "Callable[[], TensorPanel | None]",
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._settings = settings
        self._toast = toast
        self._focused_panel = focused_panel
        self._window = window
        self._write: Write | None = None
        self._folder = Path()

    @Slot()
    def save_window(self) -> None:
        """Ask for a file name and save the window."""
        text = export.window_text(self._session)
        self._ask_for_png(partial(_write_png, self._window, text), export.suggest_name(text))

    def write_window(self, path: Path) -> None:
        """Save the window without asking, one pixel per logical pixel, and say so.

        Raises:
            export.ExportError: The file could not be written.
        """
        self.tell_saved(_write_png(self._window, export.window_text(self._session), path, 1))

    @Slot()
    def save_panel_png(self) -> None:
        """Ask for a file name and save the focused panel."""
        panel = self._panel()
        if panel is not None:
            text = export.panel_text(panel)
            self._ask_for_png(partial(_write_png, panel, text), export.suggest_name(text))

    @Slot()
    def save_panel_svg(self) -> None:
        """Ask for a file name and save the plot of the focused panel, or whatever else it shows."""
        panel = self._panel()
        if panel is None:
            return
        if panel.message:
            self._toast.show_text(self.tr("There is nothing to see in this panel yet."))
            return
        plot, text = panel.plot(), export.panel_text(panel)
        name = export.suggest_name(text, ".svg")
        drawn = plot if plot is not None else panel.widget()
        self._ask(partial(_write_svg, drawn, name, text), name, [self.tr("SVG drawing (*.svg)")])

    def save_sheet(self, panels: "Sequence[TensorPanel]") -> None:
        """Ask for a file name and save panels side by side in one picture."""
        if not panels:
            self._toast.show_text(self.tr("There is no panel to be seen; add one from the View menu."))
            return
        titles = "\n".join(export.sheet_title(panel) for panel in panels)
        text = {**export.window_text(self._session), "panels": titles}
        self._ask_for_png(partial(_write_sheet, panels, text), export.suggest_name({**text, "slot": "panels"}))

    @Slot()
    def copy_panel(self) -> None:
        """Put the focused panel on the clipboard."""
        panel = self._panel()
        if panel is None:
            return
        try:
            export.copy_picture(panel, COPY_SCALE)
        except export.ExportError as error:
            self._toast.show_text(str(error))
        else:
            self._toast.show_text(self.tr("Panel copied"))

    def tell_saved(self, path: Path) -> None:
        """Say that a file was written, with a button that shows its folder."""
        self._folder = path.parent
        self._toast.show_text(self.tr("Saved {name}").format(name=path.name), self.tr("Open folder"), self._open_folder)

    def _panel(self) -> "TensorPanel | None":
        panel = self._focused_panel()
        if panel is None:
            self._toast.show_text(self.tr("There is no panel yet; add one from the View menu."))
        return panel

    def _ask_for_png(self, write: Write, name: str) -> None:
        filters = [self.tr("PNG picture, {scale}× (*.png)").format(scale=scale) for scale in _SCALES]
        self._ask(write, name, filters)

    def _ask(self, write: Write, name: str, filters: list[str]) -> None:
        self._write = write
        picker = QFileDialog(self._window, self.tr("Save picture"), str(self._settings.last_folder))
        picker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        picker.setNameFilters(filters)
        picker.setDefaultSuffix(Path(name).suffix.removeprefix("."))
        picker.selectFile(name)
        picker.accepted.connect(self._save_chosen)
        picker.finished.connect(picker.deleteLater)
        self._picker = picker
        picker.open()

    @Slot()
    def _save_chosen(self) -> None:
        picker, write = self._picker, self._write
        if write is None:
            return
        self._write = None
        scale = _SCALES[picker.nameFilters().index(picker.selectedNameFilter())]
        path = Path(picker.selectedFiles()[0])
        self._settings.last_folder = path.parent
        try:
            self.tell_saved(write(path, scale))
        except export.ExportError as error:
            self._toast.show_text(str(error))

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _write_png(widget: QWidget, text: Mapping[str, str], path: Path, scale: int) -> Path:
    return export.save_png(widget, path, scale, text)


def _write_svg(drawn: QWidget, title: str, text: Mapping[str, str], path: Path, _: int) -> Path:
    return export.save_svg(drawn, path, title, text)


def _write_sheet(panels: "Sequence[TensorPanel]", text: Mapping[str, str], path: Path, scale: int) -> Path:
    return export.save_image(export.render_sheet(panels, scale), path, text)
