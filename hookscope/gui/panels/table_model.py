"""Exact values, one window of them at a time, of a table that may be longer than any widget."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from hookscope.protocol.views import Table, TableRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QColor

MAX_LINES = 1_000_000
"""Rows and columns that the widget is told of at once: its headers cost memory for each."""

_NOT_YET = "…"
AnyIndex = QModelIndex | QPersistentModelIndex
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
    """A block of at most `MAX_LINES` rows and columns of a plane; cells that have not arrived read `…`.

    Windows are counted in the whole plane, indices of the model from the beginning of the block.
    """

    def __init__(self) -> None:
        super().__init__()
        self._size = (0, 0)
        self._base = (0, 0)
        self._cells: Sequence[Sequence[str]] = ()
        self._window = Window(0, 0, 0, 0)
        self._tint: Callable[[str], QColor | None] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the plane."""
        return self._size

    @property
    def base(self) -> tuple[int, int]:
        """Row and column of the plane that the block begins with."""
        return self._base

    @property
    def window(self) -> Window:
        """The cells that have arrived."""
        return self._window

    def set_size(self, rows: int, columns: int) -> None:
        """Take another plane; of the same size, the cells stay until newer ones come."""
        if (rows, columns) != self._size:
            self.beginResetModel()
            self._size, self._base = (rows, columns), (0, 0)
            self._cells, self._window = (), Window(0, 0, 0, 0)
            self.endResetModel()

    def bring(self, row: int, column: int) -> QModelIndex:
        """Return the index of a cell of the plane, after moving the block to where it is if need be."""
        base = (row // MAX_LINES * MAX_LINES, column // MAX_LINES * MAX_LINES)
        if base != self._base:
            self.beginResetModel()
            self._base = base
            self.endResetModel()
        return self.index(row - base[0], column - base[1])

    def set_cells(self, table: Table) -> None:
        """Take a window of cells in place of the former one."""
        before = self._window
        self._cells = table.cells
        self._window = Window(table.row, table.column, len(table.cells), len(table.cells[0]) if table.cells else 0)
        for window in {before, self._window}:
            self._tell(window)

    def set_tint(self, tint: "Callable[[str], QColor | None] | None") -> None:
        """Take what gives each cell's text its background; `None` for no backgrounds."""
        self._tint = tint
        self._tell(self._window)

    def window_around(self, seen: Window) -> Window:
        """Return the window to ask for when `seen` is in sight: the present one if it will do."""
        usual = TableRequest()
        wanted = Window(seen.row, seen.column, min(seen.rows, usual.rows), min(seen.columns, usual.columns))
        rows, columns = min(usual.rows, self._size[0]), min(usual.columns, self._size[1])
        here = Window(self._window.row, self._window.column, rows, columns)
        if self._window.rows and here.holds(wanted):
            return Window(here.row, here.column, usual.rows, usual.columns)
        row = max(0, min(seen.row - (rows - seen.rows) // 2, self._size[0] - rows))
        column = max(0, min(seen.column - (columns - seen.columns) // 2, self._size[1] - columns))
        return Window(row, column, usual.rows, usual.columns)

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:
        """Return the rows of the block."""
        return 0 if parent.isValid() else min(self._size[0] - self._base[0], MAX_LINES)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:
        """Return the columns of the block."""
        return 0 if parent.isValid() else min(self._size[1] - self._base[1], MAX_LINES)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, and its background if there is any."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(index.row() + self._base[0], index.column() + self._base[1])
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.BackgroundRole if self._tint is not None:
                return self._tint(self.text(index.row() + self._base[0], index.column() + self._base[1]))
            case _:
                return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the index of a row or column, from 0."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return str(section + self._base[0 if orientation is Qt.Orientation.Vertical else 1])

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell of the plane."""
        row, column = row - self._window.row, column - self._window.column
        if 0 <= row < self._window.rows and 0 <= column < self._window.columns:
            return self._cells[row][column]
        return _NOT_YET

    def texts(self, block: Window) -> "list[list[str]]":
        """Return the texts of a block of the plane, row by row."""
        columns = range(block.column, block.column + block.columns)
        return [[self.text(row, column) for column in columns] for row in range(block.row, block.row + block.rows)]

    def _tell(self, window: Window) -> None:
        """Tell that the cells of a window are others, as far as the block has them."""
        top, left = max(window.row - self._base[0], 0), max(window.column - self._base[1], 0)
        bottom = min(window.row + window.rows - self._base[0], self.rowCount())
        right = min(window.column + window.columns - self._base[1], self.columnCount())
        if bottom > top and right > left:
            self.dataChanged.emit(self.index(top, left), self.index(bottom - 1, right - 1))
