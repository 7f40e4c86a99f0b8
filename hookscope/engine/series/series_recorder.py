"""Records series: after each step, on a thread of its own, from the captures of that step.

`set` is called on the reader thread, `step_finished` on the main thread; neither waits. `close` waits for the thread.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import TYPE_CHECKING

import torch

from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.series.numbers import (
    NoNumbersError,
    distribution_of,
    element_of,
    non_finite_in,
    statistic_in,
    statistics_of,
    update_of,
)
from hookscope.protocol.events import SeriesPoints
from hookscope.protocol.series import (
    Distribution,
    ElementAt,
    Gap,
    Series,
    SeriesPoint,
    StatisticOf,
    UpdateRatio,
)

if TYPE_CHECKING:
    from hookscope.protocol.views import Statistics

_BATCH_S = 1 / 30

_KNOWN_STEPS = 1000
"""More than are ever kept."""


@dataclass(frozen=True)
class _Finished:
    """A step, the one before it that counted (0 for none), and what is wanted of it.

    Attributes:
        known: Ids of the series that were wanted of the step before it too.
    """

    step: int
    former: int
    series: tuple[Series, ...]
    known: frozenset[int] = frozenset()


class SeriesRecorder:
    """Tells the numbers that are wanted of each step.

    Args:
        store: Where the captures are.
        post: Tells the window.
    """

    def __init__(self, store: CaptureStore, post: Callable[[SeriesPoints], None]) -> None:
        self._store = store
        self._post = post
        self._series: tuple[Series, ...] = ()
        self._known: frozenset[int] = frozenset()
        self._steps: deque[_Finished] = deque()
        self._formers: dict[int, int] = {}
        self._newest = 0
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def set(self, series: tuple[Series, ...]) -> None:
        """Record exactly these, from the next finished step on."""
        self._series = series
        if series and self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="hookscope-series", daemon=True)
            self._thread.start()

    def step_finished(self, step: int) -> None:
        """A step that counts has come to its end: none of a trial."""
        former, self._newest = self._newest, step
        self._formers[step] = former
        if len(self._formers) > _KNOWN_STEPS:
            del self._formers[next(iter(self._formers))]
        if self._series:
            with self._changed:
                self._steps.append(_Finished(step, former, self._series, self._known))
                self._changed.notify()
        self._known = frozenset(one.id for one in self._series)

    @property
    def newest(self) -> int:
        """The newest step that counts and has come to its end; 0 for none."""
        return self._newest

    @property
    def is_behind(self) -> bool:
        """Whether a finished step is still to be looked at. On any thread."""
        return bool(self._steps) and not self._is_closed

    def former_of(self, step: int) -> int:
        """Return the step before one, of those that count; 0 when there is none, or it was long ago. On any thread."""
        return self._formers.get(step, 0)

    def close(self) -> None:
        """End the thread; what was not looked at is not told any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        """Look at each step as soon as it has ended, for its captures leave soon; tell of several together."""
        points: list[SeriesPoint] = []
        told = -math.inf
        with torch.no_grad():
            while self._wait(max(told + _BATCH_S - time.monotonic(), 0.0) if points else None):
                if self._steps:
                    points += _StepNumbers(self._store, self._steps[0]).points()
                    self._steps.popleft()
                if points and time.monotonic() - told >= _BATCH_S:
                    self._post(SeriesPoints(tuple(points)))
                    points, told = [], time.monotonic()
        if points:
            self._post(SeriesPoints(tuple(points)))

    def _wait(self, timeout_s: float | None) -> bool:
        """Wait for a step, or until this time has passed; return whether to go on."""
        with self._changed:
            self._changed.wait_for(lambda: self._steps or self._is_closed, timeout_s)
            return not self._is_closed


class _StepNumbers:
    """Looks at the captures of one step; statistics that several series want are made once."""

    def __init__(self, store: CaptureStore, finished: _Finished) -> None:
        self._store = store
        self._step, self._former = finished.step, finished.former
        self._series, self._known = finished.series, finished.known
        self._statistics: dict[object, Statistics] = {}

    def points(self) -> list[SeriesPoint]:
        found = (self._point(one) for one in self._series)
        return [point for point in found if point is not None]

    def _point(self, series: Series) -> SeriesPoint | None:
        try:
            return self._make(series.kind, series)
        except NoNumbersError:
            return self._gap(series, Gap.NOT_CAPTURED)
        except IndexError:
            return self._gap(series, Gap.NO_ELEMENT)
        except RuntimeError:  # of torch, which may be out of memory: the series goes on with the next step
            return self._gap(series, Gap.NOT_CAPTURED)

    def _gap(self, series: Series, gap: Gap) -> SeriesPoint:
        is_late = gap is Gap.NOT_CAPTURED and not self._store.keeps(self._step)
        return SeriesPoint(series.id, self._step, gap=Gap.NOT_IN_TIME if is_late else gap)

    @singledispatchmethod
    def _make(self, kind: object, series: Series) -> SeriesPoint | None:
        raise NotImplementedError(f"{kind} of {series}")

    @_make.register
    def _(self, kind: StatisticOf, series: Series) -> SeriesPoint | None:
        found = self._statistics.get(series.ref)
        if found is None:
            with self._store.open(series.ref, self._step) as (_, tensor):
                found = self._statistics[series.ref] = statistics_of(_there(tensor))
        value = statistic_in(found, kind.statistic)
        return SeriesPoint(series.id, self._step, () if value is None else (value,), non_finite_in(found))

    @_make.register
    def _(self, kind: ElementAt, series: Series) -> SeriesPoint | None:
        with self._store.open(series.ref, self._step) as (_, tensor):
            value = element_of(_there(tensor), kind.index)
        is_finite = value - value == 0
        return SeriesPoint(series.id, self._step, (value,) if is_finite else (), 0 if is_finite else 1)

    @_make.register
    def _(self, kind: Distribution, series: Series) -> SeriesPoint | None:  # noqa: ARG002 - its type is all it says
        with self._store.open(series.ref, self._step) as (_, tensor):
            values, non_finite = distribution_of(_there(tensor))
        return SeriesPoint(series.id, self._step, values, non_finite)

    @_make.register
    def _(self, kind: UpdateRatio, series: Series) -> SeriesPoint | None:  # noqa: ARG002
        """Tell of the step before, whose update this one's parameter has."""
        store, step, former = self._store, self._step, self._former
        if not former:
            return None
        with store.open(series.ref, former) as (_, before), store.open(series.ref, step) as (_, after):
            if before is None and series.id not in self._known:
                return None  # nobody wanted to know of that step
            if before is None or after is None:
                is_late = not (store.keeps(former) and store.keeps(step))
                return SeriesPoint(series.id, former, gap=Gap.NOT_IN_TIME if is_late else Gap.NOT_CAPTURED)
            try:
                ratio, non_finite = update_of([(before, after)])
            except NoNumbersError:
                return SeriesPoint(series.id, former, gap=Gap.NOT_CAPTURED)
        return SeriesPoint(series.id, former, () if ratio is None else (ratio,), non_finite)


def _there(tensor: torch.Tensor | None) -> torch.Tensor:
    if tensor is None:
        raise NoNumbersError
    return tensor
