"""The vertical axis of a plot: plain numbers, or powers of ten."""

from typing import Any

import pyqtgraph as pg

from hookscope.figures.series_lines import log_ticks
from hookscope.figures.text import format_number

_LINES_A_TICK = 2.2
"""Room for a number, in lines of text."""


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis that can be told that its places are powers of ten; then it marks round numbers.

    (The library's own logarithmic axis writes more numbers than there is room for.)

    Args:
        line_height: Height of a line of text, in pixels.
        options: Those of `AxisItem`.
    """

    def __init__(self, line_height: int, **options: Any) -> None:
        self._is_log = False
        self._tick_height = _LINES_A_TICK * line_height
        super().__init__("left", **options)

    @property
    def is_log(self) -> bool:
        """Whether places are powers of ten."""
        return self._is_log

    def set_log(self, is_log: bool) -> None:
        """Take places for powers of ten, or for plain numbers."""
        self._is_log = is_log
        self.picture = None  # what was drawn has other numbers
        self.update()

    def tickValues(self, minimum: float, maximum: float, size: float) -> list[tuple[float, list[float]]]:
        """Return where the marks are."""
        if not self._is_log:
            ticks: list[tuple[float, list[float]]] = super().tickValues(minimum, maximum, size)
            return ticks
        return [(1.0, list(log_ticks(minimum, maximum, max(int(size / self._tick_height), 2))))]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers at the marks."""
        if not self._is_log:
            texts: list[str] = super().tickStrings(values, scale, spacing)
            return texts
        return [format_number(10.0**value) for value in values]
