"""Every kind of panel: one row a kind of view request. The *Add panel* menu and the panels' kind box are made of it."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.curve import CurveView
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.panels.kernels import KernelView
from hookscope.gui.panels.statistics import StatisticsView
from hookscope.gui.panels.table import TableView
from hookscope.protocol.views import (
    CurveRequest,
    GridRequest,
    HeatmapRequest,
    HistogramRequest,
    KernelRequest,
    StatisticsRequest,
    TableRequest,
    ViewRequest,
)

AUTO = "auto"
"""The kind that takes the best view of whatever tensor comes."""


@dataclass(frozen=True)
class PanelKind:
    """One kind of panel.

    Attributes:
        title: Its name for people, in English; see `kind_title`.
        icon: Codicon.
        factory: Makes the view.
        request: What the view asks for when nothing was chosen in it.
    """

    title: str
    icon: str
    factory: Callable[[], TensorView]
    request: ViewRequest


PANEL_KINDS: dict[str, PanelKind] = {
    "grid": PanelKind("Channel grid", "msc.layout", GridView, GridRequest()),
    "heatmap": PanelKind("Heatmap", "msc.symbol-color", HeatmapView, HeatmapRequest()),
    "kernels": PanelKind("Kernels", "msc.symbol-array", KernelView, KernelRequest()),
    "histogram": PanelKind("Histogram", "msc.graph", HistogramView, HistogramRequest()),
    "curve": PanelKind("Curve", "msc.graph-line", CurveView, CurveRequest()),
    "statistics": PanelKind("Statistics", "msc.symbol-numeric", StatisticsView, StatisticsRequest()),
    "table": PanelKind("Table of values", "msc.table", TableView, TableRequest()),
}
"""The kinds by the tag of their request, in the order of the menus."""


def kind_title(kind: str) -> str:
    """Return the name of a kind, `auto` included, in the person's language."""
    if kind == AUTO:
        return QCoreApplication.translate("PanelKind", "Best view")
    return QCoreApplication.translate("PanelKind", PANEL_KINDS[kind].title)
