"""The pull side of a panel: asks for views while the panel is seen, and never for more than one at a time."""

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.client.state import SessionState
from hookscope.gui.panels.answer_desk import AnswerDesk
from hookscope.gui.panels.pacer import Pacer
from hookscope.gui.trials.comparison import NEWEST, Aim
from hookscope.protocol.events import StepFinished, ViewReady

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.tensors import Record
    from hookscope.protocol.views import ViewRequest

ASKABLE = frozenset({SessionState.IDLE, SessionState.RUNNING, SessionState.STOPPING, SessionState.STOPPED})
"""States in which the debuggee answers requests for views."""

MIN_INTERVAL_S = 1 / 30

_PAST = -1
"""Stands for the place within its step of what is asked for by its step."""

_Wanted = tuple["TensorRef", "ViewRequest", int, int, int | None]
"""Tensor, view, step, place within the step, and the step that is subtracted."""


class ViewFeed(QObject):
    """Keeps one widget supplied with the newest view of one tensor.

    At most one request is outstanding. What happens in the meantime only changes what is wanted, so that nothing queues
    up and the newest wins. Nothing is asked for while the widget is not seen, nor more often than 30 times a second.

    Signals:
        arrived: A wanted answer, as `ViewReady`. Answers with another number, for another ref or of another kind of
            view are dropped.
    """

    arrived = Signal(object)

    def __init__(self, bridge: "SessionBridge", name: str, seen: QWidget) -> None:
        super().__init__(seen)
        self._bridge = bridge
        self._name = name
        self._seen = seen
        self._ref: TensorRef | None = None
        self._request: ViewRequest | None = None
        self._aim = NEWEST
        self._number = 0
        self._outstanding: tuple[int, ViewRequest, Aim] | None = None
        self._asked: _Wanted | None = None
        self._asked_again: _Wanted | None = None
        self._is_behind = False
        self._may_ask_at = 0.0
        self._askable = bridge.session.state in ASKABLE
        self._answer: ViewReady | None = None
        self._pacer = Pacer.of(bridge)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.pump)
        AnswerDesk.of(bridge).register(name, self._take)
        bridge.records_changed.connect(self._note_records)
        bridge.step_finished.connect(self._note_step)
        bridge.state_changed.connect(self._note_state)
        bridge.model_loaded.connect(self._forget)

    @property
    def is_waiting(self) -> bool:
        """Whether the widget is seen and its picture is not the newest that can be had."""
        return self._is_active() and (self._outstanding is not None or self._wanted() not in {None, self._asked})

    def watch(self, ref: "TensorRef | None", request: "ViewRequest | None", aim: Aim = NEWEST) -> None:
        """Say what is wanted from now on; `None` wants nothing, and lets go of what was shown.

        Args:
            ref: The tensor.
            request: The view of it.
            aim: Of which step, whether it is recorded or not; by default of the newest, once it is recorded.
        """
        self._ref, self._request, self._aim = ref, request, aim
        if ref is None:
            self._asked = None
        self.pump()

    @Slot()
    def pump(self) -> None:
        """Ask, if something newer is wanted and nothing is outstanding; call it when the widget comes into sight."""
        if self._outstanding is not None or not self._is_active():
            return
        wanted = self._wanted()
        if wanted is None or wanted == self._asked:
            return
        pause_s = self._may_ask_at - time.monotonic()
        if pause_s > 0:
            if not self._timer.isActive():
                self._timer.start(round(pause_s * 1000) + 1)
            return
        self._number += 1
        ref, request, *_ = wanted
        self._outstanding, self._asked = (self._number, request, self._aim), wanted
        self._may_ask_at = time.monotonic() + MIN_INTERVAL_S
        aim = self._aim
        self._bridge.session.request_view(self._name, self._number, ref, request, aim.step, aim.minus)

    def _wanted(self) -> _Wanted | None:
        if self._ref is None or self._request is None:
            return None
        if self._aim.step is not None:
            return self._ref, self._request, self._aim.step, _PAST, self._aim.minus
        record = self._record()
        if record is None or record.spec is None:
            return None
        return self._ref, self._request, record.step, record.order, None

    def _record(self) -> "Record | None":
        return None if self._ref is None else self._bridge.session.records.get(self._ref)

    @property
    def can_ask(self) -> bool:
        """Whether what is recorded can still be looked at: its debuggee is there."""
        # The state is read here too: what is told of one drain after the other may be behind it.
        session = self._bridge.session
        return self._askable and session.state in ASKABLE and not session.are_records_former

    def _is_active(self) -> bool:
        return self.can_ask and is_seen(self._seen)

    def _take(self, answer: ViewReady) -> None:
        if self._outstanding is None or answer.number != self._outstanding[0]:
            return
        self._answer = answer
        self._pacer.ask_turn(self._name, self._draw)

    def _draw(self, _name: str) -> None:
        if self._answer is None or self._outstanding is None:
            return
        answer, (_, request, aim) = self._answer, self._outstanding
        self._answer = self._outstanding = None
        # While a person moves through steps, those on the way are shown; one without values says nothing of the others.
        # A difference is no value on the way to another one, nor the other way round.
        is_on_the_way = answer.spec is not None and aim.is_difference is self._aim.is_difference
        is_of_step = aim == self._aim or is_on_the_way
        if answer.ref == self._ref and type(request) is type(self._request) and is_of_step:
            self.arrived.emit(answer)
            self._note_age(answer)
        else:
            self._asked = None  # what is dropped was never shown
        self.pump()

    def _note_age(self, answer: ViewReady) -> None:
        # While a step runs, the answer may still be of the step before: ask again when the step has ended. When it had
        # ended before the answer came, ask again once; a capture that is gone for good is not asked for for ever.
        record = self._record() if self._aim.step is None else None
        self._is_behind = record is not None and 0 < answer.step < record.step
        if self._is_behind and self._bridge.session.state is SessionState.IDLE and self._asked_again != self._asked:
            self._asked_again = self._asked
            self._ask_anew()

    def _ask_anew(self) -> None:
        self._is_behind = False
        self._asked = None

    @Slot(object)
    def _note_records(self, paths: frozenset[str]) -> None:
        if self._ref is not None and self._ref.path in paths:
            self.pump()

    @Slot(object)
    def _note_step(self, _step: StepFinished) -> None:
        if self._is_behind:
            self._ask_anew()
            self.pump()

    @Slot()
    def _note_state(self) -> None:
        askable = self._bridge.session.state in ASKABLE
        if askable != self._askable:  # the debuggee that owed an answer is gone, or another one took its place
            self._askable = askable
            self._forget()
        elif self._is_behind and self._bridge.session.state is SessionState.IDLE:
            self._ask_anew()
            self.pump()

    @Slot()
    def _forget(self) -> None:
        self._askable = self._bridge.session.state in ASKABLE
        self._outstanding = self._answer = None
        self._asked = self._asked_again = None
        self._is_behind = False
        self.pump()


def is_seen(widget: QWidget) -> bool:
    """Whether a person can see the widget: shown, not behind a tab, its window not minimised."""
    return widget.isVisible() and not widget.window().isMinimized() and not widget.visibleRegion().isEmpty()
