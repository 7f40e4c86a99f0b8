"""Where a model comes from: one line of text, with a file button and the examples below it."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.dialogs.buttons import accept_buttons
from hookscope.gui.settings import Settings
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.workload import FileSource, Source, parse_source, source_text


class OpenModelDialog(QDialog):
    """Asks for a source.

    Signals:
        source_chosen: Open was pressed with a source that can be read: the `Source`.
    """

    source_chosen = Signal(object)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle(self.tr("Open model"))
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 96)
        label = QLabel(self.tr("&Model"), self)
        self.source_edit = QLineEdit(self)
        self.source_edit.setPlaceholderText(self.tr("path/to/file.py:name   package.module:name   example:digits"))
        self.source_edit.textChanged.connect(self._validate)
        label.setBuddy(self.source_edit)
        browse = QPushButton(self.tr("&Browse…"), self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        self.message = QLabel(self)
        self.message.setWordWrap(True)
        self.message.setMinimumHeight(self.fontMetrics().lineSpacing() * 2)
        self.examples = QListWidget(self)
        self.examples.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.examples.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.examples.setFixedHeight((self.fontMetrics().lineSpacing() + 6) * len(EXAMPLES) + 8)
        self.examples.setAccessibleName(self.tr("Examples"))
        for example in EXAMPLES:
            item = QListWidgetItem(f"{example.title} — {example.summary}", self.examples)
            item.setToolTip(f"example:{example.name}\n{example.summary}")
        self.examples.currentRowChanged.connect(self._take_example)
        self.examples.itemDoubleClicked.connect(self.accept)
        examples_label = QLabel(self.tr("&Examples"), self)
        examples_label.setBuddy(self.examples)
        self._buttons, self.open_button = accept_buttons(self, self.tr("&Open"))
        row = QHBoxLayout()
        row.addWidget(self.source_edit, 1)
        row.addWidget(browse)
        layout = QVBoxLayout(self)
        layout.setSpacing(6)
        layout.addWidget(label)
        layout.addLayout(row)
        layout.addWidget(self.message)
        layout.addWidget(examples_label)
        layout.addWidget(self.examples)
        layout.addStretch(1)
        layout.addWidget(self._buttons)
        self._validate()

    def open_with(self, text: str = "") -> None:
        """Show the dialog, filled with a source; the name after the colon is selected, ready to be typed over."""
        self.examples.setCurrentRow(-1)
        self.source_edit.setText(text)
        name_start = text.rfind(":") + 1
        if text.endswith(".py") or not name_start:
            self.source_edit.selectAll()
        else:
            self.source_edit.setSelection(name_start, len(text) - name_start)
        self.open()
        self.source_edit.setFocus()

    def accept(self) -> None:
        """Pass the source on if it can be read; otherwise stay open, with the message at the field."""
        source = self._source()
        if source is None:
            self._validate()
            self.source_edit.setFocus()
            return
        if isinstance(source, FileSource):
            self._settings.last_folder = Path(source.path).parent
        super().accept()
        self.source_chosen.emit(source)

    def _source(self) -> Source | None:
        try:
            return parse_source(self.source_edit.text())
        except ValueError:
            return None

    @Slot()
    def _validate(self) -> None:
        source = self._source()
        text = self.source_edit.text().strip()
        if not text:
            message, is_trouble = (
                self.tr(
                    "The name is a function, class or object that gives a torch.nn.Module or a "
                    "hookscope.Workload. Opening runs its code."
                ),
                False,
            )
        elif source is None:
            message, is_trouble = (
                self.tr(
                    "Write a file (net.py:build), a module (package.module:build), or an example (example:digits)."
                ),
                True,
            )
        elif isinstance(source, FileSource) and not Path(source.path).is_file():
            message, is_trouble = self.tr("There is no file {path}").format(path=source.path), True
        else:
            message, is_trouble = self.tr("Opens {source}").format(source=source_text(source)), False
        self.message.setText(message)
        self.message.setProperty("quiet", not is_trouble)
        self.message.setProperty("trouble", is_trouble)
        self.message.style().polish(self.message)
        self.open_button.setEnabled(source is not None)

    @Slot(int)
    def _take_example(self, row: int) -> None:
        if row >= 0:
            self.source_edit.setText(f"example:{EXAMPLES[row].name}")

    @Slot()
    def _browse(self) -> None:
        picker = QFileDialog(self, self.tr("Python file with a model"), str(self._settings.last_folder))
        picker.setFileMode(QFileDialog.FileMode.ExistingFile)
        picker.setNameFilter(self.tr("Python files (*.py)"))
        picker.fileSelected.connect(self._take_file)
        picker.finished.connect(picker.deleteLater)
        picker.open()

    @Slot(str)
    def _take_file(self, path: str) -> None:
        self.open_with(f"{path}:workload")
