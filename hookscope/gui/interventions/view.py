"""The table of interventions: keys, widths, and a menu for a row."""

from collections.abc import Iterable

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QTreeView, QWidget

from hookscope.gui.cells import BoxDelegate
from hookscope.gui.interventions.model import Column


class _ToneDelegate(BoxDelegate):
    """Keeps the colour of a text where its row is selected, too."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Take the colour that the model gives."""
        super().initStyleOption(option, index)
        color = index.data(Qt.ItemDataRole.ForegroundRole)
        if color is not None:
            option.palette.setColor(QPalette.ColorRole.HighlightedText, color)


class ListView(QTreeView):
    """A flat list whose columns share the width.

    Args:
        model: What is listed.
        shares: How much of the width each column gets, compared with the others.
        parent: Qt parent.

    Signals:
        delete_pressed: The selected rows should go.
        move_pressed: The current row should go up (-1) or down (1).
    """

    delete_pressed = Signal()
    move_pressed = Signal(int)

    def __init__(self, model: QAbstractTableModel, shares: Iterable[int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(_ToneDelegate(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._shares = tuple(shares)
        self.setHeaderHidden(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def choose_row(self, row: int) -> None:
        """Select a row alone.

        The view's own way would take a Ctrl that is still held, as after Ctrl+I, for a wish to leave the selection.
        """
        index = self.model().index(row, 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, flags)
        self.scrollTo(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out."""
        super().resizeEvent(event)
        for column, share in enumerate(self._shares):
            self.header().resizeSection(column, share * self.viewport().width() // sum(self._shares))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove with Delete, toggle with Space, move with Alt and an arrow, edit the note with F2."""
        current, key = self.currentIndex(), event.key()
        is_alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if key == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        elif is_alt and key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.move_pressed.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key == Qt.Key.Key_Space and current.isValid():
            self.model().setData(current.siblingAtColumn(Column.CHANGE), None, Qt.ItemDataRole.CheckStateRole)
        elif key == Qt.Key.Key_F2 and current.isValid() and current.siblingAtColumn(Column.NOTE).isValid():
            self.edit(current.siblingAtColumn(Column.NOTE))
        else:
            super().keyPressEvent(event)
