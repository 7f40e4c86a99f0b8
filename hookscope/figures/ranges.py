"""The range of a picture: what a person chose for it, how it follows the data, and the way back."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from hookscope.figures.levels import Levels, auto_levels, symmetric_levels

TRIMMED_PERCENT = 0.5
"""A percentile fit leaves out so much at each end."""

_SAMPLED = 1 << 16
"""Percentiles of more values than this are taken of so many of them."""

_LONGEST_HISTORY = 100

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True)
class RangeChoice:
    """What was chosen for the range of a tensor; the default follows the data, except during a fast run.

    Attributes:
        levels: Values of the first and of the last colour; `None` follows the data.
        keeps_fitting: Whether the data are followed at every picture, during a fast run too.
        is_symmetric: Whether zero is in the middle; `None` lets the data tell.
        is_trimmed: Whether a fit leaves out the outermost values, see `TRIMMED_PERCENT`.
    """

    levels: Levels | None = None
    keeps_fitting: bool = False
    is_symmetric: bool | None = None
    is_trimmed: bool = False


@dataclass
class _History(Generic[Value]):
    now: Value
    past: list[Value] = field(default_factory=list)
    future: list[Value] = field(default_factory=list)


class Choices(Generic[Key, Value]):
    """What was chosen for each of many things, with undo and redo for each; those not used for longest are forgotten.

    Args:
        default: What holds where nothing was chosen.
        most: How many things are remembered.
    """

    def __init__(self, default: Value, most: int = 256) -> None:
        self._default = default
        self._most = most
        self._kept: OrderedDict[Key, _History[Value]] = OrderedDict()

    def of(self, key: Key) -> Value:
        """Return what holds for a thing."""
        history = self._kept.get(key)
        if history is None:
            return self._default
        self._kept.move_to_end(key)
        return history.now

    def choose(self, key: Key, value: Value, *, goes_on: bool = False) -> bool:
        """Choose a value; returns whether it is another one than before.

        Args:
            key: The thing.
            value: What holds for it from now on.
            goes_on: Whether this is part of the same step as the last choice, for undo: of one drag.
        """
        if value == self.of(key):
            return False
        history = self._kept.setdefault(key, _History(self._default))
        if not (goes_on and history.past):
            history.past.append(history.now)
            del history.past[:-_LONGEST_HISTORY]
        history.future.clear()
        history.now = value
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return True

    def undo(self, key: Key) -> bool:
        """Go one step back; returns whether there was one."""
        history = self._kept.get(key)
        if history is None or not history.past:
            return False
        history.future.append(history.now)
        history.now = history.past.pop()
        return True

    def redo(self, key: Key) -> bool:
        """Take back an `undo`; returns whether there was one."""
        history = self._kept.get(key)
        if history is None or not history.future:
            return False
        history.past.append(history.now)
        history.now = history.future.pop()
        return True

    def can_undo(self, key: Key) -> bool:
        """Whether there is a step to go back to."""
        history = self._kept.get(key)
        return history is not None and bool(history.past)

    def can_redo(self, key: Key) -> bool:
        """Whether a step was undone."""
        history = self._kept.get(key)
        return history is not None and bool(history.future)


def fitted(extent: Levels, *, is_symmetric: bool) -> Levels:
    """Return levels that hold the data, about zero if that is wanted; never of zero width."""
    return symmetric_levels(*extent) if is_symmetric else auto_levels(*extent)


def dragged(levels: Levels, before: Levels, *, is_symmetric: bool) -> Levels:
    """Return the levels after one end was moved; about zero the other end goes along.

    Args:
        levels: Where the ends are now, in any order.
        before: Where they were.
        is_symmetric: Whether zero is to stay in the middle.
    """
    if not is_symmetric:
        return auto_levels(min(levels), max(levels))
    moved = [level for level in levels if level not in before] or list(levels)
    return symmetric_levels(min(moved), max(moved))


def trimmed_extent(pixels: npt.NDArray[np.float32], mask: npt.NDArray[np.uint8] | None, extent: Levels) -> Levels:
    """Return the range of the values without the outermost half percent at each end.

    Args:
        pixels: Any shape, finite.
        mask: The same shape; only pixels where it is 0 are values. `None` when all are.
        extent: What to return when there is no value.
    """
    values = pixels.ravel() if mask is None else pixels[mask == 0]
    if not values.size:
        return extent
    if values.size > _SAMPLED:  # at random, for every n-th one may be of one row only
        values = values[np.random.default_rng(0).integers(0, values.size, _SAMPLED)]
    values = values.astype(np.float64)  # float32 overflows between far ends
    low, high = np.percentile(values, (TRIMMED_PERCENT, 100 - TRIMMED_PERCENT))
    return float(low), float(high)
