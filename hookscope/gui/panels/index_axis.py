"""An axis of indices, which has no marks between two of them."""

import pyqtgraph as pg

from hookscope.gui.panels.base import fixed_font


class IndexAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Marks whole numbers only.

    Args:
        side: Where it is, as the library calls it.
    """

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.setStyle(tickFont=fixed_font(0.9), tickLength=-4)

    def tickSpacing(self, minimum: float, maximum: float, size: float) -> list[tuple[float, float]]:
        """Return the distances of marks, the widest first."""
        levels = super().tickSpacing(minimum, maximum, size)
        whole = [(spacing, offset) for spacing, offset in levels if spacing >= 1.0 and spacing == int(spacing)]
        return whole or [(1.0, 0.0)]
