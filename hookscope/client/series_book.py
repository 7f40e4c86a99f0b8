"""The numbers that were told of every series: the newest steps of each, in arrays. For the session's thread."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hookscope.client.inbox import HISTORY_STEPS
from hookscope.protocol.series import LEVELS, Distribution, Gap, Series, SeriesKind, SeriesPoint

KEPT_POINTS = HISTORY_STEPS
"""Steps of a series that are kept; of more, the newest."""

_GAPS = tuple(Gap)
_FIRST_ROOM = 64

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def width_of(kind: SeriesKind) -> int:
    """Return how many values a point of a kind has."""
    return len(LEVELS) + 2 if isinstance(kind, Distribution) else 1


@dataclass(frozen=True)
class SeriesColumns:
    """The points of one series, oldest first, for reading only.

    Attributes:
        steps: `(points,)`, ascending.
        values: `(points, width)`; rows of NaN where there is no value.
        non_finite: `(points,)`, elements that are NaN or infinite.
        gaps: `(points,)`, 0 where there is none, else one more than the place of the `Gap`.
        left: Points before these that are kept no more.
    """

    steps: Integers
    values: Floats
    non_finite: Integers
    gaps: Integers
    left: int = 0

    def point(self, id_: int, at: int) -> SeriesPoint:
        """Return one of the points as it was told, of the series `id_`."""
        values = self.values[at]
        gap = int(self.gaps[at])
        return SeriesPoint(
            id_,
            int(self.steps[at]),
            () if np.isnan(values).any() else tuple(map(float, values)),
            int(self.non_finite[at]),
            _GAPS[gap - 1] if gap else None,
        )

    def nearest(self, step: float) -> int:
        """Return the place of the point whose step is nearest; there must be one."""
        after = int(np.searchsorted(self.steps, step))
        around = [at for at in (after - 1, after) if 0 <= at < len(self.steps)]
        return min(around, key=lambda at: abs(float(self.steps[at]) - step))


class _KeptPoints(Sequence[SeriesPoint]):
    """The points of one series, made when they are asked for."""

    def __init__(self, id_: int, columns: SeriesColumns) -> None:
        self._id = id_
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns.steps)

    def __iter__(self) -> Iterator[SeriesPoint]:
        return (self._columns.point(self._id, at) for at in range(len(self)))

    @overload
    def __getitem__(self, at: int) -> SeriesPoint: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[SeriesPoint, ...]: ...

    def __getitem__(self, at: int | slice) -> SeriesPoint | tuple[SeriesPoint, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._columns.point(self._id, at % len(self))


class _Ring:
    """Grows to twice what is kept, then moves the newest half to the front: a slice of it is always in one piece."""

    def __init__(self, width: int) -> None:
        self.left = 0
        self._width = width
        self._room = _new_room(_FIRST_ROOM, width)
        self._begin = self._end = 0

    def extend(self, points: Sequence[SeriesPoint]) -> None:
        if self._end + len(points) > len(self._room.steps):
            self._move(len(points))
        room, new = self._room, slice(self._end, self._end + len(points))
        nothing = (np.nan,) * self._width
        room.steps[new] = [point.step for point in points]
        room.values[new] = [point.values if len(point.values) == self._width else nothing for point in points]
        room.non_finite[new] = [point.non_finite for point in points]
        room.gaps[new] = [_GAPS.index(point.gap) + 1 if point.gap is not None else 0 for point in points]
        self._end += len(points)
        leaving = max(self._end - self._begin - KEPT_POINTS, 0)
        self._begin += leaving
        self.left += leaving

    def columns(self) -> SeriesColumns:
        kept = [part[self._begin : self._end] for part in _parts(self._room)]
        for part in kept:
            part.flags.writeable = False
        steps, values, non_finite, gaps = kept
        return SeriesColumns(steps, values, non_finite, gaps, self.left)

    def _move(self, coming: int) -> None:
        """Go to a new room: what was given out stays as it is."""
        kept = self.columns()
        count = len(kept.steps)
        self._room = _new_room(max(min(2 * count, 2 * KEPT_POINTS), count + coming), self._width)
        for new, old in zip(_parts(self._room), _parts(kept), strict=True):
            new[:count] = old
        self._begin, self._end = 0, count


def _new_room(size: int, width: int) -> SeriesColumns:
    steps, non_finite, gaps = np.zeros((3, size), np.int64)
    return SeriesColumns(steps, np.full((size, width), np.nan), non_finite, gaps)


def _parts(columns: SeriesColumns) -> tuple[npt.NDArray[Any], ...]:
    return columns.steps, columns.values, columns.non_finite, columns.gaps


class SeriesBook:
    """What was told of the series that are followed; the same object all the time.

    Attributes:
        version: Another number whenever something has changed.
    """

    def __init__(self) -> None:
        self.version = 0
        self._series: dict[int, Series] = {}
        self._rings: dict[int, _Ring] = {}

    def points(self, id_: int) -> Sequence[SeriesPoint]:
        """Return the newest points of a series, oldest first."""
        return _KeptPoints(id_, self.columns(id_))

    def columns(self, id_: int) -> SeriesColumns:
        """Return the newest points of a series as arrays, which stay as they are."""
        ring = self._rings.get(id_)
        if ring is None:
            ring = _Ring(width_of(self._series[id_].kind) if id_ in self._series else 1)
        return ring.columns()

    def follow(self, series: Iterable[Series]) -> None:
        """Keep points of exactly these; of one that was followed already, what there is stays."""
        wanted = {one.id: one for one in series}
        self._rings = {id_: ring for id_, ring in self._rings.items() if wanted.get(id_) == self._series.get(id_)}
        self._series = wanted
        self.version += 1

    def add(self, points: Iterable[SeriesPoint], left_out: Mapping[int, int] | None = None) -> None:
        """Take points in their order; those of series that are not followed any more are dropped.

        Args:
            points: The points.
            left_out: Series id -> how many were dropped before these.
        """
        for id_, count in (left_out or {}).items():
            if id_ in self._series:
                self._ring(id_).left += count
        by_id: dict[int, list[SeriesPoint]] = {}
        for point in points:
            if point.id in self._series:
                by_id.setdefault(point.id, []).append(point)
        for id_, told in by_id.items():
            self._ring(id_).extend(told)
        self.version += 1

    def clear(self) -> None:
        """Forget all points: they are of steps of another debuggee."""
        self._rings.clear()
        self.version += 1

    def _ring(self, id_: int) -> _Ring:
        return self._rings.setdefault(id_, _Ring(width_of(self._series[id_].kind)))
