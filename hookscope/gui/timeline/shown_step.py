"""Which step the timeline shows, its trace, and in words why there is none."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from hookscope.client.events import KEPT_STEPS
from hookscope.client.session import DebugSession
from hookscope.figures.forecast import Coming, forecast
from hookscope.figures.lanes import StepTrace
from hookscope.gui.timeline.names import ModuleNames, translate
from hookscope.protocol.stops import EventKind, StepEvent

_KEPT_TRACES = 4


@dataclass(frozen=True)
class StepRange:
    """The steps that can be gone to.

    Attributes:
        first: The oldest one that is known of; 0 when there is none.
        last: The newest one.
        traced: Those whose events are kept.
        trials: Those that were trials, after which everything was put back.
    """

    first: int
    last: int
    traced: tuple[int, ...]
    trials: tuple[int, ...] = ()


def steps_of(session: DebugSession) -> StepRange:
    """Return which steps a session knows of."""
    traced, history = session.events.steps, session.history
    known = [*traced, *(step.step for step in (history[0], history[-1]))] if history else traced
    trials = tuple(step.step for step in history if step.is_trial)
    return StepRange(min(known, default=0), max(known, default=0), traced, trials)


class TraceBook:
    """Traces of the steps that were shown last, extended as their events come.

    Args:
        session: Whose events they are.
    """

    def __init__(self, session: DebugSession) -> None:
        self._session = session
        self._traces: OrderedDict[int, StepTrace] = OrderedDict()

    def clear(self) -> None:
        """Forget all: another model was loaded."""
        self._traces.clear()

    def of(self, step: int) -> StepTrace | None:
        """Return the trace of a step with all events that have come; `None` when there are none.

        It is the same object as before when events have only been added.
        """
        events = self._session.events.of(step)
        trace = self._traces.pop(step, None)
        if not events:
            return None
        if trace is None or not _goes_on(trace, events):
            trace = StepTrace(events)
        elif len(events) > len(trace.events):
            trace.extend(events[len(trace.events) :])
        self._traces[step] = trace
        while len(self._traces) > _KEPT_TRACES:
            self._traces.popitem(last=False)
        return trace

    def coming(self, step: int, names: ModuleNames) -> tuple[Coming, ...]:
        """Return what a step that is stopped has yet to do; nothing for any other step."""
        stopped = self._session.stopped
        trace = self._traces.get(step)
        if stopped is None or stopped.step != step or trace is None:
            return ()
        return forecast(trace, self._whole_before(step), names.leaves)

    def _whole_before(self, step: int) -> StepTrace | None:
        """Return the newest trace of a step before that ran to its end."""
        events = self._session.events
        for other in reversed(events.steps):
            last = events.of(other)[-1]
            is_whole = last.kind is EventKind.OPTIMIZER or (last.kind is EventKind.BACKWARD_LEAVE and not last.path)
            if other < step and is_whole:
                return self.of(other)
        return None


def _goes_on(trace: StepTrace, events: Sequence[StepEvent]) -> bool:
    known = len(trace.events)
    return len(events) >= known and events[0] is trace.events[0] and events[known - 1] is trace.events[-1]


def why_nothing(session: DebugSession, step: int) -> str:
    """Say why there are no events of a step, and what to do; of no step with 0."""
    if session.tree is None:
        return translate("Open a model to see what happens in its steps.")
    if not step:
        return translate("Tick “Trace steps” and press Step, or step into one: what happens in it appears here.")
    traced = session.events.steps
    if traced and step < traced[0] and len(traced) >= KEPT_STEPS:
        text = translate("The events of step {step} are not kept any more, or it was not traced.")
    else:
        text = translate("Step {step} was not traced. Tick “Trace steps” first, or go through a step with Into.")
    return text.format(step=f"{step:,}")
