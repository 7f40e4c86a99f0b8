"""The Qt model of the list of breakpoints."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication

from hookscope.figures.breakpoint_words import word_condition, word_phases, word_place
from hookscope.gui.assets import icon
from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.rows_model import AnyIndex, RowsModel
from hookscope.gui.theme import theme_of
from hookscope.protocol.stops import Breakpoint


class Column(IntEnum):
    """The columns, from left to right."""

    WHERE = 0
    WHEN = 1
    CONDITION = 2
    HITS = 3
    LOG = 4
    NOTE = 5


class BreakpointModel(RowsModel[Breakpoint]):
    """One row a breakpoint; the box in front switches it on and off."""

    def __init__(self, book: BreakpointBook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        book.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what the book has."""
        self.show_rows(self._book.breakpoints, (point.id for point in self._book.breakpoints))

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns."""
        return (
            self.tr("Where"),
            self.tr("At"),
            self.tr("Condition"),
            self.tr("From hit"),
            self.tr("Log"),
            self.tr("Remark"),
        )

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == Column.WHERE else flags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        point = self.row_at(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _TEXTS[Column(index.column())](self._book, point)
            case Qt.ItemDataRole.CheckStateRole if index.column() == Column.WHERE:
                return Qt.CheckState.Checked if point.enabled else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.DecorationRole if index.column() == Column.WHERE:
                look = self._book.look_of(point)
                return icon(look.icon, getattr(theme_of(QGuiApplication.palette()), look.color))
            case Qt.ItemDataRole.ToolTipRole:
                return self._book.sentence(point)
        return None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: ARG002
        """Switch a breakpoint on or off."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        point = self.row_at(index.row())
        self._book.enable({point.id}, enabled=not point.enabled)
        return True


def _translate(english: str) -> str:
    return QCoreApplication.translate("breakpoints", english)


def _where(book: BreakpointBook, point: Breakpoint) -> str:
    return word_place(point, book.root_name)


def _when(_book: BreakpointBook, point: Breakpoint) -> str:
    return word_phases(point, _translate)


def _condition(_book: BreakpointBook, point: Breakpoint) -> str:
    return word_condition(point.condition, _translate)


def _hits(_book: BreakpointBook, point: Breakpoint) -> str:
    return str(point.hits) if point.hits > 1 else ""


def _log(_book: BreakpointBook, point: Breakpoint) -> str:
    return point.log


def _note(book: BreakpointBook, point: Breakpoint) -> str:
    return book.note_on(point)


_TEXTS: dict[Column, Callable[[BreakpointBook, Breakpoint], str]] = {
    Column.WHERE: _where,
    Column.WHEN: _when,
    Column.CONDITION: _condition,
    Column.HITS: _hits,
    Column.LOG: _log,
    Column.NOTE: _note,
}
