"""The one place where what a debuggee tells becomes Qt signals.

Reader threads only wake the bridge, with one queued signal; everything else runs on the thread the bridge lives on.
"""

import time

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from hookscope.client.changes import Change, OutputPrinted, StateChanged
from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.protocol.events import (
    AtHandChanged,
    BreakpointsSet,
    Continued,
    Exported,
    ExportProgress,
    Failed,
    HooksSet,
    InterventionsActed,
    InterventionsSet,
    Loaded,
    LogPrinted,
    NonFiniteSearched,
    OperationsTraced,
    OverviewReady,
    Records,
    SeriesPoints,
    SettingsApplied,
    SourceReady,
    StackReady,
    StepEvents,
    StepFinished,
    StepProgress,
    StepsCompared,
    Stopped,
    TrialFinished,
    UnchangedProved,
    ViewProgress,
    ViewReady,
)

DRAIN_INTERVAL_MS = 33
"""While a model runs, the window takes news at most this often: 30 times a second."""
_RESTS = 6
"""So many times what the news took, if that is longer: the model needs the cores too."""
_LONGEST_REST_MS = 250
PROMPT_INTERVAL_MS = 4
"""Else a person waits for the answer."""

_BARE_SIGNALS: dict[type, tuple[str, ...]] = {
    StateChanged: ("state_changed",),
    Loaded: ("model_loaded", "settings_changed", "hooks_changed"),
    HooksSet: ("hooks_changed",),
    SettingsApplied: ("settings_changed",),
    StepProgress: ("progress_changed",),
    Continued: ("continued",),
    BreakpointsSet: ("breakpoints_changed",),
    InterventionsSet: ("interventions_changed",),
    InterventionsActed: ("interventions_changed",),
    SeriesPoints: ("series_changed",),
}
"""Which signals without an argument each change is told with, in order; whoever hears them asks the session."""

_PASSED_ON: dict[type, str] = {
    StepFinished: "step_finished",
    ViewReady: "view_arrived",
    StackReady: "stack_arrived",
    SourceReady: "source_arrived",
    LogPrinted: "log_printed",
    NonFiniteSearched: "non_finite_searched",
    TrialFinished: "trial_finished",
    StepsCompared: "steps_compared",
    UnchangedProved: "unchanged_proved",
    AtHandChanged: "at_hand_changed",
    OverviewReady: "overview_arrived",
    ExportProgress: "export_progress",
    Exported: "exported",
    ViewProgress: "view_progress",
}
"""Which signal each change is the argument of."""


