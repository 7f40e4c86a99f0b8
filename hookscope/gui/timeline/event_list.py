"""The list of a step's events: keys, what is open, which event is marked, and the arrow at the one at hand."""

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTreeView, QWidget

from hookscope.gui.cells import row_height
from hookscope.gui.theme import theme_of
from hookscope.gui.timeline.event_delegate import EventDelegate
from hookscope.gui.timeline.event_model import Column, EventModel
from hookscope.gui.timeline.event_tree import NO_EVENT, TOP, EventRows
from hookscope.gui.timeline.names import ModuleNames

OPEN_UP_TO = 200
"""Calls are opened from the outermost inwards until this many rows show."""

_INDENTATION = 0.8
_NUMBER_CHARS = 8
_DURATION_CHARS = 10
_WIDTH_CHARS = 46
_HEIGHT_ROWS = 7
_TINT_ALPHA = 0.16


class EventList(QTreeView):
    """Shows the events of one step as a bracketed tree.

    Signals:
        event_chosen: A person went to an event (its number), with the mouse or a key.
        menu_requested: The menu of an event is wanted, at a place on the screen.
    """

    event_chosen = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.events = EventModel(self)
        self._delegate = EventDelegate(self.events, self)
        self._is_marking = False
        self._is_opening = False
        self._by_hand: dict[tuple[str, bool], bool] = {}
        self._opened_for_arrow: int | None = None
        self.setModel(self.events)
        self.setItemDelegate(self._delegate)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIndentation(round(_INDENTATION * self.fontMetrics().height()))
        self.setAccessibleName(self.tr("Events of the step"))
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(1)
        header.moveSection(Column.NUMBER, 0)
        header.setSectionResizeMode(Column.NAME, QHeaderView.ResizeMode.Stretch)
        self.expanded.connect(self._note_opened)
        self.collapsed.connect(self._note_closed)
        self._size_columns()

    @property
    def at_hand(self) -> int | None:
        """Number of the event with the arrow."""
        return self._delegate.at_hand

    def show_rows(self, rows: EventRows, names: ModuleNames) -> None:
        """Show another step, with the outermost calls open, and otherwise as a person has left the last one."""
        self._delegate.at_hand = self._opened_for_arrow = None
        self.events.set_rows(rows, names)
        self._open_first()

    def refilter(self) -> None:
        """Open what a filter has left."""
        self._open_first()

    def mark(self, number: int | None) -> None:
        """Mark the row of an event as the current one, opening what it is inside of."""
        index = self._index_of(number)
        self._is_marking = self._is_opening = True
        try:
            if index.isValid():
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
                self.selectionModel().setCurrentIndex(index, flags)
                self.scrollTo(index)
            else:
                self.clearSelection()
        finally:
            self._is_marking = self._is_opening = False

    def point_at(self, number: int | None) -> None:
        """Put the arrow at the event at hand, or nowhere, and keep it in sight."""
        if number == self._delegate.at_hand:
            return
        self._delegate.at_hand = number
        index = self._index_of(number)
        if index.isValid():
            self._is_opening = True
            try:
                self._open_for_arrow(index)
                self.scrollTo(index)
            finally:
                self._is_opening = False
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Return room for names, classes and times, and for a few rows."""
        metrics = self.fontMetrics()
        return QSize(_WIDTH_CHARS * metrics.averageCharWidth(), _HEIGHT_ROWS * row_height(metrics))

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Tint the row of the event at hand."""
        row, at_hand = self.events.row_at(index), self._delegate.at_hand
        if at_hand is not None and row is not None and self.events.rows.number[row] == at_hand:
            tint = QColor(theme_of(self.palette()).at_hand)
            tint.setAlphaF(_TINT_ALPHA)
            painter.fillRect(option.rect, tint)
        super().drawRow(painter, option, index)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say so when the filter has left nothing."""
        super().paintEvent(event)
        if self.events.rowCount() == 0 and self.events.is_filtered:
            painter = QPainter(self.viewport())
            try:
                painter.setPen(self.palette().placeholderText().color())
                text = self.tr("No event matches the filter.")
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(self.viewport().rect(), flags, text)
            finally:
                painter.end()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell which event a person went to."""
        super().selectionChanged(selected, deselected)
        if not self._is_marking and not selected.isEmpty():
            row = self.events.row_at(selected.indexes()[0])
            number = self._number_of(row) if row is not None else NO_EVENT
            if number != NO_EVENT:
                self.event_chosen.emit(number)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the event under the pointer, or of the current one."""
        by_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_keyboard else self.indexAt(event.pos())
        row = self.events.row_at(index)
        if row is not None and self._number_of(row) != NO_EVENT:
            place = self.visualRect(index).center() if by_keyboard else event.pos()
            self.menu_requested.emit(self._number_of(row), self.viewport().mapToGlobal(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns."""
        super().resizeEvent(event)
        self._size_columns()

    def _number_of(self, row: int) -> int:
        """Return the number of a row's event; a call without an entering event stands for what is first inside it."""
        rows = self.events.rows
        while rows.number[row] == NO_EVENT and rows.inside.get(row):
            row = rows.inside[row][0]
        return rows.number[row]

    def _index_of(self, number: int | None) -> QModelIndex:
        rows = self.events.rows
        if number is None or not 0 <= number < len(rows.row_of):
            return QModelIndex()
        return self.events.index_of_row(rows.row_of[number])

    def _open_for_arrow(self, index: QModelIndex) -> None:
        """Open the call of the event at hand; one without calls inside is closed again when the arrow has left it."""
        rows, row = self.events.rows, index.internalId()
        bracket = row if rows.is_bracket(row) else rows.parent[row]
        opened = self._opened_for_arrow
        if opened is not None and opened != bracket:
            self.setExpanded(self.events.index_of_row(opened), False)
            self._opened_for_arrow = None
        inside = self.events.index_of_row(bracket)
        if bracket not in {TOP, row} and not self.isExpanded(inside):
            self.setExpanded(inside, True)
            span = rows.span[bracket]
            self._opened_for_arrow = bracket if span is not None and not span.has_inner else None

    def _open_first(self) -> None:
        """Open calls from the outermost inwards, as far as they hold others and the rows stay few."""
        self._is_opening = True
        try:
            self._open_levels()
        finally:
            self._is_opening = False

    def _open_levels(self) -> None:
        model = self.events
        level, count = [QModelIndex()], model.rowCount()
        while level:
            inner: list[QModelIndex] = []
            for parent in level:
                for place in range(model.rowCount(parent)):
                    index = model.index(place, Column.NAME, parent)
                    if self._is_to_open(index) and count + model.rowCount(index) <= OPEN_UP_TO:
                        count += model.rowCount(index)
                        inner.append(index)
            for index in inner:
                self.setExpanded(index, True)
            level = inner

    def _is_to_open(self, index: QModelIndex) -> bool:
        row = self.events.row_at(index)
        span = self.events.rows.span[row] if row is not None else None
        if row is None or span is None or not self.events.rows.is_bracket(row):
            return False
        return self.events.is_filtered or self._by_hand.get((span.path, span.is_backward), span.has_inner)

    @Slot(QModelIndex)
    def _note_opened(self, index: QModelIndex) -> None:
        self._note_by_hand(index, is_open=True)

    @Slot(QModelIndex)
    def _note_closed(self, index: QModelIndex) -> None:
        self._note_by_hand(index, is_open=False)

    def _note_by_hand(self, index: QModelIndex, *, is_open: bool) -> None:
        row = self.events.row_at(index)
        span = self.events.rows.span[row] if row is not None else None
        if span is not None and not self._is_opening and not self.events.is_filtered:
            self._by_hand[span.path, span.is_backward] = is_open

    def _size_columns(self) -> None:
        character = self.fontMetrics().averageCharWidth()
        self.header().resizeSection(Column.NUMBER, _NUMBER_CHARS * character)
        self.header().resizeSection(Column.DURATION, _DURATION_CHARS * character)
