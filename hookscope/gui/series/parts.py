"""The parts of the window that show numbers over the steps and layers side by side, made and connected."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from hookscope.gui.current import Current
from hookscope.gui.handlers.series import SeriesHandlers
from hookscope.gui.series.following import Following
from hookscope.gui.series.layers_dock import LayersDock
from hookscope.gui.series.memory import SeriesMemory
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.series import Series, SeriesKind

if TYPE_CHECKING:
    from hookscope.gui.dock_layout import DockLayout
    from hookscope.gui.notifications import Notifications
    from hookscope.gui.series.dock import SeriesDock


class SeriesParts(QObject):
    """What is followed, its plots, and the layers.

    The plots are made by `complete`: loading what draws them takes longer than the window to appear.

    Args:
        bridge: The session.
        current: What the window is looking at.
        settings: Where what is followed of each model is remembered.
        window: The main window.
    """

    def __init__(self, bridge: SessionBridge, current: Current, settings: Settings, window: QMainWindow) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._current = current
        self._window = window
        self._docks: DockLayout | None = None
        self.following = Following(bridge, self)
        self.layers = LayersDock(bridge, current, window)
        self.dock: SeriesDock | None = None
        self.handlers = SeriesHandlers(bridge, self.following, settings, window)
        self._memory = SeriesMemory(bridge, self.following, settings, self)

    def join(self, docks: "DockLayout", toast: "Notifications") -> None:
        """Connect them with the rest of the window; called once."""
        self._docks, self._toast = docks, toast
        docks.add("layers", self.layers)
        self.layers.check_all_requested.connect(self.handlers.check_all)
        self.handlers.told.connect(toast.show_text)
        self.handlers.follow_requested.connect(self._offer)
        self.handlers.layers_requested.connect(self._show_layers)
        self.following.checked.connect(self._tell_checked)
        self.following.added.connect(self._show)

    def complete(self) -> None:
        """Make the dock of the plots, if that was not done; called after `join`."""
        if self.dock is not None:
            return
        from hookscope.gui.series.dock import SeriesDock  # noqa: PLC0415 - see above

        self.dock = SeriesDock(self._bridge, self.following, self._current, self._window)
        self.dock.export_requested.connect(self.handlers.export)
        if self._docks is not None:
            self._docks.add("series", self.dock)

    @property
    def is_settled(self) -> bool:
        """Whether everything that can be seen shows the newest it asked for."""
        return not self.layers.is_waiting and not (self.dock is not None and self.dock.is_waiting)

    def follow(self, ref: TensorRef, kind: SeriesKind) -> Series | None:
        """Follow a number of a tensor over the steps, and show its plot; see `Following.follow`."""
        return self.following.follow(ref, kind)

    @Slot()
    def _offer(self) -> None:
        if self.dock is not None and self._docks is not None:
            self._docks.bring_up("series")
            self.dock.open_menu()

    @Slot()
    def _show(self) -> None:
        if self.dock is not None and self._docks is not None:
            self._docks.bring_up("series")

    @Slot()
    def _show_layers(self) -> None:
        if self._docks is not None:
            self._docks.bring_up("layers")

    @Slot(str)
    def _tell_checked(self, name: str) -> None:
        self._toast.show_text(self.tr("{name} is captured from now on").format(name=name))
