"""What the actions do that follow numbers over the steps and compare layers."""

import os
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from hookscope.figures.series_table import TableColumns, csv_of
from hookscope.figures.series_words import column_titles
from hookscope.gui.action_rows import HOOKABLE
from hookscope.gui.series.following import Following, translate
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings

_FILE_NAME = "steps.csv"


class SeriesHandlers(QObject):
    """Has the docks shown, checks modules, and writes tables.

    Args:
        bridge: The session.
        following: The series.
        settings: Where the folder used last is remembered.
        window: Parent of the dialogs.

    Signals:
        told: A few words for the person (`str`).
        follow_requested: The menu is wanted in which is chosen what to follow.
        layers_requested: The dock of the layers should be seen.
    """

    told = Signal(str)
    follow_requested = Signal()
    layers_requested = Signal()

    def __init__(self, bridge: SessionBridge, following: Following, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._following = following
        self._settings = settings
        self._window = window
        self._wanted: tuple[int, ...] = ()

    @Slot()
    def follow(self) -> None:
        """Let a person choose what of the current tensor is followed."""
        self.follow_requested.emit()

    @Slot()
    def show_layers(self) -> None:
        """Show all layers side by side."""
        self.layers_requested.emit()

    @Slot()
    def check_all(self) -> None:
        """Have all modules captured."""
        tree = self._session.tree
        if tree is not None and self._session.state in HOOKABLE:
            self._session.check([module.path for module in tree.modules])
            self.told.emit(self.tr("All modules are checked: the next step shows them."))

    @Slot()
    def export_all(self) -> None:
        """Ask for a file, and write all series to it."""
        self.export(tuple(one.id for one in self._following.series))

    @Slot(object)
    def export(self, ids: tuple[int, ...]) -> None:
        """Ask for a file, and write some series to it."""
        if not ids:
            self.told.emit(self.tr("Nothing is followed over the steps."))
            return
        self._wanted = ids
        place = str(self._settings.last_folder)
        picker = QFileDialog(self._window, self.tr("Export as CSV"), place, self.tr("Tables (*.csv)"))
        picker.setOption(QFileDialog.Option.DontUseNativeDialog)
        picker.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        picker.setDefaultSuffix("csv")
        picker.selectFile(_FILE_NAME)
        picker.finished.connect(picker.deleteLater)
        picker.fileSelected.connect(self.export_to)
        picker.open()

    @Slot(str)
    def export_to(self, file: str) -> None:
        """Write the wanted series, or all of them, to a file, which is there whole or not at all."""
        path = Path(file)
        chosen = [one for one in self._following.series if one.id in self._wanted or not self._wanted]
        text = csv_of(
            [
                TableColumns(
                    self._following.tensor_of(one),
                    column_titles(one.kind, translate),
                    self._session.series_book.points(one.id),
                )
                for one in chosen
            ]
        )
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            try:
                part.write_text(text, encoding="utf-8")
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            self.told.emit(self.tr("{name} cannot be written: {error}").format(name=path.name, error=error.strerror))
            return
        self._settings.last_folder = path.parent
        self.told.emit(self.tr("Saved {name}").format(name=path.name))
