"""The Qt model of the changes by hand."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication

from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.rows_model import AnyIndex, RowsModel
from hookscope.gui.theme import theme_of
from hookscope.protocol.interventions import HandChange


class HandColumn(IntEnum):
    """The columns, from left to right."""

    CHANGE = 0
    WHERE = 1
    STATUS = 2


class HandModel(RowsModel[HandChange]):
    """One row a change, in the order in which they are done."""

    def __init__(self, book: HandBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        book.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what the book has; a row is known by its place."""
        changes = self._book.changes
        self.show_rows(changes, range(len(changes)))

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns."""
        return self.tr("Change"), self.tr("Where"), self.tr("At this event")

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
        change, error = self.row_at(row), self._book.error_of(row)
        texts = {
            HandColumn.CHANGE: self._book.words_of(change),
            HandColumn.WHERE: self._book.place_of(change),
            HandColumn.STATUS: self.tr("refused: {error}").format(error=error) if error else self.tr("edited"),
        }
        return texts[column]
