"""The Qt model of the changes by hand."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication

from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.theme import theme_of

if TYPE_CHECKING:
    from hookscope.protocol.interventions import HandChange

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class HandColumn(IntEnum):
    """The columns, from left to right."""

    CHANGE = 0
    WHERE = 1
    STATUS = 2


class HandModel(QAbstractTableModel):
    """One row a change, in the order in which they are done."""

    def __init__(self, book: HandBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._rows: tuple[HandChange, ...] = ()
        book.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what the book has; as long as there are as many rows, the selection stays."""
        rows = self._book.changes
        if len(rows) == len(self._rows):
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(HandColumn) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of changes."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(HandColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Change"), self.tr("Where"), self.tr("At this event"))[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        row, column = index.row(), HandColumn(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._text(row, column)
            case Qt.ItemDataRole.ForegroundRole if self._book.error_of(row) and column is HandColumn.STATUS:
                return QColor(theme_of(QGuiApplication.palette()).trouble)
        return None

    def _text(self, row: int, column: HandColumn) -> str:
        change, error = self._rows[row], self._book.error_of(row)
        texts = {
            HandColumn.CHANGE: self._book.words_of(change),
            HandColumn.WHERE: self._book.place_of(change),
            HandColumn.STATUS: self.tr("refused: {error}").format(error=error) if error else self.tr("edited"),
        }
        return texts[column]
