"""Small questions of a panel beside its picture: an exact value, where the largest one is, the counts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from hookscope.gui.panels.answer_desk import AnswerDesk
from hookscope.gui.panels.feed import ASKABLE
from hookscope.gui.trials.comparison import NEWEST, Aim
from hookscope.protocol.events import ViewReady

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.views import ViewRequest

_SUFFIX = "/aside"


@dataclass(frozen=True)
class _Question:
    request: "ViewRequest"
    receiver: Callable[[ViewReady], None]
    ref: "TensorRef"
    aim: Aim


class SideQuestions(QObject):
    """Asks one question at a time. Of those that wait, only the newest of each receiver is kept.

    A question about a tensor that is not looked at any more is dropped, and so is its answer.

    Args:
        bridge: The session.
        name: Name of the panel.
        parent: Qt parent.
    """

    def __init__(self, bridge: "SessionBridge", name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._name = name + _SUFFIX
        self._number = 0
        self._ref: TensorRef | None = None
        self._aim = NEWEST
        self._waiting: dict[Callable[[ViewReady], None], _Question] = {}
        self._outstanding: _Question | None = None
        AnswerDesk.of(bridge).register(self._name, self._take)
        bridge.state_changed.connect(self._note_state)
        bridge.model_loaded.connect(self._forget)

    def look_at(self, ref: "TensorRef | None", aim: Aim) -> None:
        """Say which values the panel shows; questions are about these."""
        if (ref, aim) != (self._ref, self._aim):
            self._ref, self._aim = ref, aim
            self._waiting.clear()

    def ask(self, request: "ViewRequest", receiver: Callable[[ViewReady], None]) -> None:
        """Ask something about what the panel shows; the receiver is called once with the answer, or never."""
        if self._ref is None:
            return
        self._waiting[receiver] = _Question(request, receiver, self._ref, self._aim)
        self._pump()

    def _pump(self) -> None:
        if self._outstanding is not None or not self._waiting or self._bridge.session.state not in ASKABLE:
            return
        receiver = next(iter(self._waiting))
        question = self._outstanding = self._waiting.pop(receiver)
        self._number += 1
        aim = question.aim
        self._bridge.session.request_view(self._name, self._number, question.ref, question.request, aim.step, aim.minus)

    def _take(self, answer: ViewReady) -> None:
        question = self._outstanding
        if question is None or answer.number != self._number:
            return
        self._outstanding = None
        if (question.ref, question.aim) == (self._ref, self._aim):
            question.receiver(answer)
        self._pump()

    @Slot()
    def _note_state(self) -> None:
        if self._bridge.session.state not in ASKABLE:
            self._forget()

    @Slot()
    def _forget(self) -> None:
        self._waiting.clear()
        self._outstanding = None
