"""The interventions of a session as the window sees them: listed, edited, undone, and told what came of them."""

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Signal

from hookscope.client.intervention_list import InterventionList
from hookscope.client.state import ALLOWED
from hookscope.figures.intervention_words import ToldText, word_change, word_place, word_status
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.interventions import Intervention


class InterventionBook(QObject):
    """Changes the list of interventions for every part of the window, and says so.

    Signals:
        listed: The list is another one.
        changed: The same, or the debuggee has said something of it.
        edited: A person has changed what is done to the model.
        checked: A module or operation was checked (`str`, its name) because a person changes something of it.
    """

    listed = Signal()
    changed = Signal()
    edited = Signal()
    checked = Signal(str)

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._list = InterventionList(bridge.session)
        for signal in (bridge.interventions_changed, bridge.model_loaded, bridge.step_finished):
            signal.connect(self.changed)

    @property
    def interventions(self) -> tuple[Intervention, ...]:
        """All of them, in the order in which they act."""
        return self._list.entries

    @property
    def can_undo(self) -> bool:
        """Whether a change of the list can be taken back."""
        return self._list.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether what was taken back can be done again."""
        return self._list.can_redo

    def find(self, id_: int) -> Intervention | None:
        """Return the intervention of an id."""
        return self._list.get(id_)

    def error_of(self, id_: int) -> str:
        """Return why the debuggee refuses an intervention; `""` when it does not."""
        return self._session.intervention_errors.get(id_, "")

    def status_of(self, intervention: Intervention) -> ToldText:
        """Say how an intervention fared in the newest step."""
        status = self._session.intervention_statuses.get(intervention.id)
        return word_status(status, self.error_of(intervention.id), _translate)

    def words_of(self, intervention: Intervention) -> str:
        """Say what an intervention does."""
        return word_change(intervention.change, _translate)

    def place_of(self, intervention: Intervention) -> str:
        """Say where an intervention acts."""
        tree = self._session.tree
        root = tree.modules[0].name if tree is not None and tree.modules else self.tr("the root")
        return word_place(intervention, root, _translate)

    def add(self, intervention: Intervention) -> Intervention:
        """Put a new intervention at the end, under an id of its own, and check what it changes; return it."""
        added = msgspec.structs.replace(intervention, id=self._session.next_intervention_id())
        checked = self._check(added)  # first, so that a trial captures it
        self.put(added)
        if checked:
            self.checked.emit(checked)
        return added

    def put(self, intervention: Intervention, *, merge: bool = False) -> None:
        """Put an intervention in the place of the one with its id; see `InterventionList.put`."""
        self._list.put(intervention, merge=merge)
        self._tell()

    def annotate(self, id_: int, note: str) -> None:
        """Keep a person's words with an intervention; nothing is tried."""
        intervention = self.find(id_)
        if intervention is not None:
            self._list.put(msgspec.structs.replace(intervention, note=note))
            self._tell_listed()

    def end_merging(self) -> None:
        """Let the next put be an undo step of its own."""
        self._list.end_merging()

    def remove(self, ids: Iterable[int]) -> None:
        """Take some away."""
        self._list.remove(ids)
        self._tell()

    def enable(self, ids: Iterable[int], *, enabled: bool) -> None:
        """Switch some on or off."""
        self._list.enable(ids, enabled=enabled)
        self._tell()

    def move(self, id_: int, offset: int) -> None:
        """Let one act earlier or later."""
        self._list.move(id_, offset)
        self._tell()

    def clear(self) -> None:
        """Take all away; nothing is tried."""
        self._list.clear()
        self._tell_listed()

    def undo(self) -> None:
        """Take the newest change of the list back."""
        self._list.undo()
        self._tell()

    def redo(self) -> None:
        """Do again what was taken back."""
        self._list.redo()
        self._tell()

    def to_json(self) -> str:
        """Return the list as a text."""
        return self._list.to_json()

    def load_json(self, text: str) -> None:
        """Let the list be another one, which can be undone.

        Raises:
            ValueError: The text is no list; the former one stays.
        """
        self._list.load_json(text)
        for intervention in self.interventions:
            self._check(intervention)
        self._tell()

    def start_over(self, text: str) -> None:
        """Begin with what was kept for another model, without anything to be undone; what cannot be read is nothing."""
        self._list.clear()
        if text:
            try:
                self._list.load_json(text)
            except ValueError:
                self._list.clear()
        self._list = InterventionList(self._session)
        for intervention in self.interventions:
            self._check(intervention)
        self._tell_listed()

    def _check(self, intervention: Intervention) -> str:
        """Capture what is changed, or there is no before and after to be seen; return the name of what was not."""
        session, path = self._session, intervention.path
        if session.tree is None or session.state not in ALLOWED["check"]:
            return ""
        if intervention.operation:
            name, _, number = intervention.operation.rpartition(":")
            ref = OperationRef(path, name, int(number) if number.isdecimal() else 0)
            if ref not in session.checked_operations:
                session.check_operations((*session.checked_operations, ref))
                return intervention.operation
        elif path not in session.checked and any(module.path == path for module in session.tree.modules):
            session.check((*session.checked, path))
            return path or session.tree.modules[0].name
        return ""

    def _tell(self) -> None:
        self._tell_listed()
        self.edited.emit()

    def _tell_listed(self) -> None:
        self.listed.emit()
        self.changed.emit()


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
