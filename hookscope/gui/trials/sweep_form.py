"""What a sweep is set up with: which number of which intervention, over which range, and what is measured."""

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from hookscope.client.sweep import Measure, linear_values, logarithmic_values
from hookscope.figures.text import slot_label
from hookscope.figures.trial_words import STATISTIC_TITLES, word_measure
from hookscope.gui.current import Current
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.fields import NumberField
from hookscope.gui.trials.sweep_fields import SweepField, sweep_fields
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Intervention

_COUNT, _MOST = 11, 10_000
_LIST_LINES = 5


class SweepForm(QWidget):
    """Offers the interventions that have numbers, and the tensor that the window looks at as what is measured.

    Args:
        book: The interventions.
        current: What the window is looking at.
        parent: The dialog.

    Signals:
        changed: Something else is chosen.
    """

    changed = Signal()

    def __init__(self, book: InterventionBook, current: Current, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._current = current
        self.intervention, self.field, self.scale, self.statistic = (QComboBox() for _ in range(4))
        self.low, self.high = NumberField(), NumberField()
        self.count = QSpinBox()
        self.tensor = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.of_change = QCheckBox(self.tr("of its change"))
        self.add_button, self.remove_button = QPushButton(self.tr("Add")), QPushButton(self.tr("Remove"))
        self.measured = QListWidget()
        self._fill()
        self._assemble()
        self.intervention.currentIndexChanged.connect(self._offer_fields)
        self.field.currentIndexChanged.connect(self._offer_range)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self._remove)
        self.measured.itemSelectionChanged.connect(self._update_measures)
        current.changed.connect(self._update_measures)
        book.changed.connect(self.refresh)
        self.refresh()
        self._update_measures()

    def _fill(self) -> None:
        self.scale.addItem(self.tr("linear"), False)
        self.scale.addItem(self.tr("logarithmic"), True)
        self.count.setRange(2, _MOST)
        self.count.setValue(_COUNT)
        for name, title in STATISTIC_TITLES.items():
            self.statistic.addItem(_tr(title), name)
        self.of_change.setToolTip(self.tr("Measure the tensor after the changes minus the tensor before."))
        self.add_button.setToolTip(self.tr("Measure this, too. Select another tensor in the window to measure that."))

    def _assemble(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setContentsMargins(0, 0, 0, 0)
        steps = QHBoxLayout()
        steps.addWidget(self.count)
        steps.addWidget(self.scale, 1)
        choice = QHBoxLayout()
        choice.addWidget(self.statistic)
        choice.addWidget(self.of_change, 1)
        choice.addWidget(self.add_button)
        for combo in (self.intervention, self.field):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(16)
        for text, row in (
            (self.tr("C&hange"), self.intervention),
            (self.tr("&Number"), self.field),
            (self.tr("&From"), self.low),
            (self.tr("To"), self.high),
        ):
            form.addRow(text, row)
        form.addRow(self._label(self.tr("&Values"), self.count), steps)
        form.addRow(self.tr("Measure"), self.tensor)
        form.addRow("", choice)
        self.measured.setAccessibleName(self.tr("What is measured"))
        self.measured.setMinimumHeight(self.fontMetrics().lineSpacing() * _LIST_LINES)
        self.measured.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.measured.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        below = QHBoxLayout()
        below.addStretch(1)
        below.addWidget(self.remove_button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addLayout(form)
        rows.addWidget(self.measured, 1)
        rows.addLayout(below)

    def _label(self, text: str, buddy: QWidget) -> QLabel:
        label = QLabel(text)
        label.setBuddy(buddy)
        return label

    @property
    def chosen(self) -> Intervention | None:
        """The intervention that is chosen."""
        return self._book.find(self.intervention.currentData()) if self.intervention.count() else None

    @property
    def chosen_field(self) -> SweepField | None:
        """The number that is chosen."""
        field: SweepField | None = self.field.currentData()
        return field

    @property
    def is_log(self) -> bool:
        """Whether the values go over powers of ten."""
        return bool(self.scale.currentData())

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured besides the loss."""
        return tuple(self.measured.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.measured.count()))

    @property
    def titles(self) -> tuple[str, ...]:
        """What the measures are called."""
        return tuple(self.measured.item(row).text() for row in range(self.measured.count()))

    def values(self) -> tuple[float, ...]:
        """Return the values of the sweep.

        Raises:
            ValueError: Something typed is no range; the message is for the person, and stands at the field.
        """
        ends = [self._end(self.low), self._end(self.high)]
        field = self.chosen_field
        if self.is_log and min(ends) <= 0:
            error = self.tr("A logarithmic range is above zero.")
            (self.low if ends[0] <= 0 else self.high).tell(error)
            raise ValueError(error)
        spread = logarithmic_values if self.is_log else linear_values
        values = spread(ends[0], ends[1], self.count.value())
        is_whole = field is not None and field.is_whole
        return tuple(dict.fromkeys(float(round(value)) for value in values)) if is_whole else values

    def choose(self, intervention_id: int) -> None:
        """Choose an intervention, if it has a number."""
        row = self.intervention.findData(intervention_id)
        if row >= 0:
            self.intervention.setCurrentIndex(row)

    @Slot()
    def refresh(self) -> None:
        """Offer the interventions of now; the chosen one stays, if it is still there."""
        before = self.chosen_field
        chosen = self.intervention.currentData()
        with QSignalBlocker(self.intervention):
            self.intervention.clear()
            for one in self._book.interventions:
                if sweep_fields(one.change):
                    text = f"{self._book.words_of(one)}  ·  {self._book.place_of(one)}"
                    self.intervention.addItem(text, one.id)
            self.intervention.setCurrentIndex(max(self.intervention.findData(chosen), 0))
        is_same = before is not None and chosen == self.intervention.currentData()
        names = [one.name for one in sweep_fields(self.chosen.change)] if self.chosen is not None else []
        if not (is_same and before is not None and before.name in names):
            self._offer_fields()
        self.changed.emit()

    @Slot()
    def _offer_fields(self) -> None:
        chosen = self.chosen
        with QSignalBlocker(self.field):
            self.field.clear()
            for field in sweep_fields(chosen.change) if chosen is not None else ():
                self.field.addItem(QCoreApplication.translate("interventions", field.title), field)
        self._offer_range()

    @Slot()
    def _offer_range(self) -> None:
        field = self.chosen_field
        if field is not None:
            self.low.set_value(field.low)
            self.high.set_value(field.high)
            self.low.tell("")
            self.high.tell("")
            self.scale.setCurrentIndex(int(field.is_log))
        self.changed.emit()

    def _end(self, field: NumberField) -> float:
        field.tell("")
        try:
            value = field.value()
        except ValueError as error:
            field.tell(str(error))
            raise
        if not isinstance(value, float) or abs(value) == float("inf") or value != value:  # noqa: PLR0124
            error_text = self.tr("A number is needed.")
            field.tell(error_text)
            raise ValueError(error_text)
        return value

    @Slot()
    def _update_measures(self) -> None:
        ref = self._current.ref
        text = _name_of(ref) if ref is not None else self.tr("Select a captured tensor in the window.")
        self.tensor.setText(text)
        self.add_button.setEnabled(ref is not None)
        self.remove_button.setEnabled(bool(self.measured.selectedItems()))

    @Slot()
    def _add(self) -> None:
        ref = self._current.ref
        if ref is None:
            return
        measure = Measure(ref, self.statistic.currentData(), self.of_change.isChecked())
        if measure in self.measures:
            return
        title = word_measure(_name_of(ref), measure.statistic, of_difference=measure.of_difference, translate=_tr)
        item = QListWidgetItem(title, self.measured)
        item.setData(Qt.ItemDataRole.UserRole, measure)
        item.setToolTip(title)
        self.changed.emit()

    @Slot()
    def _remove(self) -> None:
        for item in self.measured.selectedItems():
            self.measured.takeItem(self.measured.row(item))
        self._update_measures()
        self.changed.emit()


def _name_of(ref: TensorRef) -> str:
    return f"{ref.path} {slot_label(ref)}".strip()


def _tr(english: str) -> str:
    return QCoreApplication.translate("trials", english)
