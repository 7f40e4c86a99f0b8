"""A question about a tensor that takes long: how far the answer is, and giving it up."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from hookscope.gui.panels.answer_desk import AnswerDesk
from hookscope.gui.panels.feed import ASKABLE
from hookscope.gui.trials.comparison import NEWEST, Aim
from hookscope.protocol.events import ViewProgress, ViewReady

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.views import ViewRequest

_SUFFIX = "/long"


class LongQuestion(QObject):
    """Asks one question at a time; a question about a tensor that is not looked at any more is given up.

    Args:
        bridge: The session.
        name: Name of the panel.
        parent: Qt parent.

    Signals:
        progressed: How many elements were looked at, and of how many (`int`, `int`).
        answered: The answer, as `ViewReady`.
        given_up: There will be no answer.
    """

    progressed = Signal(object, object)  # of more elements than an int of Qt holds
    answered = Signal(object)
    given_up = Signal()

    def __init__(self, bridge: "SessionBridge", name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._name = name + _SUFFIX
        self._number = 0
        self._ref: TensorRef | None = None
        self._aim = NEWEST
        self._is_asking = False
        AnswerDesk.of(bridge).register(self._name, self._take)
        bridge.view_progress.connect(self._follow)
        bridge.state_changed.connect(self._note_state)
        bridge.model_loaded.connect(self._forget)

    @property
    def is_asking(self) -> bool:
        """Whether an answer is still to come."""
        return self._is_asking

    def look_at(self, ref: "TensorRef | None", aim: Aim) -> None:
        """Say which values are shown; the question is about these."""
        if (ref, aim) != (self._ref, self._aim):
            self.give_up()
            self._ref, self._aim = ref, aim

    def ask(self, request: "ViewRequest", step: int) -> None:
        """Ask about what is shown, as it is in a step; 0 where it belongs to none. A former question is given up."""
        self.give_up()
        if self._ref is not None and self._bridge.session.state in ASKABLE:
            self._is_asking = True
            self._number += 1
            self._bridge.session.request_view(
                self._name, self._number, self._ref, request, step or None, self._aim.minus
            )

    def give_up(self) -> None:
        """Do not wait for an answer any longer."""
        if self._is_asking:
            self._bridge.session.cancel_view(self._name, self._number)
            self._forget()

    def _take(self, answer: ViewReady) -> None:
        if self._is_mine(answer):
            self._is_asking = False
            self.answered.emit(answer)

    @Slot(object)
    def _follow(self, progress: ViewProgress) -> None:
        if self._is_mine(progress):
            self.progressed.emit(progress.done, progress.total)

    def _is_mine(self, news: ViewReady | ViewProgress) -> bool:
        return self._is_asking and (news.panel, news.number) == (self._name, self._number)

    @Slot()
    def _note_state(self) -> None:
        if self._bridge.session.state not in ASKABLE:
            self._forget()

    @Slot()
    def _forget(self) -> None:
        if self._is_asking:
            self._is_asking = False
            self.given_up.emit()
