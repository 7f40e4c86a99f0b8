"""Exact values, one window of them at a time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.views import Table, TableRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES = 1_000_000
"""Rows and columns that the widget is told of: its headers cost memory for each."""

_NOT_YET = "…"
_AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()


@dataclass(frozen=True)
class Window:
    """Where a block of cells begins, and how large it is."""

    row: int
    column: int
    rows: int
    columns: int

    def holds(self, other: "Window") -> bool:
        """Whether another window lies within this one."""
        return (
            self.row <= other.row
            and self.column <= other.column
            and other.row + other.rows <= self.row + self.rows
            and other.column + other.columns <= self.column + self.columns
        )


class TableModel(QAbstractTableModel):
    """As many rows and columns as the tensor has; cells outside the newest window read `…` until they arrive."""

    def __init__(self) -> None:
        super().__init__()
        self._shape = (0, 0)
        self._cells: Sequence[Sequence[str]] = ()
        self._window = Window(0, 0, 0, 0)

    def set_spec(self, spec: TensorSpec) -> None:
        """Take the size of another tensor; of the same size, the cells stay until newer ones come."""
        shape = (*spec.shape, 1) if len(spec.shape) == 1 else (1, 1, *spec.shape)[-2:]
        rows, columns = (min(size, MAX_LINES) for size in shape)
        if (rows, columns) != self._shape:
            self.beginResetModel()
            self._shape = rows, columns
            self._cells, self._window = (), Window(0, 0, 0, 0)
            self.endResetModel()

    def set_cells(self, table: Table) -> None:
        """Take a window of cells in place of the former one."""
        before = self._window
        self._cells = table.cells
        self._window = Window(table.row, table.column, len(table.cells), len(table.cells[0]) if table.cells else 0)
        for window in {before, self._window}:
            last = min(window.row + window.rows, self._shape[0]), min(window.column + window.columns, self._shape[1])
            if last[0] > window.row and last[1] > window.column:
                first = self.index(window.row, window.column)
                self.dataChanged.emit(first, self.index(last[0] - 1, last[1] - 1), [Qt.ItemDataRole.DisplayRole])

    def window_around(self, seen: Window) -> Window:
        """Return the window to ask for when `seen` is in sight: the present one if it will do."""
        usual = TableRequest()
        wanted = Window(seen.row, seen.column, min(seen.rows, usual.rows), min(seen.columns, usual.columns))
        rows, columns = min(usual.rows, self._shape[0]), min(usual.columns, self._shape[1])
        here = Window(self._window.row, self._window.column, rows, columns)
        if self._window.rows and here.holds(wanted):
            return Window(here.row, here.column, usual.rows, usual.columns)
        row = max(0, min(seen.row - (rows - seen.rows) // 2, self._shape[0] - rows))
        column = max(0, min(seen.column - (columns - seen.columns) // 2, self._shape[1] - columns))
        return Window(row, column, usual.rows, usual.columns)

    def rowCount(self, parent: _AnyIndex = _NO_INDEX) -> int:
        """Return the rows of the tensor's last two dims."""
        return 0 if parent.isValid() else self._shape[0]

    def columnCount(self, parent: _AnyIndex = _NO_INDEX) -> int:
        """Return the columns of the tensor's last two dims."""
        return 0 if parent.isValid() else self._shape[1]

    def data(self, index: _AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(index.row(), index.column())
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the index of a row or column, from 0."""
        del orientation
        return str(section) if role == Qt.ItemDataRole.DisplayRole else None

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        row, column = row - self._window.row, column - self._window.column
        if 0 <= row < self._window.rows and 0 <= column < self._window.columns:
            return self._cells[row][column]
        return _NOT_YET
