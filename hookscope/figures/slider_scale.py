"""How the places of a slider and the values that they stand for belong together."""

import math
from dataclasses import dataclass

_FINEST = 600
"""A slider has at most about this many places: more cannot be told apart by hand."""
_PLACES_PER_DECADE = 50
_DIGITS = 3


@dataclass(frozen=True)
class SliderScale:
    """The values between two ends, at places from 0 on.

    Attributes:
        low: Value of place 0.
        high: Value of the last place.
        log: Whether it goes over powers of ten; both ends are above 0 then.
    """

    low: float
    high: float
    log: bool = False

    @property
    def places(self) -> int:
        """The last place."""
        if self.log:
            return round(_PLACES_PER_DECADE * math.log10(self.high / self.low))
        return round((self.high - self.low) / self._step())

    def value_at(self, place: int) -> float:
        """Return the value of a place, a round number."""
        if self.log:
            return float(f"{self.low * (self.high / self.low) ** (place / self.places):.{_DIGITS - 1}e}")
        step = self._step()
        return round(self.low + place * step, max(0, -math.floor(math.log10(step))))

    def place_of(self, value: float) -> int:
        """Return the place next to a value; one beyond an end is at that end."""
        if math.isnan(value):
            return 0
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        if self.log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        return round(share * self.places)

    def _step(self) -> float:
        """Return the smallest power of ten that does not make too many places."""
        return float(10.0 ** math.ceil(math.log10((self.high - self.low) / _FINEST)))
