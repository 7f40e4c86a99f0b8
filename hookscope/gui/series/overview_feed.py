"""Keeps the list of layers supplied: asks for an overview after each step and at each stop, while it is seen."""

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.current import Current
from hookscope.gui.panels.feed import is_seen
from hookscope.gui.panels.target import unfinished_step
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.comparison import CompareMode
from hookscope.protocol.events import OverviewReady

_INTERVAL_MS = 100
"""Asked for at most 10 times a second: each look at all values of all checked modules takes the debuggee some time."""


class OverviewFeed(QObject):
    """Asks for what the window looks at: the newest step, one that was gone back to, or one of a trial.

    Of a step that is stopped, or that came to no end, what there was of it.

    Args:
        bridge: The session.
        current: What the window is looking at.
        seen: The widget that shows the answers.

    Signals:
        arrived: An answer (`OverviewReady`).
    """

    arrived = Signal(object)

    def __init__(self, bridge: SessionBridge, current: Current, seen: QWidget) -> None:
        super().__init__(seen)
        self._session = bridge.session
        self._current = current
        self._seen = seen
        self._is_stale = True
        self._is_outstanding = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_INTERVAL_MS)
        self._pause.timeout.connect(self.pump)
        bridge.step_finished.connect(self._note_step)
        bridge.model_loaded.connect(self._start_over)
        bridge.state_changed.connect(self._note_state)
        bridge.overview_arrived.connect(self._take)
        current.changed.connect(self._note_current)
        current.comparison.changed.connect(self._note_current)
        self._asked_step: int | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the widget is seen and does not show the newest that can be had."""
        return self._can_ask() and (self._is_stale or self._is_outstanding)

    @Slot()
    def pump(self) -> None:
        """Ask, if there is something newer and nothing is outstanding; call it when the widget comes into sight."""
        if not self._is_stale or self._is_outstanding or self._pause.isActive() or not self._can_ask():
            return
        self._is_stale, self._is_outstanding = False, True
        self._asked_step = self._wanted()
        self._pause.start()
        self._session.request_overview(self._asked_step)

    def _can_ask(self) -> bool:
        is_there = self._session.state in ALLOWED["request_overview"] - ALLOWED["cancel"]
        return is_there and not self._session.are_records_former and is_seen(self._seen)

    def _wanted(self) -> int | None:
        """Return the step that the window looks at; of a trial with or without its interventions."""
        trial = self._current.comparison.trial
        if self._current.step is not None or trial is None:
            return self._current.step if self._current.step is not None else unfinished_step(self._session)
        return trial.before if self._current.comparison.mode is CompareMode.BEFORE else trial.after

    @Slot()
    def _note_step(self) -> None:
        history = self._session.history
        is_trial = bool(history) and history[-1].is_trial
        if not is_trial and self._wanted() is None:
            self._is_stale = True
            self.pump()

    @Slot()
    def _note_current(self) -> None:
        if self._wanted() != self._asked_step:
            self._is_stale = True
            self.pump()

    @Slot()
    def _note_state(self) -> None:
        if self._session.state not in ALLOWED["request_overview"]:
            self._start_over()  # whoever owed an answer is gone
        unfinished = unfinished_step(self._session)
        if unfinished is not None and self._wanted() == unfinished:
            self._is_stale = True  # it has come further
        self.pump()

    @Slot()
    def _start_over(self) -> None:
        self._is_stale, self._is_outstanding = True, False
        self.pump()

    @Slot(object)
    def _take(self, answer: OverviewReady) -> None:
        self._is_outstanding = False
        self.arrived.emit(answer)
        self.pump()
