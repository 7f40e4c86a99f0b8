"""The parts of the window that change tensors, made and connected with each other."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from hookscope.gui.central_area import CentralArea
from hookscope.gui.current import Current
from hookscope.gui.dock_layout import DockLayout
from hookscope.gui.handlers.interventions import InterventionHandlers
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.interventions.dock import InterventionsDock
from hookscope.gui.interventions.files import InterventionFiles
from hookscope.gui.interventions.hand_book import HandBook
from hookscope.gui.interventions.live import LiveTrials
from hookscope.gui.interventions.memory import InterventionMemory
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.notifications import Notifications
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.gui.trials.parts import TrialParts
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import HandChange


class InterventionParts(QObject):
    """The list of interventions, the forms that make them, changes by hand of a stopped step, and what comes of it.

    Args:
        bridge: The session.
        current: What the window is looking at.
        settings: Where the list of each model is remembered.
        window: The main window.
    """

    def __init__(self, bridge: SessionBridge, current: Current, settings: Settings, window: QMainWindow) -> None:
        super().__init__(window)
        self.book = InterventionBook(bridge, self)
        self.hand = HandBook(bridge, self)
        self.live = LiveTrials(bridge, self.book, self)
        self.files = InterventionFiles(bridge, self.book, settings, window)
        self.dock = InterventionsDock(bridge, self.book, self.hand, self.live, current, window)
        self.handlers = InterventionHandlers(bridge, self.book, self.files, current, window)
        self.trials = TrialParts(bridge, current, self.book, window)
        self._memory = InterventionMemory(bridge, self.book, settings, self)

    def join(self, modules: ModuleTreeDock, docks: DockLayout, central: CentralArea, toast: Notifications) -> None:
        """Connect them with the rest of the window; called once."""
        self._docks = docks
        docks.add("interventions", self.dock)
        self.trials.join(docks, central, toast)
        handlers, page = self.handlers, self.dock.page
        modules.change_requested.connect(self._change_module)
        self.book.listed.connect(modules.model.forget_findings)
        handlers.edit_requested.connect(self._edit)
        handlers.list_requested.connect(self._show_list)
        handlers.at_hand_requested.connect(self._show_at_hand)
        page.add_requested.connect(handlers.add)
        page.save_requested.connect(handlers.save_list)
        page.load_requested.connect(handlers.load_list)
        page.export_requested.connect(handlers.export_script)
        page.prove_requested.connect(self.trials.handlers.remove_and_prove)
        page.sweep_requested.connect(self.trials.handlers.sweep_of)
        self.dock.keep_requested.connect(self._keep)
        self.files.told.connect(toast.show_text)

    def change_tensor(self, ref: TensorRef) -> None:
        """Begin to change a tensor, and show the form."""
        self.handlers.change_tensor(ref)

    def change_channel(self, ref: TensorRef, dim: int, number: int) -> None:
        """Zero one entry along a dim of a tensor, and show the form."""
        self.handlers.change_channel(ref, dim, number)

    @Slot(str, object, bool)
    def _change_module(self, path: str, change: object, of_gradient: bool) -> None:
        self.handlers.change_module(path, change, of_gradient=of_gradient)  # type: ignore[arg-type]

    @Slot(int)
    def _edit(self, id_: int) -> None:
        self._docks.bring_up("interventions")
        self.dock.edit(id_)

    @Slot()
    def _show_list(self) -> None:
        self._docks.bring_up("interventions")
        self.dock.show_list()

    @Slot()
    def _show_at_hand(self) -> None:
        self._docks.bring_up("interventions")
        self.dock.show_hand()

    @Slot(object)
    def _keep(self, change: HandChange) -> None:
        """Let a change by hand be made in every step from now on."""
        self._edit(self.book.add(self.hand.as_intervention(change)).id)
