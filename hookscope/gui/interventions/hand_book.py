"""The changes by hand of the tensors at hand, for the event alone at which a step is stopped."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from hookscope.client.state import ALLOWED
from hookscope.figures.intervention_words import word_change, word_hand_place
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import HandChange, Intervention

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession

_OFFERED_STEPS = 50


def offered_steps(session: "DebugSession") -> list[int]:
    """Return the steps that values can be taken from, the newest first; the two of a trial are no such steps."""
    return [finished.step for finished in reversed(session.history) if not finished.is_trial][:_OFFERED_STEPS]


class HandBook(QObject):
    """Sends the whole set each time; it can be undone until the step goes on.

    Signals:
        changed: The set, the tensors at hand, or what came of the changes is another one.
        answered: The debuggee has said what came of them.
    """

    changed = Signal()
    answered = Signal()

    def __init__(self, bridge: SessionBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._undo: list[tuple[HandChange, ...]] = []
        self._redo: list[tuple[HandChange, ...]] = []
        self._is_merging = False
        self._is_answered = False
        for signal in (bridge.stopped, bridge.continued):
            signal.connect(self._start_over)
        for signal in (bridge.state_changed, bridge.records_changed):
            signal.connect(self.changed)
        bridge.at_hand_changed.connect(self._hear)

    @property
    def can_change(self) -> bool:
        """Whether a step is stopped with a tensor at hand."""
        return bool(self.refs) and self._session.state in ALLOWED["change_at_hand"]

    @property
    def refs(self) -> tuple[TensorRef, ...]:
        """The tensors at hand, the event's own first."""
        stopped = self._session.stopped
        if stopped is None or stopped.ref is None:
            return ()
        at_hand = stopped.ref
        records = self._session.records.of(at_hand.path, at_hand.operation)
        beside = [
            record.ref
            for record in records
            if (record.ref.slot, record.ref.call, record.step) == (at_hand.slot, at_hand.call, stopped.step)
            and not record.instead
        ]
        return tuple(dict.fromkeys((at_hand, *beside)))

    @property
    def changes(self) -> tuple[HandChange, ...]:
        """What was changed, in the order in which it is done."""
        return self._session.hand_changes

    @property
    def steps(self) -> list[int]:
        """The steps that values can be taken from, the newest first."""
        return offered_steps(self._session)

    @property
    def can_undo(self) -> bool:
        """Whether a change of the set can be taken back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether what was taken back can be done again."""
        return bool(self._redo)

    def error_of(self, number: int) -> str:
        """Return why a change was not made; `""` when it was, or when that is not known yet."""
        at_hand = self._session.at_hand
        errors = at_hand.errors if at_hand is not None and self._is_answered else ()
        return errors[number] if number < len(errors) else ""

    def words_of(self, change: HandChange) -> str:
        """Say what a change does."""
        return word_change(change.change, _translate)

    def place_of(self, change: HandChange) -> str:
        """Say which part of which tensor it changes."""
        return word_hand_place(change, _translate)

    def add(self, change: HandChange) -> None:
        """Make one more change."""
        self._change((*self.changes, change))

    def put(self, number: int, change: HandChange, *, merge: bool = False) -> None:
        """Make another change in the place of one; with `merge`, one undo takes both back."""
        changes = tuple(change if other == number else kept for other, kept in enumerate(self.changes))
        self._change(changes, merge=merge)

    def end_merging(self) -> None:
        """Let the next put be an undo step of its own."""
        self._is_merging = False

    def remove(self, number: int) -> None:
        """Take one away."""
        self._change(tuple(kept for other, kept in enumerate(self.changes) if other != number))

    def undo(self) -> None:
        """Take the newest change of the set back."""
        if self._undo:
            self._redo.append(self.changes)
            self._send(self._undo.pop())

    def redo(self) -> None:
        """Do again what was taken back."""
        if self._redo:
            self._undo.append(self.changes)
            self._send(self._redo.pop())

    def as_intervention(self, change: HandChange) -> Intervention:
        """Return an intervention that does the same in every step."""
        ref = change.ref
        is_repeated = self._session.records.calls(ref.path) > 1 or ref.call > 0
        call = ref.call if is_repeated else None
        return Intervention(0, ref.path, ref.slot, change.change, ref.leaf, call, ref.operation, change.where)

    def _change(self, changes: tuple[HandChange, ...], *, merge: bool = False) -> None:
        if changes == self.changes or not self.can_change:
            return
        if not (merge and self._is_merging):
            self._undo.append(self.changes)
        self._redo.clear()
        self._send(changes)
        self._is_merging = merge

    def _send(self, changes: tuple[HandChange, ...]) -> None:
        self._is_merging = self._is_answered = False
        self._session.change_at_hand(changes)
        self.changed.emit()

    @Slot()
    def _hear(self) -> None:
        self._is_answered = True
        self.changed.emit()
        self.answered.emit()

    @Slot()
    def _start_over(self) -> None:
        self._undo.clear()
        self._redo.clear()
        self._is_merging = False
        self.changed.emit()


def _translate(english: str) -> str:
    return QCoreApplication.translate("interventions", english)