class SessionBridge(QObject):
    """Owns a session and tells what changed in it; the session has all changes applied when a signal is emitted.

    Signals:
        state_changed: `session.state` is another one.
        model_loaded: Another model is there, or the same one again.
        hooks_changed: The debuggee hooks other modules.
        operations_traced: A module's operations are listed in `session.operations`; its path (`str`).
        settings_changed: Settings, inputs or the workload are in force that the debuggee has confirmed.
        records_changed: Module paths (`frozenset[str]`) with newer records; once a drain.
        step_finished: The newest finished step (`StepFinished`); once a drain. All are in `session.history`.
        progress_changed: The running step is further on.
        view_arrived: An answer for a panel (`ViewReady`).
        stopped: The step is stopped (`Stopped`), and `session.stopped` is it.
        continued: The stopped step goes on.
        events_added: The step (`int`) has more events in `session.events`, or the same with device times; once a drain.
        breakpoints_changed: The debuggee has said which breakpoints are refused or match nothing.
        stack_arrived: The frames of the event at hand (`StackReady`).
        source_arrived: The text of a source file (`SourceReady`).
        log_printed: A log point was passed (`LogPrinted`).
        non_finite_searched: A search for the first NaN or infinity has ended (`NonFiniteSearched`).
        interventions_changed: The debuggee has taken a set of interventions, or has said how they fared in a step; once
            a drain.
        trial_finished: A trial of the interventions has ended (`TrialFinished`); its steps have told of themselves.
        steps_compared: How far tensors moved between two steps (`StepsCompared`).
        unchanged_proved: Whether the model is as it was without interventions (`UnchangedProved`).
        at_hand_changed: What came of changes by hand (`AtHandChanged`).
        series_changed: Points of series have arrived; once a drain.
        overview_arrived: An overview of the checked modules (`OverviewReady`).
        export_progress: An export is further on (`ExportProgress`).
        exported: An export has ended (`Exported`).
        view_progress: How far a view is that takes long (`ViewProgress`).
        failure_raised: Something went wrong (`Failure`).
        output_printed: What the debuggee printed (`str`).
        drained: All changes of a drain in their order (`list[Change]`), told after all else; for tools of the client
            that are driven by them.

    Args:
        parent: Qt parent; `close` must still be called before the end.
        interpreter: See `DebugSession`.
    """

    state_changed = Signal()
    model_loaded = Signal()
    hooks_changed = Signal()
    operations_traced = Signal(str)
    settings_changed = Signal()
    records_changed = Signal(object)
    step_finished = Signal(object)
    progress_changed = Signal()
    view_arrived = Signal(object)
    stopped = Signal(object)
    continued = Signal()
    events_added = Signal(int)
    breakpoints_changed = Signal()
    stack_arrived = Signal(object)
    source_arrived = Signal(object)
    log_printed = Signal(object)
    non_finite_searched = Signal(object)
    interventions_changed = Signal()
    trial_finished = Signal(object)
    steps_compared = Signal(object)
    unchanged_proved = Signal(object)
    at_hand_changed = Signal(object)
    series_changed = Signal()
    overview_arrived = Signal(object)
    export_progress = Signal(object)
    exported = Signal(object)
    view_progress = Signal(object)
    failure_raised = Signal(object)
    output_printed = Signal(str)
    drained = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None, *, interpreter: str | None = None) -> None:
        super().__init__(parent)
        self._is_closed = False
        self._has_news = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._drain_news)
        self._woken.connect(self._note_news, Qt.ConnectionType.QueuedConnection)
        self._session = DebugSession(interpreter=interpreter, on_ready=self._woken.emit)

    @property
    def session(self) -> DebugSession:
        """What is driven; its intents are called on this thread, its `drain` by nobody else."""
        return self._session

    def close(self) -> None:
        """End the session and wait for it; nothing is emitted any more. May be called twice."""
        self._is_closed = True
        self._timer.stop()
        self._session.close()

    @Slot()
    def _note_news(self) -> None:
        self._has_news = True
        if not self._timer.isActive():
            self._drain_news()

    @Slot()
    def _drain_news(self) -> None:
        """Tell what is new, and then rest for the interval."""
        if self._is_closed or not self._has_news:
            return
        self._has_news = False
        began = time.monotonic()
        self._timer.start(PROMPT_INTERVAL_MS)
        changes = self._session.drain()
        for news in _merged(changes):
            self._tell(news)
        if not self._is_closed:
            self.drained.emit(changes)
        if not self._is_closed and self._session.state is SessionState.RUNNING:
            taken_ms = 1000 * (time.monotonic() - began)
            self._timer.start(round(min(max(DRAIN_INTERVAL_MS, _RESTS * taken_ms), _LONGEST_REST_MS)))

    def _tell(self, news: Change | frozenset[str]) -> None:
        if self._is_closed:  # by whoever heard the one before
            return
        match news:
            case frozenset():
                self.records_changed.emit(news)
            case OperationsTraced():
                self.operations_traced.emit(news.path)
            case StepEvents():
                self.events_added.emit(news.step)
            case Stopped():
                if news is self._session.stopped:  # else whoever heard something before has ended it
                    self.stopped.emit(news)
            case Failed():
                self.failure_raised.emit(news.failure)
            case OutputPrinted():
                self.output_printed.emit(news.text)
            case _ if type(news) in _PASSED_ON:
                getattr(self, _PASSED_ON[type(news)]).emit(news)
            case _:
                for name in _BARE_SIGNALS.get(type(news), ()):
                    getattr(self, name).emit()


_TOLD_ONCE: frozenset[type] = frozenset(
    {StepFinished, StepProgress, InterventionsActed, SeriesPoints},
)
"""Of a drain's changes of these kinds the last one is told: in a fast run there are several, and many listen."""


def _merged(changes: list[Change]) -> list[Change | frozenset[str]]:
    """Put the paths of all records in the place of the first ones; keep a step's first events, which tell of all."""
    paths = frozenset(record.ref.path for change in changes if isinstance(change, Records) for record in change.records)
    last = {type(change): change for change in changes if type(change) in _TOLD_ONCE}
    merged: list[Change | frozenset[str]] = []
    told_steps: set[int] = set()
    for change in changes:
        match change:
            case Records():
                if paths:
                    merged.append(paths)
                    paths = frozenset()
            case StepEvents():
                if change.step not in told_steps:
                    told_steps.add(change.step)
                    merged.append(change)
            case _:
                if last.get(type(change), change) is change:
                    merged.append(change)
    return merged
