"""The parts of the window that show what interventions do, made and connected with each other."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from hookscope.gui.current import Current
from hookscope.gui.handlers.trials import TrialHandlers
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.most_changed import MostChangedDock
from hookscope.gui.trials.proof_strip import ProofStrip
from hookscope.gui.trials.ribbon import TrialRibbon

if TYPE_CHECKING:
    from hookscope.gui.central_area import CentralArea
    from hookscope.gui.dock_layout import DockLayout
    from hookscope.gui.interventions.book import InterventionBook
    from hookscope.gui.notifications import Notifications


class TrialParts(QObject):
    """The strips above the pages, the list of what changed most, and the sweep.

    Args:
        bridge: The session.
        current: What the window is looking at.
        book: The interventions.
        window: The main window.
    """

    def __init__(self, bridge: SessionBridge, current: Current, book: "InterventionBook", window: QMainWindow) -> None:
        super().__init__(window)
        self._book = book
        self.ribbon = TrialRibbon(bridge, current, window)
        self.proof = ProofStrip(bridge, window)
        self.dock = MostChangedDock(bridge, current, window)
        self.handlers = TrialHandlers(bridge, current, book, window)

    def join(self, docks: "DockLayout", central: "CentralArea", toast: "Notifications") -> None:
        """Connect them with the rest of the window; called once."""
        self._docks = docks
        docks.add("changed", self.dock)
        central.add_strip(self.proof)
        central.add_strip(self.ribbon)
        self._book.changed.connect(self.ribbon.follow_list)
        self._book.changed.connect(self.proof.refresh)
        self.ribbon.try_requested.connect(self.handlers.try_now)
        self.ribbon.off_requested.connect(self.handlers.turn_all_off)
        self.ribbon.removal_requested.connect(self.handlers.remove_and_prove)
        self.handlers.told.connect(toast.show_text)
        self.handlers.list_requested.connect(self._show_list)

    @Slot()
    def _show_list(self) -> None:
        self._docks.bring_up("changed")
