"""What the Qt models of short lists share, whose rows a book gives all at once."""

from collections.abc import Hashable, Iterable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

RowT = TypeVar("RowT")


class RowsModel(QAbstractTableModel, Generic[RowT]):
    """A table whose rows keep the selection as long as they are the same ones; what they say may change.

    Subclasses say what the columns are and what a cell says.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RowT, ...] = ()
        self._keys: tuple[Hashable, ...] = ()

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns, from left to right."""
        raise NotImplementedError

    def row_at(self, row: int) -> RowT:
        """Return what a row is about."""
        return self._rows[row]

    def show_rows(self, rows: tuple[RowT, ...], keys: Iterable[Hashable]) -> None:
        """Show these.

        Args:
            rows: In their order.
            keys: One a row, by which it is the same one again.
        """
        before, self._keys = self._keys, tuple(keys)
        if self._keys == before:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.titles())

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return self.titles()[section]
