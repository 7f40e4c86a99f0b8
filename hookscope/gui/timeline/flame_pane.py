"""The flame view with its table."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from hookscope.figures.flame import flame_of
from hookscope.figures.lanes import StepTrace
from hookscope.gui.timeline.flame_view import FlameView
from hookscope.gui.timeline.names import ModuleNames
from hookscope.gui.timeline.time_table import TimeTable, times_of


class FlamePane(QSplitter):
    """Times as bars, and the same as numbers.

    Signals:
        module_chosen: A module was clicked; its path.
    """

    module_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.bars = FlameView()
        self.table = TimeTable()
        self.addWidget(self.bars)
        self.addWidget(self.table)
        self.setChildrenCollapsible(False)
        self.setStretchFactor(0, 1)
        self.bars.module_chosen.connect(self.module_chosen)
        self.table.module_chosen.connect(self.module_chosen)

    def show_trace(self, trace: StepTrace, names: ModuleNames) -> None:
        """Show another step, or more of the same one."""
        nodes = flame_of(trace)
        self.bars.show_nodes(nodes, names, has_memory=trace.has_memory)
        self.table.show_times(times_of(nodes), names, has_memory=trace.has_memory)

    def mark(self, path: str | None) -> None:
        """Mark the module that the window looks at."""
        self.bars.mark(path)
