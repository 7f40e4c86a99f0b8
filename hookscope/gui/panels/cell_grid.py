"""The cells of a table: all of one size, in a fixed-width face."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.table_model import AnyIndex, TableModel, Window

_CHARS = {
    "bool": 6,
    "int8": 6,
    "uint8": 6,
    "int16": 8,
    "uint16": 8,
    "int32": 12,
    "uint32": 12,
    "int64": 20,
    "uint64": 20,
    "float16": 11,
    "float32": 15,
    "float64": 22,
    "bfloat16": 20,
    "complex64": 32,
    "complex128": 46,
}
_USUAL_CHARS = 15
_GO_TO = QKeySequence("Ctrl+G")


class CellGrid(QTableView):
    """Shows a `TableModel`.

    Signals:
        copy_requested: Ctrl+C was pressed.
        go_to_requested: Ctrl+G was pressed.
        moved: Another cell is the current one.
    """

    copy_requested = Signal()
    go_to_requested = Signal()
    moved = Signal()

    def __init__(self, model: TableModel) -> None:
        super().__init__()
        self._cells = model
        self.setModel(model)
        self.setFont(fixed_font())
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setTabKeyNavigation(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
        self.set_dtype("")
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def set_dtype(self, dtype: str) -> None:
        """Make the columns as wide as values of a dtype need, and then leave them."""
        width = self.fontMetrics().averageCharWidth() * _CHARS.get(dtype, _USUAL_CHARS)
        if width != self.horizontalHeader().defaultSectionSize():
            self.horizontalHeader().setDefaultSectionSize(width)

    def seen(self) -> Window:
        """Return the cells of the plane that are in sight."""
        rows, columns = self._cells.rowCount(), self._cells.columnCount()
        first_row, last_row = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        first_column, last_column = self.columnAt(0), self.columnAt(self.viewport().width() - 1)
        last_row = rows - 1 if last_row < 0 else last_row  # the cells end before the viewport does
        last_column = columns - 1 if last_column < 0 else last_column
        first_row, first_column = max(first_row, 0), max(first_column, 0)
        row, column = self._cells.base
        return Window(first_row + row, first_column + column, last_row - first_row + 1, last_column - first_column + 1)

    def chosen(self) -> Window | None:
        """Return the block of the plane that is selected."""
        ranges = self.selectionModel().selection().toList()
        if not ranges:
            return None
        block, (row, column) = ranges[0], self._cells.base
        return Window(block.top() + row, block.left() + column, block.height(), block.width())

    def go_to(self, row: int, column: int) -> None:
        """Make a cell of the plane the current one, and bring it into sight."""
        index = self._cells.bring(row, column)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        """Tell which cell is the current one."""
        super().currentChanged(current, previous)
        self.moved.emit()

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+C and Ctrl+G for this table also where a window has a shortcut for them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C, ask for an index on Ctrl+G."""
        if not _is_own(event):
            super().keyPressEvent(event)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        else:
            self.go_to_requested.emit()


def _is_own(event: QKeyEvent) -> bool:
    is_go_to = QKeySequence(event.keyCombination()).matches(_GO_TO) == QKeySequence.SequenceMatch.ExactMatch
    return is_go_to or event.matches(QKeySequence.StandardKey.Copy)
