"""The Qt model of the event list: the brackets of a step, what the filter keeps of them, and what has yet to come."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from hookscope.figures.forecast import Coming
from hookscope.figures.lanes import StepTrace
from hookscope.figures.text import format_duration
from hookscope.gui.timeline.event_filter import EventFilter
from hookscope.gui.timeline.event_tree import NO_EVENT, TOP, EventRows
from hookscope.gui.timeline.names import ModuleNames, coming_sentence, event_label, event_tooltip, translate
from hookscope.protocol.stops import EventKind

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

LOOK_ROLE = Qt.ItemDataRole.UserRole
"""Role of the `RowLook` of a row."""
_COMING_ID = 1 << 40
"""Internal ids from here on are of what has yet to come."""


class Column(IntEnum):
    """The columns; the number is shown first."""

    NAME = 0
    NUMBER = 1
    DURATION = 2


@dataclass(frozen=True)
class RowLook:
    """What is drawn of a row.

    Attributes:
        kind: Kind of the event; of a call without an entering event, what that would have been.
        name: What it is called.
        note: What stands quietly behind the name.
        number: Its number, or `NO_EVENT`.
        is_coming: Whether it has not happened.
        is_pending: Of one that has not, whether it is pending.
    """

    kind: EventKind
    name: str
    note: str = ""
    number: int = NO_EVENT
    is_coming: bool = False
    is_pending: bool = False


class EventModel(QAbstractItemModel):
    """Events as rows. An index carries its row of `EventRows` as internal id; what has yet to come follows at the end.

    Further events are inserted; another step and another filter reset the model.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names = ModuleNames({})
        self._rows = EventRows(StepTrace())
        self._filter = EventFilter()
        self._inside: dict[int, list[int]] = self._rows.inside
        self._position: Sequence[int] | dict[int, int] = self._rows.position
        self._unannounced: dict[int, int] = {}
        self._coming: tuple[Coming, ...] = ()
        self.bookmarked: frozenset[int] = frozenset()

    @property
    def rows(self) -> EventRows:
        """All rows of the step, whatever the filter keeps."""
        return self._rows

    @property
    def names(self) -> ModuleNames:
        """What modules are called."""
        return self._names

    def set_rows(self, rows: EventRows, names: ModuleNames) -> None:
        """Show another step."""
        self.beginResetModel()
        self._rows, self._names, self._coming = rows, names, ()
        self._apply_filter()
        self.endResetModel()

    def set_filter(self, wanted: EventFilter) -> None:
        """Show what a filter keeps."""
        if wanted != self._filter:
            self.beginResetModel()
            self._filter = wanted
            self._apply_filter()
            self.endResetModel()

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is set."""
        return not self._filter.is_empty

    def extend(self) -> None:
        """Show the events that the trace has got since."""
        if self.is_filtered:
            self.beginResetModel()
            self._rows.extend()
            self._apply_filter()
            self.endResetModel()
            return
        first = len(self._rows)
        changed = self._rows.extend()
        positions = self._rows.position
        groups: dict[int, list[int]] = {}
        for row in range(first, len(self._rows)):
            if self._rows.parent[row] < first:  # those inside new rows come with them
                groups.setdefault(self._rows.parent[row], []).append(row)
        self._unannounced = {above: positions[added[0]] for above, added in groups.items()}
        for above, added in groups.items():
            self.beginInsertRows(self.index_of_row(above), positions[added[0]], positions[added[-1]])
            del self._unannounced[above]
            self.endInsertRows()
        for row in changed:
            self.dataChanged.emit(self.index_of_row(row), self.index_of_row(row).siblingAtColumn(Column.DURATION))

    def set_coming(self, coming: Iterable[Coming]) -> None:
        """Show what has yet to come, below everything else."""
        coming = tuple(coming) if not self.is_filtered else ()
        first = len(self._inside[TOP])
        if self._coming:
            self.beginRemoveRows(_ROOT, first, first + len(self._coming) - 1)
            self._coming = ()
            self.endRemoveRows()
        if coming:
            self.beginInsertRows(_ROOT, first, first + len(coming) - 1)
            self._coming = coming
            self.endInsertRows()

    def index_of_row(self, row: int) -> QModelIndex:
        """Return the first cell of a row; invalid for `TOP` and when the filter hides it."""
        if row == TOP or (self.is_filtered and row not in self._position):
            return QModelIndex()
        return self.createIndex(self._position[row], Column.NAME, row)

    def row_at(self, index: AnyIndex) -> int | None:
        """Return the row of a cell; `None` for what has yet to come and for no cell."""
        return index.internalId() if index.isValid() and index.internalId() < _COMING_ID else None

    def coming_at(self, index: AnyIndex) -> Coming | None:
        """Return what a cell says has yet to come."""
        return self._coming[index.internalId() - _COMING_ID] if self.row_at(index) is None and index.isValid() else None

    # What Qt asks for; called for every row that is laid out, so kept lean.

    def index(self, row: int, column: int, parent: AnyIndex = _ROOT) -> QModelIndex:
        """Return a cell."""
        if row < 0 or not 0 <= column < len(Column):
            return QModelIndex()
        siblings = self._inside.get(parent.internalId() if parent.isValid() else TOP, ())
        if row < len(siblings):
            return self.createIndex(row, column, siblings[row])
        place = row - len(siblings)
        if not parent.isValid() and place < len(self._coming):
            return self.createIndex(row, column, _COMING_ID + place)
        return QModelIndex()

    def parent(self, child: AnyIndex) -> QModelIndex:  # type: ignore[override]
        """Return the first cell of the row above."""
        row = self.row_at(child)
        if row is None:
            return QModelIndex()
        above = self._rows.parent[row]
        return QModelIndex() if above == TOP else self.createIndex(self._position[above], Column.NAME, above)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of rows inside another, or of the outermost."""
        if parent.isValid():
            if parent.column() != Column.NAME:
                return 0
            row = parent.internalId()
            count = len(self._inside.get(row, ()))
            return self._unannounced.get(row, count) if self._unannounced else count
        return self._unannounced.get(TOP, len(self._inside[TOP])) + len(self._coming)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: ARG002 - the same everywhere
        """Return the number of columns."""
        return len(Column)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a row: what has yet to come can only be read."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.row_at(index) is None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._sentence(index)
            case _ if role == LOOK_ROLE:
                return self._look(index)
        return None

    def _apply_filter(self) -> None:
        rows = self._rows
        if not self.is_filtered:
            self._inside, self._position = rows.inside, rows.position
            return
        self._coming = ()
        self._inside = {TOP: []}
        self._position = {}
        for row in self._filter.kept(rows):
            siblings = self._inside.setdefault(rows.parent[row], [])
            self._position[row] = len(siblings)
            siblings.append(row)

    def _text(self, index: AnyIndex) -> str:
        column, row = index.column(), self.row_at(index)
        if column == Column.NAME:
            return self._look(index).name
        if row is None:
            return ""
        if column == Column.NUMBER:
            number = self._rows.number[row]
            return str(number) if number != NO_EVENT else ""
        span = self._rows.span[row]
        if span is None or not self._rows.is_bracket(row):
            return ""
        duration_s = self._rows.trace.duration_of(span)
        return format_duration(duration_s) if duration_s > 0 else ""

    def _look(self, index: AnyIndex) -> RowLook:
        row = self.row_at(index)
        if row is None:
            return self._look_of_coming(self._coming[index.internalId() - _COMING_ID])
        event, span = self._rows.event(row), self._rows.span[row]
        if span is None:
            assert event is not None
            return RowLook(event.kind, translate(event.kind.value), number=event.number)
        if not self._rows.is_bracket(row):
            assert event is not None
            return RowLook(event.kind, event_label(event), number=event.number)
        kind = EventKind.BACKWARD_ENTER if span.is_backward else EventKind.FORWARD_ENTER
        outer = span.parent.path if span.parent is not None else None
        call = translate("call {call}").format(call=span.call) if span.call else ""
        passed = translate("backward") if span.is_backward else translate("forward")
        note = " · ".join(filter(None, (self._names.class_of(span.path) or passed, call)))
        return RowLook(kind, self._names.within(span.path, outer), note, self._rows.number[row])

    def _look_of_coming(self, coming: Coming) -> RowLook:
        path, call, is_backward = coming.key
        kind = EventKind.BACKWARD_ENTER if is_backward else EventKind.FORWARD_ENTER
        known = translate("call {call}").format(call=call) if call else ""
        state = translate("pending") if coming.is_pending else translate("not reached")
        note = " · ".join(filter(None, (known, state)))
        return RowLook(kind, self._names.within(path, None), note, is_coming=True, is_pending=coming.is_pending)

    def _sentence(self, index: AnyIndex) -> str:
        coming, row = self.coming_at(index), self.row_at(index)
        if coming is not None:
            return coming_sentence(coming, self._names)
        assert row is not None
        event = self._rows.event(row)
        return event_tooltip(event, self._names) if event is not None else self._look(index).name
