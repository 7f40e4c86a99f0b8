"""The Qt model of a module's operations: one row each, in the order in which they run."""

import html
from collections.abc import Callable, Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from hookscope.figures.text import format_shape
from hookscope.protocol.hooks import OperationInfo, OperationRef

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """The columns, from left to right."""

    NAME = 0
    NUMBER = 1
    OUTPUT = 2
    DTYPE = 3
    CODE = 4
    PLACE = 5


class OperationModel(QAbstractTableModel):
    """Operations as rows with a check box each.

    Signals:
        toggle_requested: The box of an operation was clicked (`OperationRef`).
    """

    toggle_requested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations: tuple[OperationInfo, ...] = ()
        self._checked: frozenset[OperationRef] = frozenset()
        self._checkable = False
        self._readers: dict[int, Callable[[OperationInfo, Column], object]] = {
            Qt.ItemDataRole.DisplayRole: _text,
            Qt.ItemDataRole.CheckStateRole: self._check_state,
            Qt.ItemDataRole.ToolTipRole: _tooltip,
        }

    @property
    def operations(self) -> tuple[OperationInfo, ...]:
        """The operations shown."""
        return self._operations

    def set_operations(self, operations: tuple[OperationInfo, ...]) -> None:
        """Show other operations."""
        if operations != self._operations:
            self.beginResetModel()
            self._operations = operations
            self.endResetModel()

    def set_checked(self, checked: Iterable[OperationRef]) -> None:
        """Show which operations are checked; those of other modules are passed over."""
        former, self._checked = self._checked, frozenset(checked)
        for row, operation in enumerate(self._operations):
            if (operation.ref in former) is not (operation.ref in self._checked):
                cell = self.index(row, Column.NAME)
                self.dataChanged.emit(cell, cell)

    def set_checkable(self, checkable: bool) -> None:
        """Say whether boxes can be clicked now."""
        if checkable != self._checkable:
            self._checkable = checkable
            if self._operations:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._operations) - 1, 0))

    def row_of(self, path: str, operation: str) -> int | None:
        """Return the row of an operation as a tensor ref names it, or `None`."""
        rows = (
            row for row, info in enumerate(self._operations) if info.ref.path == path and info.ref.text == operation
        )
        return next(rows, None)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of operations."""
        return 0 if parent.isValid() else len(self._operations)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = super().flags(index) | Qt.ItemFlag.ItemNeverHasChildren
        is_box = self._checkable and index.column() == Column.NAME
        return flags | Qt.ItemFlag.ItemIsUserCheckable if is_box else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole and section == Column.NUMBER:
            return self.tr("Counts the operations of this name within one call of the module.")
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        titles = (
            self.tr("Operation"),
            self.tr("No."),
            self.tr("Output"),
            self.tr("dtype"),
            self.tr("Code"),
            self.tr("Where"),
        )
        return titles[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        reader = self._readers.get(role)
        if reader is None or not index.isValid():
            return None
        return reader(self._operations[index.row()], Column(index.column()))

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: ARG002
        """Ask for the other state of a box."""
        if role != Qt.ItemDataRole.CheckStateRole or not self.flags(index) & Qt.ItemFlag.ItemIsUserCheckable:
            return False
        self.toggle_requested.emit(self._operations[index.row()].ref)
        return True

    def _check_state(self, operation: OperationInfo, column: Column) -> Qt.CheckState | None:
        if column is not Column.NAME:
            return None
        return Qt.CheckState.Checked if operation.ref in self._checked else Qt.CheckState.Unchecked


def _text(operation: OperationInfo, column: Column) -> str:
    output, ref = operation.output, operation.ref
    texts = {
        Column.NAME: ref.name,
        Column.NUMBER: str(ref.number),
        Column.OUTPUT: format_shape(output.shape) if output is not None else "",
        Column.DTYPE: output.dtype if output is not None else "",
        Column.CODE: operation.code,
        Column.PLACE: f"{Path(operation.file).name}:{operation.line}" if operation.file else "",
    }
    return texts[column]


def _tooltip(operation: OperationInfo, column: Column) -> str:  # noqa: ARG001 - the same for every column
    place = f"{operation.file}:{operation.line}" if operation.file else ""
    lines = filter(None, (operation.ref.text, operation.code, place))
    return f"<p style='white-space:pre'>{html.escape(chr(10).join(lines))}</p>"
