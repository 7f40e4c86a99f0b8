"""The exact values of a tensor."""

from PySide6.QtCore import QEvent, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout

from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.base import Subject, TensorView, fixed_font
from hookscope.gui.panels.index_bar import IndexBar
from hookscope.gui.panels.table_model import MAX_LINES, TableModel, Window
from hookscope.gui.theme import Theme
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Axes, Table, TableRequest

_CELL_CHARS = 13


class TableView(TensorView):
    """A grid of values that fetches what is scrolled into sight; spin boxes pick the leading dims."""

    def __init__(self) -> None:
        super().__init__()
        self._result: Table | None = None
        self._window = Window(0, 0, TableRequest().rows, TableRequest().columns)
        self._model = TableModel()
        self._model.setParent(self)
        self._index = IndexBar()
        self._bar = AdaptiveRow()
        self._bar.add(self._index)
        self._bar.add_stretch()
        self._grid = _CellGrid(self._model)
        self._grid.setAccessibleName(self.tr("Values"))
        for scroll_bar in (self._grid.verticalScrollBar(), self._grid.horizontalScrollBar()):
            scroll_bar.valueChanged.connect(self._follow_sight)
            scroll_bar.rangeChanged.connect(self._follow_sight)
        self._index.index_changed.connect(self.request_changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._bar)
        layout.addWidget(self._grid, 1)

    def aim(self, subject: Subject) -> None:
        """Take the size of the tensor and offer its leading dims."""
        leading = subject.spec.shape[:-2]
        self._index.set_sizes(leading)
        self._bar.setVisible(bool(leading))
        self._model.set_spec(subject.spec)
        self._window = self._model.window_around(self._grid.seen())

    def request(self) -> TableRequest:
        """Ask for the cells in sight and some around them."""
        return TableRequest(
            Axes(index=self._index.index),
            self._window.row,
            self._window.column,
            self._window.rows,
            self._window.columns,
        )

    def draw(self, answer: ViewReady) -> None:
        """Fill in a `Table`."""
        assert isinstance(answer.result, Table)
        self._result = answer.result
        self._model.set_cells(answer.result)

    def remarks(self) -> str:
        """Say when not all lines can be scrolled to."""
        if self._result is None or max(self._result.rows, self._result.columns) <= MAX_LINES:
            return ""
        return self.tr("the first {lines} lines of {rows} × {columns}").format(
            lines=f"{MAX_LINES:,}", rows=f"{self._result.rows:,}", columns=f"{self._result.columns:,}"
        )

    def summary(self) -> str:
        """Return the size in words."""
        if self._result is None:
            return ""
        return self.tr("table of {rows} by {columns}").format(rows=self._result.rows, columns=self._result.columns)

    def apply_theme(self, theme: Theme) -> None:
        """Nothing to do: a table follows the palette by itself."""

    @Slot()
    def _follow_sight(self) -> None:
        window = self._model.window_around(self._grid.seen())
        if window != self._window:
            self._window = window
            self.request_changed.emit()


class _CellGrid(QTableView):
    """Cells of one size; Ctrl+C copies the selected block as lines with tabs."""

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
        self.horizontalHeader().setDefaultSectionSize(self.fontMetrics().averageCharWidth() * _CELL_CHARS)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def seen(self) -> Window:
        """Return the cells that are in sight."""
        rows, columns = self._cells.rowCount(), self._cells.columnCount()
        first_row, last_row = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        first_column, last_column = self.columnAt(0), self.columnAt(self.viewport().width() - 1)
        last_row = rows - 1 if last_row < 0 else last_row  # the cells end before the viewport does
        last_column = columns - 1 if last_column < 0 else last_column
        first_row, first_column = max(first_row, 0), max(first_column, 0)
        return Window(first_row, first_column, last_row - first_row + 1, last_column - first_column + 1)

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+C for this table also where a window has a shortcut for it."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
            event.accept()
            return
        super().keyPressEvent(event)

    def copy_selection(self) -> None:
        """Put the selected block on the clipboard; cells that have not arrived are copied as `…`."""
        for block in self.selectionModel().selection().toList():
            rows = range(block.top(), block.bottom() + 1)
            columns = range(block.left(), block.right() + 1)
            lines = ("\t".join(self._cells.text(row, column) for column in columns) for row in rows)
            QGuiApplication.clipboard().setText("\n".join(lines))
