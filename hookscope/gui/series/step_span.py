"""Which steps all plots of series show."""

from collections.abc import Iterable

from hookscope.client.series_book import SeriesColumns

_LEAST_STEPS = 4.0
_EDGE = 0.015
"""Room before the first and after the last step, in parts of all of them."""


class StepSpan:
    """All steps that there are, until a person looks at some of them; those stay while more steps come."""

    def __init__(self) -> None:
        self._whole = (0.0, 1.0)
        self._chosen: tuple[float, float] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all steps are shown, and more as they come."""
        return self._chosen is None

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis."""
        return self._chosen or self._whole

    def note(self, columns: Iterable[SeriesColumns]) -> None:
        """Note which steps there are."""
        ends = [(int(one.steps[0]), int(one.steps[-1])) for one in columns if len(one.steps)]
        first, last = min((first for first, _ in ends), default=0), max((last for _, last in ends), default=1)
        edge = max(_EDGE * (last - first), 0.5)
        self._whole = (first - edge, last + edge)

    def choose(self, first: float, last: float) -> None:
        """Show some steps, as far as there are any; all of them when these are all."""
        begin, end = max(first, self._whole[0]), min(last, self._whole[1])
        if end - begin < _LEAST_STEPS:
            middle = min(max((first + last) / 2, self._whole[0]), self._whole[1])
            begin, end = middle - _LEAST_STEPS / 2, middle + _LEAST_STEPS / 2
        is_all = begin <= self._whole[0] and end >= self._whole[1]
        self._chosen = None if is_all else (begin, end)

    def show_whole(self) -> None:
        """Show all steps, and more as they come."""
        self._chosen = None
