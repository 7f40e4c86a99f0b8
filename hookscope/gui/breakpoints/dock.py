"""The dock that lists all breakpoints."""

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.assets import icon
from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.breakpoints.model import BreakpointModel, Column
from hookscope.gui.cells import BoxDelegate
from hookscope.protocol.stops import Breakpoint

_WIDTHS = {Column.WHERE: 30, Column.WHEN: 24, Column.CONDITION: 28, Column.HITS: 11, Column.LOG: 24}
"""Widths in characters; the remark has the rest."""


class BreakpointsDock(QDockWidget):
    """Lists breakpoints and log points; the box in front of one switches it on and off.

    Args:
        book: The breakpoints.
        parent: The main window.

    Signals:
        edit_requested: A breakpoint (`Breakpoint`) should be edited; one that is in no book yet is a new one.
    """

    edit_requested = Signal(object)

    def __init__(self, book: BreakpointBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self.model = BreakpointModel(book, self)
        self.view = BreakpointView(self.model)
        self.add_button = self._button(self.tr("Add"), self.tr("Add a breakpoint"))
        self.edit_button = self._button(self.tr("Edit"), self.tr("Edit the selected breakpoint"))
        self.remove_button = self._button(self.tr("Remove"), self.tr("Remove the selected breakpoints"))
        self.enable_button = self._button("", self.tr("Switch all breakpoints on or off"))
        self.clear_button = self._button(self.tr("Clear"), self.tr("Remove all breakpoints"))
        self._empty = QLabel(self.tr("No breakpoints. Click left of a module in the tree, or press F9."))
        self._empty.setProperty("quiet", True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._stack = QStackedWidget()
        self._assemble()
        self.add_button.clicked.connect(self._add)
        self.edit_button.clicked.connect(self._edit)
        self.remove_button.clicked.connect(self._remove)
        self.enable_button.clicked.connect(self._enable_all)
        self.clear_button.clicked.connect(self._clear)
        self.view.activated.connect(self._edit_row)
        self.view.delete_pressed.connect(self._remove)
        self.view.selectionModel().selectionChanged.connect(self._update)
        book.changed.connect(self._update)
        self._update()

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    def _assemble(self) -> None:
        self.setObjectName("breakpoints")
        self.setWindowTitle(self.tr("Breakpoints"))
        above, rows = QHBoxLayout(), QVBoxLayout()
        above.setSpacing(2)
        for button in (self.add_button, self.edit_button, self.remove_button):
            above.addWidget(button)
        above.addStretch(1)
        for button in (self.enable_button, self.clear_button):
            above.addWidget(button)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        gap = self.fontMetrics().height() // 2
        rows.setContentsMargins(gap, 0, gap, gap)
        rows.setSpacing(gap // 2)
        rows.addLayout(above)
        rows.addWidget(self._stack, 1)
        content = QWidget()
        content.setLayout(rows)
        self.setWidget(content)
        self._tint()

    def selected(self) -> list[Breakpoint]:
        """Return the selected breakpoints."""
        rows = self.view.selectionModel().selectedRows()
        return [self.model.row_at(index.row()) for index in rows]

    @Slot()
    def _update(self) -> None:
        points, chosen = self._book.breakpoints, self.selected()
        self._stack.setCurrentWidget(self.view if points else self._empty)
        self.edit_button.setEnabled(len(chosen) == 1)
        self.remove_button.setEnabled(bool(chosen))
        are_all_on = all(point.enabled for point in points)
        self.enable_button.setText(self.tr("Disable all") if are_all_on and points else self.tr("Enable all"))
        self.enable_button.setEnabled(bool(points))
        self.clear_button.setEnabled(bool(points))

    @Slot()
    def _add(self) -> None:
        self.edit_requested.emit(self._book.new_at("*"))

    @Slot()
    def _edit(self) -> None:
        for point in self.selected()[:1]:
            self.edit_requested.emit(point)

    @Slot(QModelIndex)
    def _edit_row(self, index: QModelIndex) -> None:
        self.edit_requested.emit(self.model.row_at(index.row()))

    @Slot()
    def _remove(self) -> None:
        self._book.remove({point.id for point in self.selected()})

    @Slot()
    def _enable_all(self) -> None:
        points = self._book.breakpoints
        self._book.enable({point.id for point in points}, enabled=not all(point.enabled for point in points))

    @Slot()
    def _clear(self) -> None:
        self._book.remove({point.id for point in self._book.breakpoints})

    def _tint(self) -> None:
        for button, name in (
            (self.add_button, "msc.add"),
            (self.edit_button, "msc.edit"),
            (self.remove_button, "msc.trash"),
            (self.enable_button, "msc.circle-slash"),
            (self.clear_button, "msc.clear-all"),
        ):
            button.setIcon(icon(name))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()
            self.model.refresh()


class BreakpointView(QTreeView):
    """The table of breakpoints.

    Signals:
        delete_pressed: The selected rows should go.
    """

    delete_pressed = Signal()

    def __init__(self, model: BreakpointModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(BoxDelegate(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Breakpoints"))
        self.header().setSectionsMovable(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        character = self.fontMetrics().averageCharWidth()
        for column, characters in _WIDTHS.items():
            self.header().resizeSection(column, characters * character)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove with Delete, and toggle with Space wherever in the row the focus is."""
        current = self.currentIndex()
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        elif event.key() == Qt.Key.Key_Space and current.isValid():
            first = current.siblingAtColumn(Column.WHERE)
            self.model().setData(first, None, Qt.ItemDataRole.CheckStateRole)
        else:
            super().keyPressEvent(event)
