"""The list of interventions with the form of the selected one beside it."""

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.form import InterventionForm
from hookscope.gui.interventions.list_and_form import ListAndForm
from hookscope.gui.interventions.live import LiveTrials
from hookscope.gui.interventions.model import Column, InterventionModel
from hookscope.gui.interventions.tools import ToolRow, side_by_side
from hookscope.gui.interventions.view import ListView
from hookscope.gui.session_bridge import SessionBridge

_SHARES = (26, 36, 28, 10)
"""How the columns share the width."""


class ListPage(QWidget):
    """Lists interventions; the selected one is edited beside the list.

    Args:
        bridge: The session.
        book: The interventions.
        live: Whether edits are tried at once.
        current: What the window is looking at.
        parent: Qt parent.

    Signals:
        add_requested: A new intervention is wanted.
        prove_requested: All should be removed, and the model be proved to be back.
        at_hand_requested: The tensor at hand should be changed.
        save_requested: The list should be kept in a file.
        load_requested: Another list should be read from one.
        export_requested: A script that does the same should be written.
        sweep_requested: One number of an intervention should be varied; its id (`int`).
    """

    add_requested = Signal()
    prove_requested = Signal()
    at_hand_requested = Signal()
    save_requested = Signal()
    load_requested = Signal()
    export_requested = Signal()
    sweep_requested = Signal(int)

    def __init__(
        self, bridge: SessionBridge, book: InterventionBook, live: LiveTrials, current: Current, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._book = book
        self._live = live
        self._former: tuple[int | None, int] = (None, -1)
        self.model = InterventionModel(book, self)
        self.view = ListView(self.model, _SHARES)
        self.form = InterventionForm(bridge, book, current)
        self.tools = ToolRow(self)
        tools = self.tools
        self.add_button = tools.add_button(
            "msc.add", self.tr("Add"), self.tr("Change the tensor that you look at (Ctrl+I)"), shrink=4
        )
        self.remove_button = tools.add_button(
            "msc.trash", self.tr("Remove"), self.tr("Remove the selected ones (Delete)"), shrink=6
        )
        self.up_button = tools.add_button("msc.arrow-up", "", self.tr("Let it act earlier (Alt+Up)"), drop=2)
        self.down_button = tools.add_button("msc.arrow-down", "", self.tr("Let it act later (Alt+Down)"), drop=2)
        self.undo_button = tools.add_button("msc.discard", "", self.tr("Undo (Ctrl+Z)"))
        self.redo_button = tools.add_button("msc.redo", "", self.tr("Redo (Ctrl+Shift+Z)"))
        self.message = tools.add_message()
        self.at_hand_button = tools.add_button(
            "msc.pencil",
            self.tr("Change the tensor at hand…"),
            self.tr("Change the tensor at hand for this event alone (Ctrl+Shift+I)"),
            shrink=5,
        )
        self.live_box = QCheckBox(self.tr("Live"), self)
        self.live_box.setToolTip(self.tr("Run a trial step after every change; everything is put back after it"))
        tools.add(self.live_box)
        self.prove_button = tools.add_button(
            "msc.verified",
            self.tr("Remove all and prove"),
            self.tr("Remove every intervention, and compare a step bit for bit with one without any hook"),
            shrink=7,
        )
        self.more_button = tools.add_button("msc.ellipsis", "", self.tr("Save, load, export, sweep"))
        self.more_menu = self._make_menu()
        self._body = ListAndForm(self.view, self.form)
        self.splitter = self._body.splitter
        self._assemble()
        self._connect()
        self._update()

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for text, signal in (
            (self.tr("Save list…"), self.save_requested),
            (self.tr("Load list…"), self.load_requested),
            (self.tr("Export script…"), self.export_requested),
        ):
            menu.addAction(text).triggered.connect(signal)
        menu.addSeparator()
        self._sweep = menu.addAction(self.tr("Sweep…"))
        self._sweep.setToolTip(self.tr("Vary one number of the selected intervention, and plot what comes of it"))
        self.more_button.setMenu(menu)
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._edit_note = QAction(self.tr("Edit note"), self)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.view.addActions([self._edit_note, self._sweep])
        return menu

    def _assemble(self) -> None:
        self._body.empty.setText(
            self.tr("Nothing is changed. Right-click a module in the tree, or press Ctrl+I for the tensor you look at.")
        )
        self.live_box.setChecked(self._live.is_on)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(self.fontMetrics().height() // 4)
        rows.addWidget(self.tools)
        rows.addWidget(self._body, 1)

    def _connect(self) -> None:
        self.add_button.clicked.connect(self.add_requested)
        self.prove_button.clicked.connect(self.prove_requested)
        self.at_hand_button.clicked.connect(self.at_hand_requested)
        self.remove_button.clicked.connect(self._remove)
        self.up_button.clicked.connect(self._move_up)
        self.down_button.clicked.connect(self._move_down)
        self.undo_button.clicked.connect(self._book.undo)
        self.redo_button.clicked.connect(self._book.redo)
        self.live_box.toggled.connect(self._live.set_on)
        self._live.switched.connect(self.live_box.setChecked)
        self._sweep.triggered.connect(self._ask_sweep)
        self._edit_note.triggered.connect(self._start_note)
        self.view.delete_pressed.connect(self._remove)
        self.view.move_pressed.connect(self._move)
        self.view.activated.connect(self._start_editing)
        self.view.selectionModel().currentRowChanged.connect(self._show_row)
        self.view.selectionModel().selectionChanged.connect(self._update)
        self.model.modelAboutToBeReset.connect(self._note_selected)
        self.model.modelReset.connect(self._reselect)
        self._book.changed.connect(self._update)
        self.form.told.connect(self._tell_trouble)
        for keys, slot in (("Ctrl+Z", self._book.undo), ("Ctrl+Shift+Z", self._book.redo)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)

    def selected(self) -> list[int]:
        """Return the ids of the selected interventions."""
        rows = self.view.selectionModel().selectedRows()
        return [self.model.row_at(index.row()).id for index in rows]

    def select(self, id_: int) -> None:
        """Select an intervention, and show its form."""
        row = self.model.row_of(id_)
        if row >= 0:
            self.view.choose_row(row)

    def edit(self, id_: int) -> None:
        """Select an intervention, and give the keyboard to its form."""
        self.select(id_)
        self.form.focus_first()

    @Slot()
    def _update(self) -> None:
        has_any, chosen = bool(self._book.interventions), self.selected()
        self._body.show_rows(has_any=has_any)
        row = self.model.row_of(chosen[0]) if len(chosen) == 1 else -1
        self.remove_button.setEnabled(bool(chosen))
        self.up_button.setEnabled(row > 0)
        self.down_button.setEnabled(0 <= row < len(self._book.interventions) - 1)
        self.undo_button.setEnabled(self._book.can_undo)
        self.redo_button.setEnabled(self._book.can_redo)
        self.prove_button.setEnabled(self._session.tree is not None)
        self._sweep.setEnabled(row >= 0)

    @Slot(str)
    def _tell_trouble(self, error: str) -> None:
        """Say above the list what is wrong in the form, which may be scrolled away from it."""
        if error or self.message.is_trouble:
            self.message.tell(error, is_trouble=bool(error))

    @Slot()
    def _note_selected(self) -> None:
        self._former = self.form.shown, self.view.currentIndex().row()

    @Slot()
    def _reselect(self) -> None:
        """Stay at the same intervention, or at the one that has come in its place."""
        id_, row = self._former
        found = self.model.row_of(id_) if id_ is not None else -1
        row = found if found >= 0 else min(max(row, 0), self.model.rowCount() - 1)
        if row >= 0:
            self.view.choose_row(row)
        else:
            self.form.show_intervention(None)
            self.form.hide()

    @Slot(QModelIndex, QModelIndex)
    def _show_row(self, index: QModelIndex, _: QModelIndex) -> None:
        shown = self.model.row_at(index.row()).id if index.isValid() else None
        self._book.end_merging()
        self.form.show_intervention(shown)
        self.form.setVisible(shown is not None)

    @Slot(QModelIndex)
    def _start_editing(self, index: QModelIndex) -> None:
        if index.column() == Column.NOTE:
            self.view.edit(index)
        else:
            self.edit(self.model.row_at(index.row()).id)

    @Slot()
    def _start_note(self) -> None:
        if self.view.currentIndex().isValid():
            self.view.edit(self.view.currentIndex().siblingAtColumn(Column.NOTE))

    @Slot()
    def _remove(self) -> None:
        self._book.remove(self.selected())

    @Slot()
    def _move_up(self) -> None:
        self._move(-1)

    @Slot()
    def _move_down(self) -> None:
        self._move(1)

    @Slot(int)
    def _move(self, offset: int) -> None:
        chosen = self.selected()
        if len(chosen) == 1:
            self._book.move(chosen[0], offset)

    @Slot()
    def _ask_sweep(self) -> None:
        for id_ in self.selected()[:1]:
            self.sweep_requested.emit(id_)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the form below the list where it is narrow."""
        super().resizeEvent(event)
        side_by_side(self.splitter, self.size())
