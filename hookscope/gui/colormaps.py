"""Colour maps of pictures: one for values, one for signed values, each legible to colour-blind eyes."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtGui import QColor

from hookscope.gui.theme import DARK, LIGHT, Theme
from hookscope.protocol.views import Pixel

_ENTRIES = 257
"""Odd, so that zero falls on the very middle of a symmetric range."""

# Blue below zero, orange above. The middle is the panel colour: on a dark panel white would glare.
_DIVERGING: dict[str, tuple[str, ...]] = {
    DARK.name: ("#a8d8ff", "#3f97e6", DARK.panel, "#cf7a26", "#ffcf9e"),
    LIGHT.name: ("#07417f", "#4f9be0", LIGHT.panel, "#e69138", "#7a3d00"),
}

_MASK_COLORS: dict[Pixel, tuple[int, int, int, int]] = {
    Pixel.FINITE: (0, 0, 0, 0),
    Pixel.NAN: (255, 0, 255, 255),
    Pixel.POS_INF: (255, 255, 255, 255),
    Pixel.NEG_INF: (0, 0, 0, 255),
}


@cache
def lookup_table(theme: Theme, *, signed: bool) -> npt.NDArray[np.uint8]:
    """Return a map as `(257, 3)` uint8: blue to orange about the middle for signed values, else viridis."""
    if signed:
        stops = _DIVERGING[theme.name]
        color_map = pg.ColorMap(np.linspace(0.0, 1.0, len(stops)), list(stops))
    else:
        color_map = pg.colormap.get("viridis")
    table: npt.NDArray[np.uint8] = np.ascontiguousarray(color_map.getLookupTable(nPts=_ENTRIES)[:, :3])
    table.setflags(write=False)
    return table


def mask_table(gap: QColor) -> npt.NDArray[np.uint8]:
    """Return the RGBA of each mask byte, `(len(Pixel) + 1, 4)` uint8; the last row is the gap between tiles."""
    return np.array([*(_MASK_COLORS[kind] for kind in Pixel), gap.getRgb()], dtype=np.uint8)
