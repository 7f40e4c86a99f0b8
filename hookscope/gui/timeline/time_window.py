"""Which part of a step is in sight, in seconds: all of it, until a person zooms in."""

import math
from dataclasses import dataclass

_DEEPEST = 1e-9
"""The least that can be in sight, in seconds."""
_ROOM = 0.01
"""What is left free at the end, in shares of the whole."""


@dataclass
class TimeWindow:
    """A piece of time, always inside of the whole.

    Attributes:
        whole_from_s: Begin of everything.
        whole_to_s: End of everything.
        from_s: Begin of what is in sight.
        to_s: End of what is in sight.
    """

    whole_from_s: float = 0.0
    whole_to_s: float = 1.0
    from_s: float = 0.0
    to_s: float = 1.0

    @property
    def is_whole(self) -> bool:
        """Whether everything is in sight."""
        return self.from_s <= self.whole_from_s and self.to_s >= self.whole_to_s

    @property
    def length_s(self) -> float:
        """Seconds in sight."""
        return self.to_s - self.from_s

    def set_whole(self, from_s: float, to_s: float) -> None:
        """Say what everything is; what was all in sight stays so."""
        was_whole = self.is_whole
        to_s = max(to_s, from_s + _DEEPEST)
        self.whole_from_s, self.whole_to_s = from_s, to_s + _ROOM * (to_s - from_s)
        if was_whole:
            self.fit()
        else:
            self._keep_inside()

    def fit(self) -> None:
        """Bring everything into sight."""
        self.from_s, self.to_s = self.whole_from_s, self.whole_to_s

    def zoom(self, factor: float, share: float) -> None:
        """Show `factor` times as much; what is at a share of the width stays there."""
        length_s = min(max(self.length_s * factor, _DEEPEST), self.whole_to_s - self.whole_from_s)
        self.from_s = self.from_s + share * (self.length_s - length_s)
        self.to_s = self.from_s + length_s
        self._keep_inside()

    def pan(self, share: float) -> None:
        """Move on by a share of what is in sight."""
        length_s = self.length_s
        self.from_s += share * length_s
        self.to_s = self.from_s + length_s
        self._keep_inside()

    def reveal(self, time_s: float) -> None:
        """Bring a moment into sight, if it is not."""
        if not self.from_s <= time_s <= self.to_s:
            self.pan((time_s - self.from_s) / self.length_s - 0.5)

    def _keep_inside(self) -> None:
        length_s = min(self.length_s, self.whole_to_s - self.whole_from_s)
        self.from_s = min(max(self.from_s, self.whole_from_s), self.whole_to_s - length_s)
        self.to_s = self.from_s + length_s


_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_ticks(from_s: float, to_s: float, most: int) -> list[tuple[float, str]]:
    """Return round times in a piece of time with their labels: at most about `most`, as `50 ms`."""
    if to_s <= from_s or most < 1:
        return []
    raw = (to_s - from_s) / most
    magnitude = 10.0 ** math.floor(math.log10(raw))
    spacing = next(magnitude * step for step in (1, 2, 5, 10) if magnitude * step >= raw * (1 - 1e-9))
    unit, name = next(((unit, name) for unit, name in _UNITS if spacing >= unit), _UNITS[-1])
    first = math.ceil(from_s / spacing - 1e-9)
    last = math.floor(to_s / spacing + 1e-9)
    return [(number * spacing, f"{number * spacing / unit:.6g} {name}") for number in range(first, last + 1)]
