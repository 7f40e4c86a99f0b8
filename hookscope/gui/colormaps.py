"""Colour maps of pictures, each legible to colour-blind eyes, and the colours of what is no ordinary value."""

from enum import StrEnum
from functools import cache

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtGui import QColor

from hookscope.figures.levels import SHADES, Mark
from hookscope.gui.theme import DARK, LIGHT, Theme

_ENTRIES = 256


class ColorMap(StrEnum):
    """What a person can choose."""

    AUTO = "auto"
    """Blue to orange when zero is in the middle of the range, else viridis."""
    VIRIDIS = "viridis"
    CIVIDIS = "cividis"
    DIVERGING = "diverging"
    CYCLIC = "cyclic"
    """Its two ends are alike: for angles."""
    GREY = "grey"


# Blue below zero, orange above. The middle is the panel colour: on a dark panel white would glare.
_DIVERGING: dict[str, tuple[str, ...]] = {
    DARK.name: ("#a8d8ff", "#3f97e6", DARK.panel, "#cf7a26", "#ffcf9e"),
    LIGHT.name: ("#07417f", "#4f9be0", LIGHT.panel, "#e69138", "#7a3d00"),
}
_STORED = {ColorMap.VIRIDIS: "viridis", ColorMap.CIVIDIS: "cividis", ColorMap.CYCLIC: "CET-CBC1"}

MARK_COLORS: dict[Mark, str] = {
    Mark.NAN: "#ff00ff",
    Mark.POS_INF: "#ffffff",
    Mark.NEG_INF: "#000000",
    Mark.NEGATIVE: "#3d7bff",
    Mark.BELOW: "#00e5c0",
    Mark.ABOVE: "#ff3030",
}
"""Of colours that no map has, and of different brightness each; the gap between tiles is the window's colour."""


@cache
def lookup_table(theme: Theme, *, signed: bool, choice: ColorMap = ColorMap.AUTO) -> npt.NDArray[np.uint8]:
    """Return the colours of `figures.levels.color_indices` as `(256, 4)` RGBA: shades first, then the marks.

    Args:
        theme: For the middle of the signed map and for gaps.
        signed: Whether the levels are symmetric about zero; decides what `AUTO` is.
        choice: The map.
    """
    table = np.full((_ENTRIES, 4), 255, np.uint8)
    table[:SHADES, :3] = _colors(theme, _resolve(choice, signed=signed)).getLookupTable(nPts=SHADES)[:, :3]
    for mark, color in (*MARK_COLORS.items(), (Mark.GAP, theme.window)):
        table[int(mark)] = np.array(QColor(color).getRgb(), np.uint8)
    table.setflags(write=False)
    return table


def _resolve(choice: ColorMap, *, signed: bool) -> ColorMap:
    if choice is not ColorMap.AUTO:
        return choice
    return ColorMap.DIVERGING if signed else ColorMap.VIRIDIS


def _colors(theme: Theme, color_map: ColorMap) -> pg.ColorMap:
    if color_map in _STORED:
        return pg.colormap.get(_STORED[color_map])
    stops = _DIVERGING[theme.name] if color_map is ColorMap.DIVERGING else ("#000000", "#ffffff")
    return pg.ColorMap(np.linspace(0.0, 1.0, len(stops)), list(stops))
