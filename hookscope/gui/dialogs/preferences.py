"""What is chosen once and holds for every model."""

from enum import StrEnum

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.dialogs.buttons import accept_buttons
from hookscope.gui.hook_words import WORDS, mode_sentence, mode_title
from hookscope.gui.settings import MAX_BUDGET_MIB, Settings, ThemeChoice
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.workload import CapturePlace

_FIRST_BUDGET_MIB = 1024
_STEP_MIB = 256


class _Budget(StrEnum):
    AUTOMATIC = "automatic"
    FIXED = "fixed"


class PreferencesDialog(QDialog):
    """Shows what is remembered; OK remembers what was chosen, but does nothing else.

    Args:
        settings: What is remembered.
        parent: The main window.

    Signals:
        theme_chosen: Another theme is wanted (`ThemeChoice`).
        capture_changed: The settings of captures were remembered.
    """

    theme_chosen = Signal(object)
    capture_changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Preferences"))
        self._settings = settings
        self.mode, self.budget, self.place, self.theme = (QComboBox(self) for _ in range(4))
        self.budget_size = QSpinBox(self)
        self.editor = QLineEdit(settings.editor, self)
        self._mode_note, self._budget_note, self._place_note, self._editor_note = (_note(self) for _ in range(4))
        self._fill()
        self._assemble()
        self.mode.currentIndexChanged.connect(self._explain)
        self.budget.currentIndexChanged.connect(self._explain)
        self.place.currentIndexChanged.connect(self._explain)
        self._explain()

    def _fill(self) -> None:
        for mode in WORDS:
            self.mode.addItem(mode_title(mode), mode)
        self.budget.addItem(self.tr("Automatic"), _Budget.AUTOMATIC)
        self.budget.addItem(self.tr("At most"), _Budget.FIXED)
        self.place.addItem(self.tr("Beside the tensors"), CapturePlace.DEVICE)
        self.place.addItem(self.tr("In main memory"), CapturePlace.CPU)
        self.theme.addItem(self.tr("As the system"), ThemeChoice.SYSTEM)
        self.theme.addItem(self.tr("Dark"), ThemeChoice.DARK)
        self.theme.addItem(self.tr("Light"), ThemeChoice.LIGHT)
        self.budget_size.setRange(1, MAX_BUDGET_MIB)
        self.budget_size.setSingleStep(_STEP_MIB)
        self.budget_size.setGroupSeparatorShown(True)
        self.budget_size.setSuffix(" MiB")
        self.budget_size.setAccessibleName(self.tr("Memory for captures"))
        kept = self._settings
        self.budget_size.setValue(kept.budget_mib or _FIRST_BUDGET_MIB)
        budget = _Budget.AUTOMATIC if kept.budget_mib is None else _Budget.FIXED
        for box, value in (
            (self.mode, kept.hook_mode),
            (self.budget, budget),
            (self.place, kept.capture_place),
            (self.theme, kept.theme),
        ):
            box.setCurrentIndex(box.findData(value))

    def _assemble(self) -> None:
        memory = QHBoxLayout()
        memory.addWidget(self.budget, 1)
        memory.addWidget(self.budget_size, 1)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(self.fontMetrics().averageCharWidth() * 3)
        form.addRow(self._label(self.tr("&Hooks of a checked module"), self.mode), self.mode)
        form.addRow("", self._mode_note)
        form.addRow(self._label(self.tr("&Memory for captures"), self.budget), memory)
        form.addRow("", self._budget_note)
        form.addRow(self._label(self.tr("&Captures are kept"), self.place), self.place)
        form.addRow("", self._place_note)
        form.addRow(self._label(self.tr("&Theme"), self.theme), self.theme)
        form.addRow(self._label(self.tr("&Editor"), self.editor), self.editor)
        form.addRow("", self._editor_note)
        buttons, self.ok_button = accept_buttons(self, self.tr("&OK"))
        layout = QVBoxLayout(self)
        layout.setSpacing(self.fontMetrics().height())
        layout.addLayout(form)
        layout.addStretch(1)
        layout.addWidget(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 80)

    def _label(self, text: str, buddy: QWidget) -> QLabel:
        label = QLabel(text, self)
        label.setBuddy(buddy)
        return label

    @Slot()
    def _explain(self) -> None:
        mode, is_fixed = HookMode(self.mode.currentData()), self.budget.currentData() == _Budget.FIXED
        self._mode_note.setText(mode_sentence(mode))
        self.budget_size.setVisible(is_fixed)
        full = self.tr("When it is full, the oldest step leaves first.")
        share = self.tr("A quarter of what is free when a model is loaded.")
        self._budget_note.setText(full if is_fixed else f"{share} {full}")
        places = {
            CapturePlace.DEVICE: self.tr("Fastest: on the GPU, where the model is on one."),
            CapturePlace.CPU: self.tr("Leaves the memory of a GPU to the model; each capture is copied from there."),
        }
        self._editor_note.setText(self.tr("Opens a line of code; {file} and {line} are filled in."))
        self._place_note.setText(places[CapturePlace(self.place.currentData())])

    def accept(self) -> None:
        """Remember what was chosen."""
        kept = self._settings
        kept.hook_mode = HookMode(self.mode.currentData())
        kept.budget_mib = self.budget_size.value() if self.budget.currentData() == _Budget.FIXED else None
        kept.capture_place = CapturePlace(self.place.currentData())
        kept.editor = self.editor.text()
        self.capture_changed.emit()
        if self.theme.currentData() != kept.theme:
            self.theme_chosen.emit(ThemeChoice(self.theme.currentData()))
        super().accept()


def _note(parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setProperty("quiet", True)
    label.setWordWrap(True)
    return label
