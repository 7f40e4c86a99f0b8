"""The menu in which a person chooses what of a tensor is followed."""

from PySide6.QtCore import QRegularExpression, Signal, Slot
from PySide6.QtGui import QAction, QRegularExpressionValidator
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu, QWidget

from hookscope.figures.series_words import STATISTICS, word_index
from hookscope.figures.text import format_shape
from hookscope.gui.series.following import translate
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.series import Distribution, ElementAt, SeriesKind, StatisticOf, UpdateRatio

_INDEX = QRegularExpression(r"[\[\(]?\s*(\d+\s*([,\s]\s*\d+\s*)*,?\s*)?[\]\)]?")
"""Numbers with commas or spaces between them, in brackets or not."""


class FollowMenu(QMenu):
    """Statistics, the distribution, one element, and of a parameter how fast it changes.

    Signals:
        chosen: A tensor and what of it is to be followed (`TensorRef`, `SeriesKind`).
    """

    chosen = Signal(object, object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ref: TensorRef | None = None
        self._shape: tuple[int, ...] | None = None
        self.setToolTipsVisible(True)
        for statistic, name in STATISTICS.items():
            text = translate(name)
            self._add(text[:1].upper() + text[1:], StatisticOf(statistic))
        self.addSeparator()
        self._add(self.tr("&Distribution"), Distribution()).setToolTip(
            self.tr("Smallest and largest value, and the bands in which half and nine tenths of the values are.")
        )
        self._element = self.addAction(self.tr("One &element…"))
        self._element.triggered.connect(self._ask_for_index)
        self._ratio = self._add(self.tr("&Update ratio"), UpdateRatio())

    def aim(self, ref: TensorRef, shape: tuple[int, ...] | None) -> None:
        """Offer what can be followed of a tensor; its shape is `None` where that is not known."""
        self._ref, self._shape = ref, shape
        is_parameter = ref.slot is TensorSlot.PARAMETER
        self._ratio.setEnabled(is_parameter)
        self._ratio.setToolTip(
            self.tr("How much a step changes the parameter, in relation to what it was.")
            if is_parameter
            else self.tr("Only a parameter has one: look at a weight or a bias.")
        )

    def _add(self, text: str, kind: SeriesKind) -> QAction:
        action = self.addAction(text)
        action.setData(kind)
        action.triggered.connect(self._choose)
        return action

    @Slot()
    def _choose(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        if self._ref is not None:
            self.chosen.emit(self._ref, action.data())

    @Slot()
    def _ask_for_index(self) -> None:
        dialog = QInputDialog(self.parentWidget())
        dialog.finished.connect(dialog.deleteLater)
        dialog.setWindowTitle(self.tr("Follow one element"))
        shape = format_shape(self._shape) if self._shape is not None else "?"
        dialog.setLabelText(self.tr("Index of the element; the shape is {shape}:").format(shape=shape))
        dialog.setTextValue(word_index((0,) * len(self._shape or ())).strip("[]"))
        for field in dialog.findChildren(QLineEdit):
            field.setValidator(QRegularExpressionValidator(_INDEX, field))
        dialog.textValueSelected.connect(self._take_index)
        dialog.open()

    @Slot(str)
    def _take_index(self, text: str) -> None:
        if self._ref is not None:
            self.chosen.emit(self._ref, ElementAt(index_of(text)))


def index_of(text: str) -> tuple[int, ...]:
    """Read an index as a person types it: `0, 3`, `[0, 3]` or `0 3`."""
    return tuple(int(part) for part in text.strip(" []()").replace(",", " ").split())
