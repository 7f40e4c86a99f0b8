"""The table of operations: keys, widths, and how its cells are drawn."""

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTreeView, QWidget

from hookscope.gui.cells import BoxDelegate, fixed_font
from hookscope.gui.operations.model import Column, OperationModel
from hookscope.gui.theme import theme_of

WIDTHS = {Column.NAME: 28, Column.NUMBER: 6, Column.OUTPUT: 20, Column.DTYPE: 10, Column.PLACE: 22}
"""Width of the columns, in characters; the code has the rest."""

_FIXED = frozenset({Column.OUTPUT, Column.CODE})
_QUIET = frozenset({Column.NUMBER, Column.DTYPE, Column.PLACE})


class OperationView(QTreeView):
    """Shows an `OperationModel`.

    Signals:
        row_chosen: A person went to a row, with the mouse, an arrow key or Enter.
    """

    row_chosen = Signal(int)

    def __init__(self, model: OperationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(_OperationDelegate(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Operations"))
        self.header().setSectionsMovable(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(Column.CODE, QHeaderView.ResizeMode.Stretch)
        character = self.fontMetrics().averageCharWidth()
        for column, characters in WIDTHS.items():
            self.header().resizeSection(column, characters * character)

    def mark(self, row: int | None) -> None:
        """Mark a row as the current one, or none."""
        if row is None:
            self.clearSelection()
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        index = self.model().index(row, Column.NAME)
        self.selectionModel().setCurrentIndex(index, flags)
        self.scrollTo(index)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell which row a person went to."""
        super().selectionChanged(selected, deselected)
        if not selected.isEmpty():
            self.row_chosen.emit(selected.indexes()[0].row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle with Space wherever in the row the focus is, and select with Enter."""
        current = self.currentIndex()
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if plain and current.isValid() and event.key() == Qt.Key.Key_Space:
            self.model().setData(current.siblingAtColumn(Column.NAME), None, Qt.ItemDataRole.CheckStateRole)
        elif plain and current.isValid() and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.row_chosen.emit(current.row())
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return room for a few rows."""
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * 8)


class _OperationDelegate(BoxDelegate):
    """Draws quietly what is not read first, and of a place its end when it does not fit."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Choose colour, face and where to cut."""
        theme = theme_of(option.palette)  # before the boxes have got their palette
        super().initStyleOption(option, index)
        column = index.column()
        if column in _QUIET:
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.Text, QColor(theme.quiet))
            option.palette = palette
        if column in _FIXED:
            option.font = fixed_font(option.font)
        if column == Column.PLACE:
            option.textElideMode = Qt.TextElideMode.ElideLeft
