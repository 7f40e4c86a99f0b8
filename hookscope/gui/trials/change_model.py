"""The Qt model of the tensors that moved, and how their rows are drawn."""

from collections.abc import Callable, Iterable
from enum import IntEnum, StrEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from hookscope.figures.text import format_number, slot_label
from hookscope.figures.trial_words import share_of_bar, sorted_by_change, word_elements, word_relative
from hookscope.gui.cells import fixed_font, row_height
from hookscope.gui.theme import theme_of
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
SHARE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Length of the bar of a row, from 0 to 1."""
_BAR_HEIGHT = 0.35


class Column(IntEnum):
    """The columns, from left to right."""

    MODULE = 0
    TENSOR = 1
    BAR = 2
    CHANGE = 3
    ELEMENTS = 4


class Kind(StrEnum):
    """Which tensors are listed."""

    OUTPUTS = "outputs"
    GRADIENTS = "gradients"
    ALL = "all"


class Order(StrEnum):
    """In which order they are listed."""

    LARGEST = "largest"
    HAPPENED = "happened"


def is_of_kind(difference: Difference, kind: Kind) -> bool:
    """Return whether a tensor is of a kind."""
    slot = difference.ref.slot
    match kind:
        case Kind.OUTPUTS:
            return slot is Slot.OUTPUT
        case Kind.GRADIENTS:
            return slot.is_gradient
        case Kind.ALL:
            return True


class ChangeModel(QAbstractTableModel):
    """One row a tensor; all that is asked of it is kept ready, for rows are drawn as a slider is dragged."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[Difference, ...] = ()
        self._root = ""

    @property
    def rows(self) -> tuple[Difference, ...]:
        """What is listed, from top to bottom."""
        return self._rows

    def show_differences(self, differences: Iterable[Difference], kind: Kind, order: Order, root: str) -> None:
        """List what is of a kind, in an order; `root` is what the root module is called."""
        chosen = [difference for difference in differences if is_of_kind(difference, kind)]
        rows = sorted_by_change(chosen) if order is Order.LARGEST else sorted(chosen, key=_order_of)
        self._root = root
        if len(rows) == len(self._rows):
            self._rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def ref_at(self, row: int) -> TensorRef:
        """Return the tensor of a row."""
        return self._rows[row].ref

    def row_of(self, ref: TensorRef | None) -> int:
        """Return the row of a tensor, or -1."""
        return next((row for row, difference in enumerate(self._rows) if difference.ref == ref), -1)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of tensors."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(Column(section))
        if role == Qt.ItemDataRole.ToolTipRole and section in {Column.BAR, Column.CHANGE}:
            return self.tr("Norm of the difference, in relation to the norm before")
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Module"), self.tr("Tensor"), self.tr("Change"), "", self.tr("Elements that changed"))[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        read = _READERS.get(role)
        return read(self, self._rows[index.row()], Column(index.column())) if read is not None else None

    def text_of(self, difference: Difference, column: Column) -> str:
        """Return what stands in a cell."""
        return _TEXTS[column](difference) or (self._root if column is Column.MODULE else "")

    def color_of(self, difference: Difference, column: Column) -> QColor | None:
        """Return the colour of a cell's text; `None` for the usual one."""
        is_quiet = not difference.changed or column is Column.TENSOR
        return QColor(theme_of(QGuiApplication.palette()).quiet) if is_quiet else None

    def tip_of(self, difference: Difference, _column: Column) -> str:
        """Return the whole of a row in one sentence."""
        if not difference.changed:
            return self.tr("Not changed in any bit")
        text = self.tr("{elements} elements changed; norm of the difference {norm}, {relative} of the norm before")
        return text.format(
            elements=word_elements(difference, _tr),
            norm=format_number(difference.norm),
            relative=word_relative(difference, _tr),
        )


class BarDelegate(QStyledItemDelegate):
    """Draws the column of bars, and leaves room between rows."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a cell."""
        super().paint(painter, option, index)
        if index.column() != Column.BAR:
            return
        theme = theme_of(option.palette)
        height = round(_BAR_HEIGHT * option.fontMetrics.height())
        margin = option.fontMetrics.averageCharWidth()
        area = QRectF(option.rect).adjusted(margin, 0, -margin, 0)
        bar = QRectF(area.left(), area.center().y() - height / 2, area.width(), height)
        share = float(index.data(SHARE_ROLE))
        slot = index.model().ref_at(index.row()).slot  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.line))
        painter.drawRoundedRect(bar, height / 2, height / 2)
        if share > 0.0:
            painter.setBrush(QColor(theme.backward if slot.is_gradient else theme.forward))
            filled = max(share * bar.width(), float(height))
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), filled, height), height / 2, height / 2)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Leave room between rows."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), row_height(option.fontMetrics)))


def _order_of(difference: Difference) -> int:
    return difference.order


def _module_text(difference: Difference) -> str:
    return difference.ref.path


def _tensor_text(difference: Difference) -> str:
    return slot_label(difference.ref)


def _no_text(_difference: Difference) -> str:
    return ""


def _change_text(difference: Difference) -> str:
    return word_relative(difference, _tr)


def _elements_text(difference: Difference) -> str:
    return word_elements(difference, _tr)


def _font(_model: ChangeModel, _difference: Difference, column: Column) -> QFont | None:
    return fixed_font(QGuiApplication.font()) if column in _NUMBERS else None


def _alignment(_model: ChangeModel, _difference: Difference, column: Column) -> Qt.AlignmentFlag:
    return _side(column)


def _side(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _spoken(model: ChangeModel, difference: Difference, column: Column) -> str:
    return word_relative(difference, _tr) if column is Column.BAR else model.text_of(difference, column)


def _share(_model: ChangeModel, difference: Difference, _column: Column) -> float:
    return share_of_bar(difference)


def _tr(english: str) -> str:
    return QCoreApplication.translate("trials", english)


_NUMBERS = frozenset({Column.CHANGE, Column.ELEMENTS})
_TEXTS: dict[Column, Callable[[Difference], str]] = {
    Column.MODULE: _module_text,
    Column.TENSOR: _tensor_text,
    Column.BAR: _no_text,
    Column.CHANGE: _change_text,
    Column.ELEMENTS: _elements_text,
}
_READERS: dict[int, Callable[[ChangeModel, Difference, Column], Any]] = {
    Qt.ItemDataRole.DisplayRole: ChangeModel.text_of,
    Qt.ItemDataRole.FontRole: _font,
    Qt.ItemDataRole.TextAlignmentRole: _alignment,
    Qt.ItemDataRole.ForegroundRole: ChangeModel.color_of,
    Qt.ItemDataRole.ToolTipRole: ChangeModel.tip_of,
    Qt.ItemDataRole.AccessibleTextRole: _spoken,
    SHARE_ROLE: _share,
}
"""What each role asks for."""
