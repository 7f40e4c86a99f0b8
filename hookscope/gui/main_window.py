"""The main window: it makes the parts, connects them, and remembers their layout. It does nothing itself."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from hookscope.gui.action_rows import ToolGroup
from hookscope.gui.action_set import ActionSet
from hookscope.gui.central_area import CentralArea
from hookscope.gui.current import Current
from hookscope.gui.dock_layout import DockLayout
from hookscope.gui.exports.parts import ExportParts
from hookscope.gui.first_look import FirstLook
from hookscope.gui.handlers import Handlers
from hookscope.gui.handlers.help import HelpHandlers
from hookscope.gui.handlers.opening import OpeningHandlers
from hookscope.gui.handlers.operations import OperationHandlers
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.handlers.places import PlaceHandlers
from hookscope.gui.handlers.preferences import PreferenceHandlers
from hookscope.gui.handlers.session import SessionHandlers
from hookscope.gui.handlers.view import ViewHandlers
from hookscope.gui.interventions.parts import InterventionParts
from hookscope.gui.lessons_dock import LessonsDock
from hookscope.gui.log_panel import LogPanel
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.notifications import Notifications
from hookscope.gui.operations.dock import OperationsDock
from hookscope.gui.panel_parts import PanelParts
from hookscope.gui.ready_page import ReadyPage
from hookscope.gui.run_controls import RunControls
from hookscope.gui.series.parts import SeriesParts
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import Settings
from hookscope.gui.status_bar import StatusBar
from hookscope.gui.stepping_parts import SteppingParts
from hookscope.gui.style import ThemeSwitch
from hookscope.gui.tool_bar import ToolBar
from hookscope.gui.welcome import WelcomePage
from hookscope.gui.workload_dock import WorkloadDock

if TYPE_CHECKING:
    from hookscope.gui.panels.details import DetailsDock
    from hookscope.gui.panels.panel_area import PanelArea

DEFAULT_SIZE = QSize(1440, 900)
MINIMUM_SIZE = QSize(800, 520)


class MainWindow(QMainWindow):
    """One window with one session.

    The parts that plot are made after the first paint (`complete`): loading what draws them takes longer than
    everything else together.

    Args:
        bridge: The session; whoever made it closes it after the window.
        settings: What was remembered.
        theme: Switches the theme of the program.
    """

    def __init__(self, bridge: SessionBridge, settings: Settings, theme: ThemeSwitch) -> None:
        super().__init__()
        self._bridge = bridge
        self._settings = settings
        self._theme = theme
        self._is_completing = False
        self.setObjectName("main_window")
        self.setMinimumSize(MINIMUM_SIZE)
        self.resize(DEFAULT_SIZE.boundedTo(self.screen().availableSize()))
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        bridge.model_loaded.connect(self.complete)  # first of all, so that a loaded model finds its panels
        self.current = Current(bridge, self)
        self._first_look = FirstLook(bridge, self.current, self)
        self.central = CentralArea(bridge, self)
        self.toast = Notifications(self.central)
        self.modules = ModuleTreeDock(bridge, self.current, self)
        self.workload = WorkloadDock(bridge, self)
        self.operations = OperationsDock(bridge, self.current, self)
        self.lessons = LessonsDock(bridge, self)
        self.stepping = SteppingParts(bridge, self.current, settings, self)
        self.interventions = InterventionParts(bridge, self.current, settings, self)
        self.series = SeriesParts(bridge, self.current, settings, self)
        self.plotting = PanelParts(bridge, self.current, settings, self)
        self.docks = DockLayout(self, settings)
        pictures = PictureHandlers(bridge, settings, self.toast, self.plotting.focused, self)
        self.exports = ExportParts(bridge, self.current, settings, pictures, self)
        self.handlers = Handlers(
            session=SessionHandlers(bridge, self.current, self),
            modules=self.modules,
            stepping=self.stepping.handlers,
            breakpoints=self.stepping.breakpoint_handlers,
            timeline=self.stepping.timeline,
            interventions=self.interventions.handlers,
            trials=self.interventions.trials.handlers,
            series=self.series.handlers,
            opening=OpeningHandlers(bridge, settings, self),
            operations=OperationHandlers(bridge, self.current, self),
            preferences=PreferenceHandlers(bridge, settings, theme, self),
            pictures=pictures,
            places=PlaceHandlers(self.plotting.focused, self.toast, self),
            exports=self.exports.handlers,
            view=ViewHandlers(self, self.docks, theme),
            help=HelpHandlers(bridge, self),
        )
        self.action_set = ActionSet(self.handlers, self)
        self.welcome = WelcomePage(settings, self)
        self.ready = ReadyPage(bridge, self.action_set["step"], self.action_set["check_matching"], self)
        self._assemble()
        self._connect()
        self.docks.restore()
        self.welcome.open_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._follow_state()
        self._follow_theme()

    def _assemble(self) -> None:
        self.setCentralWidget(self.central)
        self.central.set_pages(self.welcome, self.ready)
        self.action_set.fill_menu_bar(self.menuBar())
        tool_bar = ToolBar(self)
        self.action_set.fill_tool_bar(tool_bar, {ToolGroup.OPEN: RunControls(self._bridge, tool_bar)})
        tool_bar.shorten_for(self.action_set)
        self.addToolBar(tool_bar)
        status = StatusBar(self._bridge, self)
        self.setStatusBar(status)
        self.central.failure_card.dismissed.connect(status.refresh)
        self.exports.join(status, self.toast)
        self.docks.add("modules", self.modules)
        self.docks.add("workload", self.workload)
        self.docks.add("log", self._dock(self.tr("Log"), LogPanel(self._bridge, self)))
        self.docks.add("operations", self.operations)
        self.docks.add("lessons", self.lessons)
        self.stepping.join(self.modules, self.docks, self.central, self.toast)
        self.interventions.join(self.modules, self.docks, self.central, self.toast)
        self.series.join(self.docks, self.toast)
        self.plotting.join(self.docks, self.central, status, self.handlers.pictures, self.interventions, self.exports)

    def _connect(self) -> None:
        handlers, central = self.handlers, self.central
        central.cancel_requested.connect(handlers.session.cancel_loading)
        central.failure_card.details_copied.connect(self._tell_copied)
        central.failure_card.remedy_requested.connect(handlers.session.apply_remedy)
        for source in (self.modules, self.operations, self.ready):
            source.operations_requested.connect(handlers.operations.show_operations_of)
        handlers.operations.list_requested.connect(self._show_operations)
        handlers.session.open_requested.connect(handlers.opening.open_model)
        handlers.session.workload_requested.connect(self._show_workload)
        handlers.session.gradient_requested.connect(self.workload.loss.ask_for_file)
        self.ready.workload_requested.connect(self._show_workload)
        handlers.help.lessons_requested.connect(self._show_lessons)
        self.lessons.source_chosen.connect(handlers.opening.open_text)
        self.welcome.open_requested.connect(handlers.opening.open_model)
        self.welcome.source_chosen.connect(handlers.opening.open_text)
        handlers.opening.recent_changed.connect(self.welcome.refresh_recent)
        handlers.view.panel_requested.connect(self.plotting.add)
        self.stepping.panel_requested.connect(self.plotting.show_tensor)
        handlers.view.reset_requested.connect(self.plotting.reset)
        self._theme.chosen.connect(self._follow_theme)
        self._bridge.state_changed.connect(self._follow_state)
        self._bridge.model_loaded.connect(self._follow_state)
        self._bridge.model_loaded.connect(self._focus_modules)

    @Slot()
    def complete(self) -> None:
        """Make the parts that plot. The first paint asks for it, and so does a loaded model."""
        self.plotting.complete()
        self.series.complete()

    @property
    def panels(self) -> "PanelArea | None":
        """The panels, once they are made."""
        return self.plotting.area

    @property
    def details(self) -> "DetailsDock | None":
        """The numbers of the current tensor, once they are made."""
        return self.plotting.details

    @property
    def is_settled(self) -> bool:
        """Whether everything that can be seen shows the newest it asked for."""
        return self.plotting.is_settled and self.series.is_settled

    def _dock(self, title: str, content: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setWidget(content)
        return dock

    @Slot()
    def _tell_copied(self) -> None:
        self.toast.show_text(self.tr("Details copied"))

    @Slot()
    def _show_workload(self) -> None:
        self.docks.bring_up("workload")
        self.workload.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _show_lessons(self) -> None:
        self.docks.bring_up("lessons")

    @Slot()
    def _show_operations(self) -> None:
        self.docks.bring_up("operations")

    @Slot()
    def _follow_theme(self) -> None:
        self.action_set[f"theme_{self._theme.choice}"].setChecked(True)

    @Slot()
    def _focus_modules(self) -> None:
        """Put the keyboard where work on a loaded model starts."""
        self.modules.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _follow_state(self) -> None:
        session = self._bridge.session
        self.action_set.update_states(session.state)
        title = session.workload.title if session.workload is not None else ""
        self.setWindowTitle(f"{title} – hookscope" if title else "hookscope")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ask for the rest once the window is on the screen."""
        super().paintEvent(event)
        if not self._is_completing:
            self._is_completing = True
            QTimer.singleShot(0, self.complete)

    def changeEvent(self, event: QEvent) -> None:
        """Keep the full-screen check mark right, however it came about."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.WindowStateChange:
            action = self.action_set["full_screen"]
            with QSignalBlocker(action):
                action.setChecked(self.isFullScreen())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the layout."""
        self.docks.save()
        self.plotting.keep_layout()
        super().closeEvent(event)
