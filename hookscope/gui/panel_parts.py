"""The parts of the window that plot: panels, details and history. Made late, connected with the rest."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow

from hookscope.gui.central_area import CentralArea
from hookscope.gui.current import Current
from hookscope.gui.dock_layout import DockLayout
from hookscope.gui.exports.parts import ExportParts
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.interventions.parts import InterventionParts
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.gui.status_bar import StatusBar
from hookscope.protocol.identity import TensorRef

if TYPE_CHECKING:
    from hookscope.gui.panels.details import DetailsDock
    from hookscope.gui.panels.panel import TensorPanel
    from hookscope.gui.panels.panel_area import PanelArea

_LAYOUT = "panels"


class PanelParts(QObject):
    """What shows tensors. `complete` makes it: loading what draws takes longer than the window to appear.

    Attributes:
        area: The panels, once they are made.
        details: The numbers of the current tensor, likewise.
    """

    def __init__(self, bridge: SessionBridge, current: Current, settings: Settings, window: QMainWindow) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._current = current
        self._settings = settings
        self._window = window
        self.area: PanelArea | None = None
        self.details: DetailsDock | None = None

    def join(
        self,
        docks: DockLayout,
        central: CentralArea,
        status: StatusBar,
        pictures: PictureHandlers,
        interventions: InterventionParts,
        exports: ExportParts,
    ) -> None:
        """Say what they work with; called once, before `complete`."""
        self._docks, self._central, self._status = docks, central, status
        self._pictures, self._interventions, self._exports = pictures, interventions, exports

    def complete(self) -> None:
        """Make them, if that was not done."""
        if self.area is not None:
            return
        from hookscope.gui.history_panel import HistoryPanel  # noqa: PLC0415 - see above
        from hookscope.gui.panels.details import DetailsDock  # noqa: PLC0415
        from hookscope.gui.panels.panel_area import PanelArea  # noqa: PLC0415

        area = self.area = PanelArea(self._bridge, self._current, self._window)
        self._central.set_panels(area)
        area.copy_requested.connect(self._pictures.copy_panel)
        area.png_requested.connect(self._pictures.save_panel_png)
        area.svg_requested.connect(self._pictures.save_panel_svg)
        self._exports.use_panels(area)
        area.change_requested.connect(self._interventions.change_channel)
        area.pointed.connect(self._status.show_pointed)
        self.details = DetailsDock(self._bridge, self._current, self._window)
        self._docks.add("details", self.details)
        history = QDockWidget(self.tr("History"), self._window)
        history.setWidget(HistoryPanel(self._bridge, self._window))
        self._docks.add("history", history)
        state = self._settings.layout(_LAYOUT)
        if state is not None:
            area.restore_state(state)

    @property
    def is_settled(self) -> bool:
        """Whether everything that can be seen shows the newest it asked for."""
        settled = self.area is not None and self.area.is_settled
        return settled and self.details is not None and not self.details.is_waiting

    def focused(self) -> "TensorPanel | None":
        """Return the panel that was used last."""
        return self.area.focused_panel() if self.area is not None else None

    def keep_layout(self) -> None:
        """Remember the panels and where they are."""
        if self.area is not None:
            self._settings.keep_layout(_LAYOUT, self.area.save_state())

    @Slot(str)
    def add(self, kind: str) -> None:
        """Open a panel of a kind beside the others."""
        if self.area is not None:
            self.area.add_panel(kind)
            self._central.show_panels()

    @Slot(object)
    def show_tensor(self, ref: TensorRef) -> None:
        """Open a panel that stays with a tensor."""
        if self.area is not None:
            self.area.add_panel("auto", ref)

    @Slot()
    def reset(self) -> None:
        """Go back to the panels of the beginning."""
        if self.area is not None:
            self.area.reset_layout()
