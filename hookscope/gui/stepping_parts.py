"""The parts of the window that have to do with stepping, made and connected with each other."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from hookscope.client.state import SessionState
from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.breakpoints.dock import BreakpointsDock
from hookscope.gui.central_area import CentralArea
from hookscope.gui.code_dock.dock import CodeDock
from hookscope.gui.current import Current
from hookscope.gui.dock_layout import DockLayout
from hookscope.gui.editor import open_in_editor
from hookscope.gui.handlers.breakpoints import BreakpointHandlers
from hookscope.gui.handlers.stepping import SteppingHandlers
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.gutter import TreeGutter
from hookscope.gui.notifications import Notifications
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.gui.stop_follower import StopFollower
from hookscope.gui.timeline.bookmark_keys import BookmarkKeys
from hookscope.gui.timeline.dock import TimelineDock


class SteppingParts(QObject):
    """Breakpoints, the timeline, the code of a stop, and what follows a stop.

    Args:
        bridge: The session.
        current: What the window is looking at.
        settings: Where the command of the editor is.
        window: The main window.

    Signals:
        panel_requested: A tensor (`TensorRef`) should be shown in a panel of its own.
    """

    panel_requested = Signal(object)

    def __init__(self, bridge: SessionBridge, current: Current, settings: Settings, window: QMainWindow) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._current = current
        self._settings = settings
        self.book = BreakpointBook(bridge, self)
        self.dock = BreakpointsDock(self.book, window)
        self.code = CodeDock(bridge, window)
        self.timeline = TimelineDock(bridge, current, window)
        BookmarkKeys(self.timeline, window)
        self.handlers = SteppingHandlers(bridge, current, window)
        self.breakpoint_handlers = BreakpointHandlers(bridge, self.book, current, window)
        self._follower = StopFollower(bridge, current, self)
        self._code_is_up_for_a_stop = False

    def join(self, modules: ModuleTreeDock, docks: DockLayout, central: CentralArea, toast: Notifications) -> None:
        """Connect them with the rest of the window; called once."""
        self._docks, self._toast = docks, toast
        docks.add("timeline", self.timeline)
        docks.add("breakpoints", self.dock)
        docks.add("code", self.code)
        gutter = TreeGutter(self._bridge, self.book, modules.view)
        modules.set_gutter(gutter)
        gutter.toggle_requested.connect(self.breakpoint_handlers.toggle_at)
        gutter.edit_requested.connect(self.breakpoint_handlers.edit_at)
        self.dock.edit_requested.connect(self.breakpoint_handlers.edit)
        self.breakpoint_handlers.list_requested.connect(self._show_list)
        self._follower.arrived.connect(central.show_panels)
        self._follower.arrived.connect(self._show_code)
        self._bridge.state_changed.connect(self._follow_state)
        self.code.tensor_requested.connect(self.panel_requested)
        self.code.editor_requested.connect(self._open_in_editor)
        self.code.location_copied.connect(self._tell_copied)
        central.origin_card.tensor_requested.connect(self._current.select_ref)
        central.origin_card.module_requested.connect(self._current.select_module)
        central.origin_card.place_requested.connect(self._show_place)

    @Slot()
    def _show_list(self) -> None:
        self._docks.bring_up("breakpoints")

    @Slot()
    def _show_code(self) -> None:
        """Bring the code to the front of its tabs, unless a person has closed it."""
        if self.code.toggleViewAction().isChecked():
            self._docks.bring_up("code")
            self._code_is_up_for_a_stop = True

    @Slot()
    def _follow_state(self) -> None:
        """Let the code give way when the stepping is over that has brought it up."""
        is_in_a_step = self._bridge.session.state in {SessionState.STOPPED, SessionState.RUNNING}
        if self._code_is_up_for_a_stop and not is_in_a_step:
            self._code_is_up_for_a_stop = False
            self._docks.give_way("code")

    @Slot(str, int)
    def _show_place(self, file: str, line: int) -> None:
        self._docks.bring_up("code")
        self.code.show_place(file, line)

    @Slot(str, int)
    def _open_in_editor(self, file: str, line: int) -> None:
        command = self._settings.editor
        if not open_in_editor(command, file, line):
            self._toast.show_text(self.tr("The editor could not be started: {command}").format(command=command))

    @Slot()
    def _tell_copied(self) -> None:
        self._toast.show_text(self.tr("Location copied"))
