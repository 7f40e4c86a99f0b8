"""Every kind of panel: one row a kind of view request. The *Add panel* menu and the panels' kind box are made of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QCoreApplication

from hookscope.gui.panels.attention import AttentionView
from hookscope.gui.panels.bars import ChannelsView, SparsityView
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.cosine import CosineView
from hookscope.gui.panels.curve import CurveView
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.panels.kernels import KernelView
from hookscope.gui.panels.points import EmbeddingView, ScatterView
from hookscope.gui.panels.rgb import RgbView
from hookscope.gui.panels.spectrum import SpectrumView
from hookscope.gui.panels.statistics import StatisticsView
from hookscope.gui.panels.table import TableView

AUTO = "auto"
"""The kind that takes the best view of whatever tensor comes."""


class Group(IntEnum):
    """What belongs together in a menu, in this order."""

    PICTURE = 0
    CURVE = 1
    RELATION = 2
    NUMBERS = 3


@dataclass(frozen=True)
class PanelKind:
    """One kind of panel.

    Attributes:
        title: Its name for people, in English; see `kind_title`.
        icon: Codicon.
        factory: Makes the view.
        group: What it belongs to; the rows of a group follow each other.
        needs_others: Whether the view sets the tensor against another one, so that it must be told which there are.
    """

    title: str
    icon: str
    factory: Callable[[], TensorView]
    group: Group
    needs_others: bool = False


PANEL_KINDS: dict[str, PanelKind] = {
    "grid": PanelKind("Channel grid", "msc.layout", GridView, Group.PICTURE),
    "heatmap": PanelKind("Heatmap", "msc.symbol-color", HeatmapView, Group.PICTURE),
    "kernels": PanelKind("Kernels", "msc.symbol-array", KernelView, Group.PICTURE),
    "rgb": PanelKind("Colours (RGB)", "msc.color-mode", RgbView, Group.PICTURE),
    "histogram": PanelKind("Histogram", "msc.graph", HistogramView, Group.CURVE),
    "curve": PanelKind("Curve", "msc.graph-line", CurveView, Group.CURVE),
    "channels": PanelKind("Channels", "msc.graph-left", ChannelsView, Group.CURVE),
    "sparsity": PanelKind("Sparsity", "msc.symbol-null", SparsityView, Group.CURVE),
    "singular_values": PanelKind("Singular values", "msc.symbol-ruler", SpectrumView, Group.CURVE),
    "scatter": PanelKind("Scatter", "msc.graph-scatter", ScatterView, Group.RELATION, True),
    "embedding": PanelKind("Embedding (PCA)", "msc.compass", EmbeddingView, Group.RELATION),
    "cosine": PanelKind("Row similarity", "msc.compare-changes", CosineView, Group.RELATION),
    "attention": PanelKind("Attention", "msc.eye-watch", AttentionView, Group.RELATION, True),
    "statistics": PanelKind("Statistics", "msc.symbol-numeric", StatisticsView, Group.NUMBERS),
    "table": PanelKind("Table of values", "msc.table", TableView, Group.NUMBERS),
}
"""The kinds by the tag of their request, in the order of the menus."""


def kind_title(kind: str) -> str:
    """Return the name of a kind, `auto` included, in the person's language."""
    if kind == AUTO:
        return QCoreApplication.translate("PanelKind", "Best view")
    return QCoreApplication.translate("PanelKind", PANEL_KINDS[kind].title)


def starts_group(kind: str) -> bool:
    """Whether a line stands above a kind in a menu."""
    kinds = list(PANEL_KINDS)
    place = kinds.index(kind)
    return place > 0 and PANEL_KINDS[kinds[place - 1]].group is not PANEL_KINDS[kind].group
