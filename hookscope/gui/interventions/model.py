"""The Qt model of the list of interventions."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication

from hookscope.figures.intervention_words import Tone
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.theme import theme_of
from hookscope.protocol.interventions import Intervention

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """The columns, from left to right."""

    CHANGE = 0
    WHERE = 1
    STATUS = 2
    NOTE = 3


class InterventionModel(QAbstractTableModel):
    """One row an intervention, in the order in which they act; the box in front switches it on and off."""

    def __init__(self, book: InterventionBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._rows: tuple[Intervention, ...] = ()
        book.changed.connect(self.refresh)
        self.refresh()

    def intervention_at(self, row: int) -> Intervention:
        """Return the intervention of a row."""
        return self._rows[row]

    def row_of(self, id_: int) -> int:
        """Return the row of an intervention; -1 when it is not listed."""
        return next((row for row, intervention in enumerate(self._rows) if intervention.id == id_), -1)

    @Slot()
    def refresh(self) -> None:
        """Show what the book has; rows that stay keep the selection."""
        rows = self._book.interventions
        if [row.id for row in rows] == [row.id for row in self._rows]:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of interventions."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == Column.CHANGE:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == Column.NOTE else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Change"), self.tr("Where"), self.tr("In the newest step"), self.tr("Note"))[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        intervention, column = self._rows[index.row()], Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._text(intervention, column)
            case Qt.ItemDataRole.EditRole if column is Column.NOTE:
                return intervention.note
            case Qt.ItemDataRole.CheckStateRole if column is Column.CHANGE:
                return Qt.CheckState.Checked if intervention.enabled else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.ForegroundRole:
                return QColor(getattr(theme_of(QGuiApplication.palette()), self._tone(intervention, column).value))
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Switch an intervention on or off, or take its note."""
        if not index.isValid():
            return False
        intervention = self._rows[index.row()]
        if role == Qt.ItemDataRole.CheckStateRole:
            self._book.enable({intervention.id}, enabled=not intervention.enabled)
            return True
        if role == Qt.ItemDataRole.EditRole and index.column() == Column.NOTE:
            self._book.annotate(intervention.id, str(value).strip())
            return True
        return False

    def _text(self, intervention: Intervention, column: Column) -> str:
        match column:
            case Column.CHANGE:
                return self._book.words_of(intervention)
            case Column.WHERE:
                return self._book.place_of(intervention)
            case Column.STATUS:
                return self._book.status_of(intervention).text
            case Column.NOTE:
                return intervention.note

    def _tone(self, intervention: Intervention, column: Column) -> Tone:
        if column is Column.STATUS:
            return self._book.status_of(intervention).tone
        return Tone.PLAIN if intervention.enabled and column is not Column.NOTE else Tone.QUIET
