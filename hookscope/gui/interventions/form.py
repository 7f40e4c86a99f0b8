"""The form of one intervention, beside the list. What is refused is said at the field, and the former value stays."""

import msgspec
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.change_form import ChangeForm
from hookscope.gui.interventions.columns import FormColumns
from hookscope.gui.interventions.draft import Draft
from hookscope.gui.interventions.hand_book import offered_steps
from hookscope.gui.interventions.place_form import PlaceForm
from hookscope.gui.interventions.selection_form import SelectionForm
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Intervention

FORWARD = frozenset({TensorSlot.INPUT, TensorSlot.OUTPUT})


class InterventionForm(FormColumns):
    """Shows one intervention of the book, and puts every change of a field there at once.

    Args:
        bridge: The session.
        book: Where it is put.
        current: What the window is looking at.
        parent: Qt parent.

    Signals:
        told: What is wrong with the one that is shown (`str`); `""` when nothing is.
    """

    told = Signal(str)

    def __init__(
        self, bridge: SessionBridge, book: InterventionBook, current: Current, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._book = book
        self._current = current
        self._draft: Draft[Intervention] | None = None
        self.change, self.place, self.where = ChangeForm(self), PlaceForm(self), SelectionForm(self)
        self.add_column([(self.tr("Change"), self.change)])
        self.add_column([(self.tr("Tensor"), self.place), (self.tr("Elements"), self.where)])
        for part in (self.change, self.place, self.where):
            part.edited.connect(self._take)
        for kinds in (self.change, self.where):
            kinds.settled.connect(book.end_merging)
        book.changed.connect(self._follow)
        bridge.failure_raised.connect(self._hear_failure)

    @property
    def shown(self) -> int | None:
        """Id of the intervention that is shown; `None` when none is."""
        return self._draft.newest.id if self._draft is not None else None

    def show_intervention(self, id_: int | None) -> None:
        """Show an intervention of the book, or none."""
        intervention = self._book.find(id_) if id_ is not None else None
        if intervention is None:
            self._draft = None
            self._tell("")
        elif self._draft is None or self._listed(self._draft.newest) != intervention:
            self._fill(intervention)

    def candidate(self) -> Intervention:
        """Return the intervention as it is typed.

        Raises:
            ValueError: A field has no value; the message is for the person, and stands at the field.
        """
        assert self._draft is not None
        placed = self.place.placed(self._listed(self._draft.newest))
        errors: list[ValueError] = []
        for name, read in (("change", self.change.change), ("where", self.where.selection)):
            try:
                placed = msgspec.structs.replace(placed, **{name: read()})
            except ValueError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return placed

    def _listed(self, intervention: Intervention) -> Intervention:
        """Return it with what the list alone changes: the switch and the note."""
        listed = self._book.find(intervention.id)
        if listed is None:
            return intervention
        return msgspec.structs.replace(intervention, enabled=listed.enabled, note=listed.note)

    def focus_first(self) -> None:
        """Give the keyboard to the first field of the change."""
        self.change.select_first()

    def _fill(self, intervention: Intervention) -> None:
        self._draft = Draft(intervention)
        session, path = self._session, intervention.path
        records = session.records.of(path, intervention.operation)
        module = (
            next((module for module in session.tree.modules if module.path == path), None) if session.tree else None
        )
        parameters = tuple(parameter.name for parameter in module.parameters) if module is not None else ()
        self.place.show_place(intervention, records, parameters, session.records.calls(path))
        self.change.offer_sources(self._steps(), self._refs(path, intervention.operation))
        self.change.set_forward(is_forward=intervention.slot in FORWARD)
        self.change.set_change(intervention.change)
        self.where.set_selection(intervention.where)
        self._tell(self._book.error_of(intervention.id))

    def _steps(self) -> list[int]:
        return offered_steps(self._session)

    def _refs(self, path: str, operation: str) -> list[TensorRef]:
        refs = [record.ref for record in self._session.records.of(path, operation) if not record.instead]
        looked_at = self._current.ref
        return refs if looked_at is None or looked_at in refs else [*refs, looked_at]

    @Slot()
    def _take(self) -> None:
        """Put what is typed; as long as it cannot be read, the former value stays."""
        if self._draft is None:
            return
        self.change.set_forward(is_forward=self.place.chosen_slot in FORWARD)
        self._tell("")
        try:
            candidate = self.candidate()
        except ValueError as error:
            self.told.emit(str(error))
            return
        if candidate != self._listed(self._draft.newest):
            self._draft.propose(candidate)
            self._book.put(candidate, merge=True)

    @Slot()
    def _follow(self) -> None:
        """Show what somebody else has made of it, and what the debuggee says."""
        if self._draft is None:
            return
        intervention = self._book.find(self._draft.newest.id)
        if intervention is None:
            self.show_intervention(None)
        elif intervention == self._listed(self._draft.newest):
            error = self._book.error_of(intervention.id)
            if error:
                self._refuse(error)
        else:
            self._fill(intervention)

    @Slot(object)
    def _hear_failure(self, failure: Failure) -> None:
        if failure.kind is FailureKind.INTERVENTION_FAILED and failure.values.get("id") == str(self.shown):
            reason = failure.values.get("reason", "")
            self._refuse(reason or self.tr("It could not be applied."))

    def _refuse(self, error: str) -> None:
        """Say why it is refused; the fields keep what was typed, and the former value is in force again."""
        former = self._draft.refuse() if self._draft is not None else None
        self._tell(error)
        if former is not None:
            self._book.put(self._listed(former), merge=True)

    def _tell(self, error: str) -> None:
        self.change.tell(error)
        self.told.emit(error)
