"""One number of an intervention over a range of values: a trial each, and what was measured in it."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from hookscope.client.changes import Change
from hookscope.client.session import DebugSession
from hookscope.client.state import ALLOWED, SessionState, SessionStateError
from hookscope.protocol import events
from hookscope.protocol.failures import Failure
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import StraightThrough
from hookscope.protocol.views import Statistics, StatisticsRequest

_IN_USE = frozenset({SessionState.IDLE, SessionState.RUNNING, SessionState.STOPPED, SessionState.STOPPING})

STATISTICS = Statistics.__struct_fields__
"""What can be measured of a tensor."""

_numbers = itertools.count()
"""Sweeps so far: each has panel names of its own, so that no answer to an earlier one is taken for its."""


@dataclass(frozen=True)
class Measure:
    """A statistic that is read off each trial.

    Attributes:
        ref: Of which tensor; its module must be checked.
        statistic: Which one of `STATISTICS`.
        of_difference: Whether it is that of the difference which the interventions make, or of the tensor itself.

    Raises:
        ValueError: There is no such statistic.
    """

    ref: TensorRef
    statistic: str = "norm"
    of_difference: bool = False

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            raise ValueError(f"there is no statistic {self.statistic!r}; choose one of {', '.join(STATISTICS)}")


@dataclass(frozen=True)
class SweepPoint:
    """What came of one value.

    Attributes:
        value: The value that the field had.
        loss: The loss with the interventions; `None` when it is not finite, or the trial failed.
        measured: One number per measure; `None` where there was nothing to measure.
        error: Why the trial failed; `""` when it did not.
    """

    value: float
    loss: float | None = None
    measured: tuple[float | None, ...] = ()
    error: str = ""


class Sweep:
    """Runs a trial per value, from the moment it is made. Afterwards the former interventions are set again.

    It ends before the last value when it is cancelled, a trial is stopped, another run begins, the debuggee is lost, a
    model is loaded, or somebody else sets interventions, which then stay. Belongs to the thread of the session, whose
    owner must hand every change that `drain` returns to `note`.

    Args:
        session: Runs the trials; it must be idle.
        intervention_id: The intervention whose change is varied; it is on during the sweep.
        field: A number of its change, for `StraightThrough` of the change in it.
        values: What it is set to, one after the other.
        measures: What is read off each trial.

    Raises:
        ValueError: There are no values, no such intervention or field, or a value is none of the field.
        SessionStateError: The session is not idle.
    """

    def __init__(
        self,
        session: DebugSession,
        intervention_id: int,
        field: str,
        values: Sequence[float],
        measures: Sequence[Measure] = (),
    ) -> None:
        self._session = session
        self._id = intervention_id
        self._former = session.interventions
        self._values = tuple(values)
        self._measures = tuple(measures)
        self._sets = [self._with(field, value) for value in self._values]
        if not self._sets:
            raise ValueError("a sweep needs at least one value")
        if session.state is not SessionState.IDLE:
            raise SessionStateError(f"sweep: not while the session is in the state {session.state.value!r}")
        self._name = f"sweep.{next(_numbers)}"
        self._points: list[SweepPoint] = []
        self._is_done = False
        self._begin()

    @property
    def values(self) -> tuple[float, ...]:
        """All values."""
        return self._values

    @property
    def points(self) -> tuple[SweepPoint, ...]:
        """What came of the values so far, in their order."""
        return tuple(self._points)

    @property
    def progress(self) -> float:
        """The share of the values that have their point, from 0 to 1."""
        return len(self._points) / len(self._values)

    @property
    def is_done(self) -> bool:
        """Whether no further point will come."""
        return self._is_done

    def cancel(self) -> None:
        """Stop the trial that runs, and set the former interventions again, unless somebody else has set others."""
        if self._is_done or not self._is_ours():
            self._is_done = True
            return
        self._end()
        if self._session.is_trying and self._session.state in ALLOWED["stop"]:
            self._session.stop()

    def note(self, change: Change) -> None:
        """Take note of a change that `drain` returned."""
        if self._is_done:
            return
        if not self._is_ours():
            self._is_done = True
            return
        if self._session.state not in _IN_USE:
            self._end()
            return
        match change:
            case events.TrialFinished():
                self._measure(change)
            case events.ViewReady() if change.panel.startswith(f"{self._name}."):
                self._take(change)
            case events.Failed():
                self._error = _text(change.failure)
            case events.RunFinished() if not self._session.is_trying:  # else somebody wanted this trial once more
                if change.reason in {events.RunEnd.ABORTED, events.RunEnd.INTERRUPTED}:
                    self._end()
                else:
                    self._has_run = True
            case events.Loaded():
                self._end()
        if not self._is_done and self._has_run and not self._awaited:
            self._finish_point()

    def _is_ours(self) -> bool:
        return self._session.interventions == self._sets[len(self._points)]

    def _begin(self) -> None:
        """Begin the trial of the next value."""
        self._loss: float | None = None
        self._error = ""
        self._has_run = False
        self._awaited: dict[str, int] = {}
        self._measured: list[float | None] = [None] * len(self._measures)
        self._session.set_interventions(self._sets[len(self._points)])
        self._session.try_interventions()

    def _measure(self, trial: events.TrialFinished) -> None:
        self._loss, self._error = trial.loss_after, ""
        for index, measure in enumerate(self._measures):
            panel = f"{self._name}.{index}"
            minus = trial.before if measure.of_difference else None
            self._session.request_view(panel, trial.after, measure.ref, StatisticsRequest(), trial.after, minus)
            self._awaited[panel] = trial.after

    def _take(self, view: events.ViewReady) -> None:
        if self._awaited.get(view.panel) != view.number:
            return
        del self._awaited[view.panel]
        if isinstance(view.result, Statistics):
            index = int(view.panel.removeprefix(f"{self._name}."))
            self._measured[index] = getattr(view.result, self._measures[index].statistic)

    def _finish_point(self) -> None:
        error = self._session.intervention_errors.get(self._id, self._error)
        value = self._values[len(self._points)]
        if error:
            self._points.append(SweepPoint(value, measured=(None,) * len(self._measures), error=error))
        else:
            self._points.append(SweepPoint(value, self._loss, tuple(self._measured)))
        if len(self._points) == len(self._values) or self._session.state is not SessionState.IDLE:
            self._end()
        else:
            self._begin()

    def _end(self) -> None:
        self._is_done = True
        self._session.set_interventions(self._former)

    def _with(self, field: str, value: float) -> tuple[Intervention, ...]:
        """Return the interventions with another value of the field."""
        if all(one.id != self._id for one in self._former):
            raise ValueError(f"there is no intervention {self._id}")
        return tuple(_varied(one, field, value) if one.id == self._id else one for one in self._former)


def linear_values(first: float, last: float, count: int) -> tuple[float, ...]:
    """Return `count` values at equal distances, both ends included.

    Raises:
        ValueError: `count` is less than 2, or an end is not finite.
    """
    if count < 2 or not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError("a range needs two finite ends and at least 2 values")
    steps = count - 1
    return tuple((first * (steps - index) + last * index) / steps for index in range(count))


def logarithmic_values(first: float, last: float, count: int) -> tuple[float, ...]:
    """Return `count` values at equal ratios, both ends included.

    Raises:
        ValueError: `count` is less than 2, or an end is not finite or not above zero.
    """
    if not (first > 0 and last > 0):
        raise ValueError("a logarithmic range needs two ends above zero")
    middle = linear_values(math.log(first), math.log(last), count)[1:-1]
    return (float(first), *map(math.exp, middle), float(last))


def _varied(intervention: Intervention, field: str, value: float) -> Intervention:
    outer = intervention.change
    inner = outer.change if isinstance(outer, StraightThrough) else outer
    if field not in inner.__struct_fields__:
        raise ValueError(f"{type(inner).__name__} has no field {field!r}")
    number = round(value) if type(getattr(inner, field)) is int else value
    try:
        change = msgspec.convert(msgspec.to_builtins(inner) | {field: number}, type(inner))
    except msgspec.ValidationError as error:
        raise ValueError(f"{value} is no {field} of {type(inner).__name__}: {error}") from error
    varied = StraightThrough(change) if isinstance(outer, StraightThrough) else change
    return msgspec.structs.replace(intervention, change=varied, enabled=True)


def _text(failure: Failure) -> str:
    reason = failure.values.get("reason") or (failure.exception.message if failure.exception is not None else "")
    return reason or failure.kind.value
