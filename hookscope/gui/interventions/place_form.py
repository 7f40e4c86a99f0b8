"""Chooses which tensor of a module is changed, and in which of its calls."""

from collections.abc import Iterable, Sequence

import msgspec
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtCore import Slot as QtSlot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from hookscope.figures.intervention_kinds import SLOTS
from hookscope.protocol.identity import SLOT_ORDER, Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensors import Record

_OF_OPERATIONS = frozenset({Slot.OUTPUT, Slot.GRAD_OUTPUT})
_OF_MODULES_THEMSELVES = frozenset({Slot.PARAMETER, Slot.PARAMETER_GRAD})
_LEAF_CHARS = 6


class PlaceForm(QWidget):
    """Slot, leaf and call in one row. What is offered is what the newest step has told of the module.

    Signals:
        edited: A person chose something else.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._records: Sequence[Record] = ()
        self._parameters: tuple[str, ...] = ()
        self.slot, self.leaf, self.call = QComboBox(self), QComboBox(self), QComboBox(self)
        for combo in (self.slot, self.call):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.slot.setAccessibleName(self.tr("Slot"))
        self.leaf.setAccessibleName(self.tr("Which tensor of the slot"))
        self.leaf.setToolTip(self.tr("Place in a nested value, such as args.0 or kwargs.mask, or a parameter's name"))
        self.leaf.setEditable(True)
        self.leaf.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.leaf.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.leaf.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LEAF_CHARS + 30)
        line = self.leaf.lineEdit()
        assert line is not None
        line.setPlaceholderText(self.tr("the only one"))
        self.call.setAccessibleName(self.tr("Call of the module"))
        self.call.setToolTip(self.tr("In which call of the module; a recomputed one counts as the one it repeats"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.slot)
        row.addWidget(self.leaf, 1)
        row.addWidget(self.call)
        self.slot.activated.connect(self._follow_slot)
        for signal in (self.slot.activated, self.leaf.activated, line.editingFinished, self.call.activated):
            signal.connect(self.edited)

    def show_place(
        self, intervention: Intervention, records: Sequence[Record], parameters: tuple[str, ...], calls: int
    ) -> None:
        """Show where an intervention is; nothing is emitted.

        Args:
            intervention: Its place.
            records: What the newest step has told of the module or the operation.
            parameters: Names of the module's own parameters.
            calls: How often the module was called; 0 when that is not known.
        """
        self._records, self._parameters = records, parameters
        blocked = [QSignalBlocker(widget) for widget in (self.slot, self.leaf, self.call)]
        self.slot.clear()
        for slot in self._slots_for(intervention):
            self.slot.addItem(slot.value, slot)
            tip = QCoreApplication.translate("interventions", SLOTS[slot])
            self.slot.setItemData(self.slot.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.slot.setCurrentIndex(self.slot.findText(intervention.slot.value))
        self.slot.setMinimumWidth(self.slot.sizeHint().width())
        self._offer_leaves(intervention.slot)
        self._show_leaf(intervention.leaf)
        self.call.clear()
        self.call.addItem(self.tr("all calls"), None)
        for number in range(max(calls, (intervention.call or 0) + 1)):
            self.call.addItem(self.tr("call {number}").format(number=number), number)
        self.call.setCurrentIndex(0 if intervention.call is None else intervention.call + 1)
        self._follow_kind(intervention.slot)
        del blocked

    @property
    def chosen_slot(self) -> Slot:
        """The slot that is chosen."""
        return Slot(self.slot.currentText())

    def placed(self, intervention: Intervention) -> Intervention:
        """Return an intervention at what is chosen."""
        slot = self.chosen_slot
        call = None if slot in _OF_MODULES_THEMSELVES else self.call.currentData()
        return msgspec.structs.replace(intervention, slot=slot, leaf=self.leaf.currentText().strip(), call=call)

    def _slots_for(self, intervention: Intervention) -> Iterable[Slot]:
        """Return what a step has told, or all as long as it has not told of gradients."""
        if intervention.operation:
            return [slot for slot in SLOT_ORDER if slot in _OF_OPERATIONS]
        known = {record.ref.slot for record in self._records if not record.instead}
        if not any(slot.is_gradient for slot in known):
            known = set(Slot)
        return [slot for slot in SLOT_ORDER if slot in known | {intervention.slot}]

    def _offer_leaves(self, slot: Slot) -> None:
        known = [record.ref.leaf for record in self._records if record.ref.slot is slot and not record.instead]
        if slot in _OF_MODULES_THEMSELVES:
            known += self._parameters
        self.leaf.clear()
        self.leaf.addItems(list(dict.fromkeys(known)))

    def _show_leaf(self, leaf: str) -> None:
        line = self.leaf.lineEdit()
        self.leaf.setEditText(leaf)
        if line is not None:
            line.setCursorPosition(0)  # where it is narrow the end is cut off

    def _follow_kind(self, slot: Slot) -> None:
        self.call.setEnabled(slot not in _OF_MODULES_THEMSELVES)
        self.slot.setToolTip(QCoreApplication.translate("interventions", SLOTS[slot]))

    @QtSlot()
    def _follow_slot(self) -> None:
        """Go to the first tensor of another slot; the same leaf of the other pass is kept."""
        slot, former = self.chosen_slot, self.leaf.currentText()
        with QSignalBlocker(self.leaf):
            self._offer_leaves(slot)
            names = [self.leaf.itemText(row) for row in range(self.leaf.count())]
            self._show_leaf(former if former in names else names[0] if names else "")
        self._follow_kind(slot)
