"""Asks for the small pictures of the strip, one after the other, so that they cost little beside the panels."""

import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.client.state import SessionState
from hookscope.gui.panels.answer_desk import AnswerDesk
from hookscope.gui.panels.feed import ASKABLE, is_seen
from hookscope.gui.trials.comparison import Aim
from hookscope.protocol.events import ViewReady

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.views import ViewRequest

NAME = "strip"
"""What the requests are called by; no panel is called so."""

_SAME_AGAIN_S = 0.25
"""A picture is not asked for again sooner."""
_GAP_RUNNING_S = 0.08
"""Between two questions while a step runs."""
MOST_KEPT = 96
"""Answers, and pictures drawn of them."""


@dataclass(frozen=True)
class Wish:
    """A small picture that is wanted.

    Attributes:
        ref: The tensor.
        request: The view.
        aim: Of which step.
        record: Step and order of the newest record, where the newest step is looked at; another one makes another wish.
    """

    ref: "TensorRef"
    request: "ViewRequest"
    aim: Aim
    record: tuple[int, int] | None


class ThumbnailQueue(QObject):
    """At most one question is out; nothing is asked while the strip is not seen. Answers are kept for a while.

    Args:
        bridge: The session.
        seen: The strip.

    Signals:
        arrived: There is an answer for a tensor (`TensorRef`), see `answer`.
    """

    arrived = Signal(object)

    def __init__(self, bridge: "SessionBridge", seen: QWidget) -> None:
        super().__init__(seen)
        self._bridge = bridge
        self._seen = seen
        self._wishes: tuple[Wish, ...] = ()
        self._answers: OrderedDict[TensorRef, tuple[Wish, ViewReady]] = OrderedDict()
        self._asked_at: dict[TensorRef, float] = {}
        self._outstanding: Wish | None = None
        self._asked_again: Wish | None = None
        self._number = 0
        self._may_ask_at = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.pump)
        AnswerDesk.of(bridge).register(NAME, self._take)
        bridge.state_changed.connect(self._note_state)
        bridge.model_loaded.connect(self._forget)

    @property
    def is_waiting(self) -> bool:
        """Whether the strip is seen and a picture of it is not the newest that can be had."""
        return self._is_active() and (self._outstanding is not None or bool(self._open_wishes()))

    def answer(self, wish: Wish) -> ViewReady | None:
        """Return the newest answer for the same view of the same tensor in the same aim, old or not."""
        kept = self._answers.get(wish.ref)
        if kept is None or (kept[0].request, kept[0].aim) != (wish.request, wish.aim):
            return None
        return kept[1]

    def want(self, wishes: Iterable[Wish]) -> None:
        """Say which pictures are wanted from now on."""
        self._wishes = tuple(wishes)
        self.pump()

    def pump_soon(self) -> None:
        """Ask when the event loop comes round: what was just shown is not seen before."""
        self._timer.start(0)

    @Slot()
    def pump(self) -> None:
        """Ask for what was asked for longest ago, if it is time."""
        if self._outstanding is not None or not self._is_active():
            return
        wishes = self._open_wishes()
        if not wishes:
            return
        wish = min(wishes, key=self._may_be_asked_at)
        wait_s = max(self._may_be_asked_at(wish), self._may_ask_at) - time.monotonic()
        if wait_s > 0:
            self._timer.start(round(wait_s * 1000) + 1)
            return
        now = time.monotonic()
        self._number += 1
        self._outstanding = wish
        self._asked_at[wish.ref] = now
        is_running = self._bridge.session.state is SessionState.RUNNING
        self._may_ask_at = now + (_GAP_RUNNING_S if is_running else 0.0)
        aim = wish.aim
        self._bridge.session.request_view(NAME, self._number, wish.ref, wish.request, aim.step, aim.minus)

    def _open_wishes(self) -> list[Wish]:
        return [wish for wish in self._wishes if self._answers.get(wish.ref, (None,))[0] != wish]

    def _may_be_asked_at(self, wish: Wish) -> float:
        kept = self._answers.get(wish.ref)
        is_renewal = kept is not None and (kept[0].request, kept[0].aim) == (wish.request, wish.aim)
        return self._asked_at.get(wish.ref, 0.0) + _SAME_AGAIN_S if is_renewal else 0.0

    def _is_active(self) -> bool:
        session = self._bridge.session
        return session.state in ASKABLE and not session.are_records_former and is_seen(self._seen)

    def _take(self, answer: ViewReady) -> None:
        wish = self._outstanding
        if wish is None or answer.number != self._number:
            return
        self._outstanding = None
        # While a step runs, the answer may still be of the step before: it is asked for once more.
        is_behind = wish.record is not None and 0 < answer.step < wish.record[0] and wish != self._asked_again
        self._asked_again = wish if is_behind else None
        self._answers[wish.ref] = (replace(wish, record=(answer.step, 0)) if is_behind else wish), answer
        self._answers.move_to_end(wish.ref)
        while len(self._answers) > MOST_KEPT:
            self._asked_at.pop(self._answers.popitem(last=False)[0], None)
        self.arrived.emit(wish.ref)
        self.pump()

    @Slot()
    def _note_state(self) -> None:
        if self._bridge.session.state not in ASKABLE:
            self._outstanding = None  # whoever owed an answer is gone
        self.pump()

    @Slot()
    def _forget(self) -> None:
        self._answers.clear()
        self._asked_at.clear()
        self._outstanding = None
