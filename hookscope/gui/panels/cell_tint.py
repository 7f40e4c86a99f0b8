"""Backgrounds of cells by their values, in the colours of pictures, so faint that numbers stay legible."""

import math

import numpy as np
from PySide6.QtGui import QColor

from hookscope.figures.levels import Levels, Mark, is_signed, shade
from hookscope.figures.ranges import fitted
from hookscope.gui.colormaps import ColorMap, lookup_table
from hookscope.gui.theme import Theme

_STRENGTH = 0.4


class CellTint:
    """Gives a cell's text its background.

    Args:
        extent: Smallest and largest finite value of the tensor.
        levels: Values of the first and of the last colour; `None` for what fits.
        color_map: The colours.
        theme: For the ground that they are faint on.
    """

    def __init__(self, extent: Levels, levels: Levels | None, color_map: ColorMap, theme: Theme) -> None:
        signed = is_signed(*extent)
        self._levels = levels or fitted(extent, is_symmetric=signed)
        self._table = lookup_table(theme, signed=signed, choice=color_map)
        self._ground = QColor(theme.panel)

    def __call__(self, text: str) -> QColor | None:
        """Return the background of a text; `None` for one that is no number."""
        value = number_of(text)
        if value is None:
            return None
        red, green, blue = (int(part) for part in self._table[self._entry(value)][:3])
        ground = self._ground
        return QColor(
            *(
                round(under + (over - under) * _STRENGTH)
                for under, over in ((ground.red(), red), (ground.green(), green), (ground.blue(), blue))
            )
        )

    def _entry(self, value: float) -> int:
        if math.isnan(value):
            return Mark.NAN
        if math.isinf(value):
            return Mark.POS_INF if value > 0 else Mark.NEG_INF
        largest = float(np.finfo(np.float32).max)
        return int(shade(np.array(min(max(value, -largest), largest), np.float32), self._levels))


def number_of(text: str) -> float | None:
    """Read a cell: a number, a truth value, or a complex number, of which the magnitude counts."""
    if text in {"True", "False"}:
        return float(text == "True")
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return abs(complex(text))
    except ValueError:
        return None
    except OverflowError:
        return math.inf
