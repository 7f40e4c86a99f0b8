"""An axis of a plot: plain numbers, or powers of ten."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF

from hookscope.figures.series_lines import log_ticks
from hookscope.figures.text import format_power
from hookscope.gui.panels.base import fixed_font

_LINES_A_TICK = 2.2
_CHARS_A_TICK = 8
"""Room for a number at an upright and at a level axis."""

_WIDEST = 300
"""Numbers beyond ten to the power of this are marked by the library itself."""


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis that can be told that its places are powers of ten; then it marks round numbers.

    (The library's own logarithmic axis writes more numbers than there is room for.)

    Args:
        side: Where it is, as the library calls it.
        is_log: Whether places are powers of ten to begin with.
        is_whole: Whether it counts: then no mark stands between two whole numbers.
        options: Those of `AxisItem`.
    """

    def __init__(self, side: str, *, is_log: bool = False, is_whole: bool = False, **options: Any) -> None:
        self._is_log = is_log
        self._is_whole = is_whole
        font = fixed_font(0.9)
        metrics = QFontMetricsF(font)
        is_upright = side in {"left", "right"}
        self._room = _LINES_A_TICK * metrics.lineSpacing() if is_upright else _CHARS_A_TICK * metrics.averageCharWidth()
        super().__init__(side, **options)
        self.setStyle(tickFont=font, tickLength=-4)

    @property
    def is_log(self) -> bool:
        """Whether places are powers of ten."""
        return self._is_log

    def set_log(self, is_log: bool) -> None:
        """Take places for powers of ten, or for plain numbers."""
        if is_log != self._is_log:
            self._is_log = is_log
            self.picture = None  # what was drawn has other numbers
            self.update()

    def tickSpacing(self, minimum: float, maximum: float, size: float) -> list[tuple[float, float]]:
        """Return how far the marks are apart, and where they begin."""
        levels: list[tuple[float, float]] = super().tickSpacing(minimum, maximum, size)
        if not self._is_whole:
            return levels
        return [(step, offset) for step, offset in levels if step >= 1] or [(1.0, 0.0)]

    def tickValues(self, minimum: float, maximum: float, size: float) -> list[tuple[float, list[float]]]:
        """Return where the marks are."""
        if not self._is_log or max(abs(minimum), abs(maximum)) > _WIDEST:
            ticks: list[tuple[float, list[float]]] = super().tickValues(minimum, maximum, size)
            return ticks
        return [(1.0, list(log_ticks(minimum, maximum, max(int(size / self._room), 2))))]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers at the marks."""
        if not self._is_log:
            texts: list[str] = super().tickStrings(values, scale, spacing)
            return texts
        return [format_power(value) for value in values]
