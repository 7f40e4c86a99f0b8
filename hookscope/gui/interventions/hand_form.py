"""The form of one change by hand."""

import msgspec
from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from hookscope.figures.text import slot_label
from hookscope.gui.interventions.change_form import ChangeForm
from hookscope.gui.interventions.columns import FormColumns
from hookscope.gui.interventions.draft import Draft
from hookscope.gui.interventions.form import FORWARD
from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.interventions.selection_form import SelectionForm
from hookscope.protocol.interventions import HandChange


class HandForm(FormColumns):
    """Shows one change of the tensors at hand, and makes every change of a field at once.

    Args:
        book: Where it is put.
        parent: Qt parent.

    Signals:
        told: What is wrong with the one that is shown (`str`); `""` when nothing is.
    """

    told = Signal(str)

    def __init__(self, book: HandBook, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._number = -1
        self._draft: Draft[HandChange] | None = None
        self.ref = QComboBox(self)
        self.ref.setAccessibleName(self.tr("Tensor at hand"))
        self.change, self.where = ChangeForm(self), SelectionForm(self)
        self.add_column([(self.tr("Change"), self.change)])
        self.add_column([(self.tr("Tensor"), self.ref), (self.tr("Elements"), self.where)])
        self.ref.activated.connect(self._take)
        for part in (self.change, self.where):
            part.edited.connect(self._take)
            part.settled.connect(book.end_merging)
        book.answered.connect(self._hear)
        book.changed.connect(self._follow)

    def show_change(self, number: int) -> None:
        """Show a change of the book; -1 for none."""
        changes = self._book.changes
        if not 0 <= number < len(changes):
            self._number, self._draft = -1, None
            self._tell("")
        elif number != self._number or self._draft is None or self._draft.newest != changes[number]:
            self._number = number
            self._fill(changes[number])

    def focus_first(self) -> None:
        """Give the keyboard to the first field of the change."""
        self.change.select_first()

    def candidate(self) -> HandChange:
        """Return the change as it is typed.

        Raises:
            ValueError: A field has no value; the message is for the person, and stands at the field.
        """
        assert self._draft is not None
        ref = self.ref.currentData()
        errors: list[ValueError] = []
        made = msgspec.structs.replace(self._draft.newest, ref=ref)
        for name, read in (("change", self.change.change), ("where", self.where.selection)):
            try:
                made = msgspec.structs.replace(made, **{name: read()})
            except ValueError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return made

    def _fill(self, change: HandChange) -> None:
        self._draft = Draft(change)
        with QSignalBlocker(self.ref):
            self.ref.clear()
            for ref in dict.fromkeys((*self._book.refs, change.ref)):
                self.ref.addItem(" ".join(filter(None, (ref.path, slot_label(ref)))), ref)
            self.ref.setCurrentIndex(self.ref.findData(change.ref))
        self.change.offer_sources(self._book.steps, self._book.refs)
        self.change.set_forward(is_forward=change.ref.slot in FORWARD)
        self.change.set_change(change.change)
        self.where.set_selection(change.where)
        self._tell(self._book.error_of(self._number))

    @Slot()
    def _take(self) -> None:
        """Make what is typed; as long as it cannot be read, the former one stays."""
        if self._draft is None:
            return
        self._tell("")
        try:
            candidate = self.candidate()
        except ValueError as error:
            self.told.emit(str(error))
            return
        if candidate != self._draft.newest:
            self._draft.propose(candidate)
            self._book.put(self._number, candidate, merge=True)

    @Slot()
    def _follow(self) -> None:
        self.show_change(self._number)

    @Slot()
    def _hear(self) -> None:
        """Say why a change is refused; the fields keep what was typed, and the former one is made again."""
        error = self._book.error_of(self._number) if self._draft is not None else ""
        if not error or self._draft is None:
            return
        former = self._draft.refuse()
        self._tell(error)
        if former is not None:
            self._book.put(self._number, former, merge=True)

    def _tell(self, error: str) -> None:
        self.change.tell(error)
        self.told.emit(error)
