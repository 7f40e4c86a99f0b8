"""The row of controls above a plot: a few labelled choices, left-aligned."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QSpinBox, QWidget

from hookscope.figures.text import slot_label
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.protocol.identity import TensorRef

_FEW_CHARS, _MANY_CHARS = 8, 18
_LABELS_GO = 10

Box = TypeVar("Box", bound=QWidget)


class ChoiceRow(AdaptiveRow):
    """Combo boxes and spin boxes, each with a quiet label before it; narrow, the labels go first.

    Signals:
        chosen: A person chose something.
    """

    chosen = Signal()

    def add_combo(self, label: str, entries: Iterable[tuple[str, object]] = ()) -> QComboBox:
        """Add a choice among named values, which are its data."""
        box = QComboBox(self)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for text, value in entries:
            box.addItem(text, value)
        box.activated.connect(self._announce)
        return _named(self, label, box)

    def add_tensors(self, label: str, tip: str) -> "TensorCombo":
        """Add a choice among other tensors."""
        box = TensorCombo()
        box.setToolTip(tip)
        box.activated.connect(self._announce)
        return _named(self, label, box)

    def add_number(self, label: str, tip: str = "") -> QSpinBox:
        """Add a choice of a number."""
        box = QSpinBox(self)
        box.setToolTip(tip)
        box.valueChanged.connect(self._announce)
        return _named(self, label, box)

    def add_check(self, label: str, tip: str) -> QCheckBox:
        """Add a choice of yes or no."""
        box = QCheckBox(label, self)
        box.setToolTip(tip)
        box.clicked.connect(self._announce)
        self.add(box, drop=1)
        return box

    @Slot()
    def _announce(self) -> None:
        self.chosen.emit()


class TensorCombo(QComboBox):
    """Offers tensors by their names."""

    def __init__(self) -> None:
        super().__init__()
        self._refs: tuple[TensorRef, ...] = ()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_FEW_CHARS)

    @property
    def ref(self) -> TensorRef | None:
        """The chosen one; `None` when none is offered."""
        row = self.currentIndex()
        return self._refs[row] if 0 <= row < len(self._refs) else None

    def offer(self, refs: Sequence[TensorRef], beside: TensorRef) -> bool:
        """Offer tensors; the one that is chosen stays so if it is among them, else it is the first.

        Args:
            refs: The tensors.
            beside: The one that is looked at: those of its module are named without the module.

        Returns:
            Whether another one is chosen now.
        """
        before = self.ref
        if tuple(refs) == self._refs:
            return False
        self._refs = tuple(refs)
        names = [_near_name(ref, beside) for ref in refs]
        with QSignalBlocker(self):
            self.clear()
            self.addItems(names)
            self.setCurrentIndex(self._refs.index(before) if before in self._refs else min(0, len(self._refs) - 1))
        self.setMinimumContentsLength(min(max(map(len, names), default=_FEW_CHARS), _MANY_CHARS))
        self.setEnabled(bool(self._refs))
        return self.ref != before


def set_rank(box: QSpinBox, rank: int, dim: int) -> None:
    """Let a box choose among so many dims, one of which is chosen already, without telling anyone."""
    with QSignalBlocker(box):
        box.setRange(0, max(rank - 1, 0))
        box.setValue(dim)
    box.setEnabled(rank > 1)


def _near_name(ref: TensorRef, beside: TensorRef) -> str:
    label = slot_label(ref)
    return label if ref.path == beside.path else f"{ref.path.rpartition('.')[2]} {label}"


def _named(row: ChoiceRow, label: str, box: Box) -> Box:
    text = QLabel(label, row)
    text.setProperty("quiet", True)
    text.setBuddy(box)
    box.setAccessibleName(label)
    row.add(text, drop=_LABELS_GO)
    row.add(box)
    return box
