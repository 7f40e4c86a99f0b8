"""The tree widget: keys, widths, what is open, and which module is marked as the current one."""

from collections.abc import Iterable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QWidget

from hookscope.gui.module_tree.columns import ColumnHeader
from hookscope.gui.module_tree.delegate import ModuleDelegate
from hookscope.gui.module_tree.menu import ModuleMenu
from hookscope.gui.module_tree.model import AnyIndex, Column, ModuleTreeModel
from hookscope.protocol.tree import ModuleInfo

OPEN_MATCHES_UP_TO = 1000
"""While filtering, containers are opened from the top until this many rows show; opening 10,000 is a pause."""

INDENTATION = 0.8
"""Indentation of a level, in heights of the font."""


class ModuleTreeView(QTreeView):
    """Shows a `ModuleTreeModel`.

    Signals:
        module_selected: A person went to a row (index of its module), with the mouse, an arrow key or Enter.
    """

    module_selected = Signal(int)

    def __init__(self, model: ModuleTreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._empty_text = ""
        self._marking = False
        self._open_unfiltered: list[int] | None = None
        self.menu = ModuleMenu(model, self)
        self.menu.expand_requested.connect(self.expandAll)
        self.menu.collapse_requested.connect(self.collapseAll)
        self.setModel(model)
        model.redraw_requested.connect(self.viewport().update)
        self.setItemDelegate(ModuleDelegate(self))
        self._columns = ColumnHeader(self)
        self.setHeader(self._columns)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setIndentation(round(INDENTATION * self.fontMetrics().height()))
        self.setAccessibleName(self.tr("Modules"))

    def open_modules(self) -> list[int]:
        """Return the containers that are open when no filter is set."""
        if self._open_unfiltered is not None:
            return self._open_unfiltered
        model = self._model
        return [module for module in model.layout.containers if self.isExpanded(model.index_of(module))]

    def show_all(self, opened: Iterable[int]) -> None:
        """Show every module, with these containers open."""
        self._open_unfiltered = None
        self._model.set_rows(range(len(self._model.layout.modules)))
        self._open(opened)

    def show_rows(self, rows: Iterable[int], opened: list[int]) -> None:
        """Show some modules and their ancestors, opened; `opened` is what `open_modules` is to return meanwhile."""
        self._open_unfiltered = opened
        self._model.set_rows(rows)
        self._open(self._model.shown.containers_within(OPEN_MATCHES_UP_TO))

    def mark(self, module: int | None) -> None:
        """Mark a module's row as the current one, opening what it is inside of; `None` or a hidden one marks none."""
        index = self._model.index_of(module) if module is not None else self.rootIndex()
        self._marking = True
        try:
            if index.isValid():
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
                self.selectionModel().setCurrentIndex(index, flags)
                self.scrollTo(index)
            else:
                self.clearSelection()
        finally:
            self._marking = False

    def module_at(self, index: AnyIndex) -> ModuleInfo | None:
        """Return the module of a cell; `None` of an invalid one."""
        return self._model.layout.modules[index.internalId()] if index.isValid() else None

    def set_has_outputs(self, has_outputs: bool) -> None:
        """Say whether there are outputs to show; before, names have their room."""
        self._columns.set_has_outputs(has_outputs)

    def set_empty_text(self, text: str) -> None:
        """Say what is written in the middle while there are no rows."""
        self._empty_text = text
        self.viewport().update()

    def _open(self, modules: Iterable[int]) -> None:
        for module in modules:
            self.expand(self._model.index_of(module))

    def _toggle(self) -> None:
        current = self.currentIndex().siblingAtColumn(Column.MODULE)
        if current.isValid():
            self._model.setData(current, None, Qt.ItemDataRole.CheckStateRole)

    def _open_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if index.isValid():
            self.menu.open_for(index.internalId(), self.viewport().mapToGlobal(place))

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell which module a person went to."""
        super().selectionChanged(selected, deselected)
        if not self._marking and not selected.isEmpty():
            self.module_selected.emit(selected.indexes()[0].internalId())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle with Space wherever in the row the focus is, and select with Enter."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if plain and event.key() == Qt.Key.Key_Space:
            self._toggle()
        elif plain and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            if self.currentIndex().isValid():
                self.module_selected.emit(self.currentIndex().internalId())
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the module's menu under the pointer, or at the current row."""
        by_keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        self._open_menu(self.visualRect(self.currentIndex()).center() if by_keyboard else event.pos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns."""
        super().resizeEvent(event)
        self._columns.fit(self.viewport().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Write why there is nothing when there are no rows."""
        super().paintEvent(event)
        if self._model.rowCount() == 0 and self._empty_text:
            painter = QPainter(self.viewport())
            try:
                painter.setPen(self.palette().placeholderText().color())
                margin = self.fontMetrics().height()
                area = self.viewport().rect().adjusted(margin, margin, -margin, -margin)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty_text)
            finally:
                painter.end()
