"""The inputs for values that come from somewhere: a file, another step, another tensor, or numbers that are typed."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QToolButton, QWidget

from hookscope.figures.text import format_shape, slot_label
from hookscope.gui.interventions.fields import LineField, ValueField
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Array

_MOST_TYPED = 64
"""An array with more elements than this is named by its shape and not written out."""


class FileField(LineField):
    """The path of a file, with a button that looks for one.

    Args:
        pattern: Which files are offered, `*.npy *.pt`.
        parent: Qt parent.
    """

    def __init__(self, pattern: str, parent: QWidget | None = None) -> None:
        super().__init__(_stripped, hint=pattern, parent=parent)
        self._pattern = pattern
        self.button = QToolButton(self)
        self.button.setText("…")
        self.button.setToolTip(self.tr("Choose a file"))
        self._row.addWidget(self.button)
        self.button.clicked.connect(self._browse)

    @Slot()
    def _browse(self) -> None:
        typed = Path(self.line.text()).expanduser()
        picker = QFileDialog(self, self.tr("File with a tensor"), str(typed.parent))
        picker.setOption(QFileDialog.Option.DontUseNativeDialog)
        picker.setFileMode(QFileDialog.FileMode.ExistingFile)
        picker.setNameFilter(self.tr("Tensors ({pattern})").format(pattern=self._pattern))
        picker.fileSelected.connect(self.take)
        picker.finished.connect(picker.deleteLater)
        picker.open()

    @Slot(str)
    def take(self, file: str) -> None:
        """Take the file that was chosen."""
        self.line.setText(file)
        self.edited.emit()
        self.settled.emit()


class ArrayField(FileField):
    """Values that are kept with the intervention: typed as `[[1, 2], [3, 4]]`, or read from a `.npy` file once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("*.npy", parent)
        self._kept: Array | None = None
        self._kept_text = ""
        self.line.setPlaceholderText("[[1, 2], [3, 4]]")

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        self._kept = value if isinstance(value, Array) else None
        super().set_value("" if self._kept is None else _array_text(self._kept))
        self._kept_text = self.line.text()

    def value(self) -> Array:
        """See `ValueField.value`."""
        text = self.line.text().strip()
        if self._kept is not None and text == self._kept_text:
            return self._kept
        try:
            values = np.asarray(json.loads(text), dtype=np.float32)
        except (ValueError, TypeError):
            raise ValueError(self.tr("Write numbers, for example [[1, 2], [3, 4]], or choose a .npy file.")) from None
        return Array.from_numpy(values)

    @Slot(str)
    def take(self, file: str) -> None:
        """Read the file that was chosen."""
        try:
            array = Array.from_numpy(np.load(file, allow_pickle=False))
        except (OSError, ValueError) as error:
            self.tell(self.tr("{file} cannot be read: {error}").format(file=Path(file).name, error=error))
            return
        self.set_value(array)
        self.edited.emit()
        self.settled.emit()


class StepField(ValueField):
    """The number of a step, chosen from those that are kept or typed.

    Args:
        steps: The steps to choose from, the newest first.
        parent: Qt parent.
    """

    def __init__(self, steps: Sequence[int] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo = QComboBox(self)
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._row.addWidget(self.combo)
        self._row.addStretch(1)
        self.offer(steps)
        line = self.combo.lineEdit()
        assert line is not None
        line.textEdited.connect(self.edited)
        line.editingFinished.connect(self.settled)
        self.combo.activated.connect(self.edited)
        self.combo.activated.connect(self.settled)
        self.setFocusProxy(self.combo)

    def offer(self, steps: Sequence[int]) -> None:
        """Offer other steps; what is typed stays."""
        text = self.combo.currentText()
        with QSignalBlocker(self.combo):
            self.combo.clear()
            self.combo.addItems([str(step) for step in steps])
            self.combo.setEditText(text)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        with QSignalBlocker(self.combo):
            self.combo.setEditText(str(value))

    def value(self) -> int:
        """See `ValueField.value`."""
        text = self.combo.currentText().strip()
        if not text.isdecimal() or int(text) < 1:
            raise ValueError(self.tr("“{text}” is no step; they are counted from 1.").format(text=text))
        return int(text)


class RefField(ValueField):
    """Which tensor of a step: the same one, or another one of the module.

    Args:
        parent: Qt parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo = QComboBox(self)
        self._row.addWidget(self.combo, 1)
        self.offer(())
        self.combo.activated.connect(self.edited)
        self.combo.activated.connect(self.settled)
        self.setFocusProxy(self.combo)

    def offer(self, refs: Sequence[TensorRef]) -> None:
        """Offer other tensors; the chosen one stays."""
        chosen = self.value()
        others = dict.fromkeys([*refs, *([chosen] if chosen is not None else [])])
        with QSignalBlocker(self.combo):
            self.combo.clear()
            self.combo.addItem(self.tr("the same tensor"), None)
            for ref in others:
                self.combo.addItem(" ".join(filter(None, (ref.path, slot_label(ref)))), ref)
        self.set_value(chosen)

    def set_value(self, value: object) -> None:
        """See `ValueField.set_value`."""
        if isinstance(value, TensorRef) and self._row_of(value) < 0:
            self.combo.addItem(" ".join(filter(None, (value.path, slot_label(value)))), value)
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(max(0, self._row_of(value)))

    def value(self) -> TensorRef | None:
        """See `ValueField.value`."""
        chosen: TensorRef | None = self.combo.currentData()
        return chosen

    def _row_of(self, value: object) -> int:
        return next((row for row in range(self.combo.count()) if self.combo.itemData(row) == value), -1)


def _stripped(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise ValueError(QCoreApplication.translate("interventions", "A file is needed."))
    return str(Path(stripped).expanduser())


def _array_text(array: Array) -> str:
    values = array.to_numpy()
    if values.size > _MOST_TYPED or values.dtype.kind == "c" or not np.isfinite(values).all():
        return f"{format_shape(array.shape)}, {values.dtype}"
    return json.dumps(values.tolist())
