"""The changes by hand with the form of the selected one beside them, while a step is stopped."""

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from hookscope.figures.text import slot_label
from hookscope.gui.interventions.fields import NumberField
from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.interventions.hand_form import HandForm
from hookscope.gui.interventions.hand_model import HandModel
from hookscope.gui.interventions.list_and_form import ListAndForm
from hookscope.gui.interventions.selection_form import index_field
from hookscope.gui.interventions.tools import ToolRow, side_by_side
from hookscope.gui.interventions.view import ListView
from hookscope.protocol.interventions import HandChange, Index, Span
from hookscope.protocol.tensor_changes import Constant, Scale

_SHARES = (30, 30, 40)
"""How the columns share the width."""
_INDEX_CHARS = 12


class HandPage(QWidget):
    """Lists what was changed at the event at hand, and changes single elements.

    Args:
        book: The changes.
        parent: Qt parent.

    Signals:
        back_requested: The list of interventions should be seen again.
        keep_requested: A change (`HandChange`) should become an intervention.
    """

    back_requested = Signal()
    keep_requested = Signal(object)

    def __init__(self, book: HandBook, parent: QWidget) -> None:
        super().__init__(parent)
        self._book = book
        self.model = HandModel(book, self)
        self.view = ListView(self.model, _SHARES)
        self.form = HandForm(book)
        self.tools = tools = ToolRow(self)
        self.back_button = tools.add_button("msc.arrow-left", "", self.tr("Back to the list of interventions"))
        self.add_button = tools.add_button(
            "msc.add", self.tr("Add"), self.tr("Change the tensor at hand once more"), shrink=4
        )
        self.remove_button = tools.add_button(
            "msc.trash", self.tr("Remove"), self.tr("Take the selected change away (Delete)"), shrink=6
        )
        self.undo_button = tools.add_button("msc.discard", "", self.tr("Undo (Ctrl+Z)"))
        self.redo_button = tools.add_button("msc.redo", "", self.tr("Redo (Ctrl+Shift+Z)"))
        self.index, self.value = index_field(), NumberField()
        tools.add(QLabel(self.tr("Element"), self), drop=5)
        tools.add(self.index)
        tools.add(QLabel("=", self), drop=5)
        tools.add(self.value)
        self.set_button = tools.add_button(
            "msc.edit", self.tr("Set"), self.tr("Give this one element the value"), shrink=3
        )
        self.title = tools.add_message()
        self.keep_button = tools.add_button(
            "msc.pin", self.tr("Make it permanent"), self.tr("Do the same in every step, as an intervention"), shrink=7
        )
        self._body = ListAndForm(self.view, self.form)
        self.splitter = self._body.splitter
        self._trouble = ""
        self._assemble()
        self._connect()
        self._update()

    def _assemble(self) -> None:
        unit = self.fontMetrics().averageCharWidth()
        self.index.line.setPlaceholderText("0, 3")
        for field, title in ((self.index, self.tr("Index of the element")), (self.value, self.tr("Its value"))):
            field.line.setAccessibleName(title)
            field.line.setToolTip(title)
            field.setFixedWidth(unit * _INDEX_CHARS + 16)
        self.value.line.setPlaceholderText("1.5")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(self.fontMetrics().height() // 4)
        rows.addWidget(self.tools)
        rows.addWidget(self._body, 1)

    def _connect(self) -> None:
        self.back_button.clicked.connect(self.back_requested)
        self.add_button.clicked.connect(self.add)
        self.remove_button.clicked.connect(self._remove)
        self.undo_button.clicked.connect(self._book.undo)
        self.redo_button.clicked.connect(self._book.redo)
        self.set_button.clicked.connect(self._set_element)
        self.index.line.returnPressed.connect(self._set_element)
        self.value.line.returnPressed.connect(self._set_element)
        self.keep_button.clicked.connect(self._keep)
        self.view.delete_pressed.connect(self._remove)
        self.view.activated.connect(self._start_editing)
        self.view.selectionModel().currentRowChanged.connect(self._show_row)
        self.model.modelReset.connect(self._select_last)
        self._book.changed.connect(self._update)
        self.form.told.connect(self._note_trouble)
        for keys, slot in (("Ctrl+Z", self._book.undo), ("Ctrl+Shift+Z", self._book.redo)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)

    @Slot()
    def add(self) -> None:
        """Begin one more change of the tensor at hand: one that does nothing yet."""
        if self._book.can_change:
            self._book.add(HandChange(self._book.refs[0], Scale(1.0)))
            self.form.focus_first()

    @Slot()
    def _update(self) -> None:
        changes, can_change = self._book.changes, self._book.can_change
        self._body.show_rows(has_any=bool(changes))
        at_hand = self._book.refs[0] if self._book.refs else None
        name = " ".join(filter(None, (at_hand.path, slot_label(at_hand)))) if at_hand is not None else ""
        text = self.tr("At hand: {tensor}. The changes are for this event alone.").format(tensor=name) if name else ""
        self.title.tell(self._trouble or text, is_trouble=bool(self._trouble))
        self._body.empty.setText(
            self.tr("Nothing is changed at this event. Set an element, or add a change of the whole tensor.")
            if can_change
            else self.tr("No step is stopped with a tensor at hand.")
        )
        for widget in (self.add_button, self.index, self.value, self.set_button):
            widget.setEnabled(can_change)
        self.remove_button.setEnabled(bool(changes))
        self.keep_button.setEnabled(bool(changes))
        self.undo_button.setEnabled(self._book.can_undo)
        self.redo_button.setEnabled(self._book.can_redo)

    @Slot(str)
    def _note_trouble(self, error: str) -> None:
        """Say above the list what is wrong in the form, which may be scrolled away from it."""
        self._trouble = error
        self._update()

    @Slot()
    def _set_element(self) -> None:
        """Change one element of the tensor at hand; what cannot be read is told at the field."""
        index, value = self._read_index(), self._read_value()
        if index is not None and value is not None and self._book.can_change:
            self._book.add(HandChange(self._book.refs[0], Constant(value), index))

    def _read_index(self) -> Index | None:
        try:
            parts = self.index.value()
            assert isinstance(parts, tuple)
            if any(isinstance(part, Span) for part in parts):
                raise ValueError(self.tr("An element is named by numbers alone."))
        except ValueError as error:
            self.index.tell(str(error))
            return None
        self.index.tell("")
        return Index(parts)

    def _read_value(self) -> float | None:
        try:
            value = self.value.value()
        except ValueError as error:
            self.value.tell(str(error))
            return None
        self.value.tell("")
        return value if isinstance(value, float) else None

    def _current(self) -> int:
        return self.view.currentIndex().row()

    @Slot()
    def _select_last(self) -> None:
        """Go to the change that was made last."""
        if self.model.rowCount():
            self.view.choose_row(self.model.rowCount() - 1)
        else:
            self.form.show_change(-1)

    @Slot(QModelIndex, QModelIndex)
    def _show_row(self, index: QModelIndex, _: QModelIndex) -> None:
        self._book.end_merging()
        self.form.show_change(index.row() if index.isValid() else -1)

    @Slot()
    def _start_editing(self) -> None:
        self.form.focus_first()

    @Slot()
    def _remove(self) -> None:
        if self._current() >= 0:
            self._book.remove(self._current())

    @Slot()
    def _keep(self) -> None:
        if self._current() >= 0:
            self.keep_requested.emit(self._book.changes[self._current()])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the form below the list where it is narrow."""
        super().resizeEvent(event)
        side_by_side(self.splitter, self.size())
