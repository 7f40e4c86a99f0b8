"""How backward starts, to be chosen: from a number made of the output, or from a gradient of the output."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from hookscope.gui.interventions.source_fields import FileField
from hookscope.protocol.workload import LossChoice, RunSettings, WorkloadInfo


class LossForm(QWidget):
    """A list of choices; below it the file of a gradient that is read from one, and what a gradient means.

    Signals:
        chosen: A `LossChoice` and a file (`str`, may be `""`), after a person chose either.
    """

    chosen = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo = QComboBox(self)
        self.file = FileField("*.npy *.pt *.pth", self)
        self.note = QLabel(self)
        for choice in LossChoice:
            self.combo.addItem("", choice)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setToolTip(self.tr("What backward starts from: a number made of the model's output, or a gradient."))
        self.file.setToolTip(self.tr("A gradient of the output, in its shape: a file of numpy.save or torch.save."))
        self.note.setProperty("quiet", True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        for widget in (self.combo, self.file, self.note):
            rows.addWidget(widget)
        self.setFocusProxy(self.combo)
        self.combo.activated.connect(self._tell_choice)
        self.file.edited.connect(self._tell_file)

    def show_settings(self, workload: WorkloadInfo, settings: RunSettings) -> None:
        """Show what is chosen."""
        with QSignalBlocker(self.combo):
            for row, text in enumerate(self._texts(workload)):
                self.combo.setItemText(row, text)
            self.combo.setCurrentIndex(self.combo.findData(settings.loss))
        if settings.gradient_file != self._typed():
            self.file.set_value(settings.gradient_file)
            self.file.tell("")
        self.file.setVisible(settings.loss is LossChoice.GRADIENT_FILE)
        self.note.setText(self._note_on(settings.loss))
        self.note.setVisible(settings.loss.is_gradient)

    def tell(self, trouble: str) -> None:
        """Say what is wrong with the file."""
        self.file.tell(trouble)

    @Slot()
    def ask_for_file(self) -> None:
        """Ask which file has the gradient."""
        self.file.button.click()

    def _texts(self, workload: WorkloadInfo) -> tuple[str, ...]:
        """Return a text per `LossChoice`, in its order."""
        auto = self.tr("Auto ({name})") if workload.loss_name else self.tr("Auto (the output's own)")
        return (
            auto.format(name=workload.loss_name),
            self.tr("Sum of the output"),
            self.tr("Mean of the output"),
            self.tr("Mean square"),
            self.tr("Gradient of ones"),
            self.tr("Random gradient"),
            self.tr("Gradient from a file"),
        )

    def _note_on(self, choice: LossChoice) -> str:
        note = self.tr("Backward starts from a gradient of the output. The loss shown is the sum of output × gradient.")
        if choice is LossChoice.GRADIENT_RANDOM:
            seeded = self.tr("Its numbers go by the seed alone; the model's own random numbers stay what they are.")
            return f"{note} {seeded}"
        return note

    def _typed(self) -> str:
        try:
            return str(self.file.value())
        except ValueError:
            return ""

    @Slot()
    def _tell_choice(self) -> None:
        self.chosen.emit(LossChoice(self.combo.currentData()), self._typed())  # Qt keeps plain texts

    @Slot()
    def _tell_file(self) -> None:
        self.file.tell("")
        self.chosen.emit(LossChoice.GRADIENT_FILE, self._typed())
