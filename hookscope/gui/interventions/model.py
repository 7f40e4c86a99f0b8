"""The Qt model of the list of interventions."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QGuiApplication

from hookscope.figures.intervention_words import Tone
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.rows_model import AnyIndex, RowsModel
from hookscope.gui.theme import theme_of
from hookscope.protocol.interventions import Intervention


class Column(IntEnum):
    """The columns, from left to right."""

    CHANGE = 0
    WHERE = 1
    STATUS = 2
    NOTE = 3


class InterventionModel(RowsModel[Intervention]):
    """One row an intervention, in the order in which they act; the box in front switches it on and off."""

    def __init__(self, book: InterventionBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        book.changed.connect(self.refresh)
        self.refresh()

    def row_of(self, id_: int) -> int:
        """Return the row of an intervention; -1 when it is not listed."""
        return next((row for row in range(self.rowCount()) if self.row_at(row).id == id_), -1)

    @Slot()
    def refresh(self) -> None:
        """Show what the book has."""
        self.show_rows(self._book.interventions, (one.id for one in self._book.interventions))

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns."""
        return self.tr("Change"), self.tr("Where"), self.tr("In the newest step"), self.tr("Note")

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == Column.CHANGE:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == Column.NOTE else flags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        intervention, column = self.row_at(index.row()), Column(index.column())
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
        intervention = self.row_at(index.row())
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
