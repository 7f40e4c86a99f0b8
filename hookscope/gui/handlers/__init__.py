"""What the actions do, one file a subject. The table of actions names these methods, dotted."""

from dataclasses import dataclass

from hookscope.gui.handlers.breakpoints import BreakpointHandlers
from hookscope.gui.handlers.exports import ExportHandlers
from hookscope.gui.handlers.help import HelpHandlers
from hookscope.gui.handlers.interventions import InterventionHandlers
from hookscope.gui.handlers.opening import OpeningHandlers
from hookscope.gui.handlers.operations import OperationHandlers
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.handlers.places import PlaceHandlers
from hookscope.gui.handlers.preferences import PreferenceHandlers
from hookscope.gui.handlers.series import SeriesHandlers
from hookscope.gui.handlers.session import SessionHandlers
from hookscope.gui.handlers.stepping import SteppingHandlers
from hookscope.gui.handlers.trials import TrialHandlers
from hookscope.gui.handlers.view import ViewHandlers
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.timeline.dock import TimelineDock


@dataclass(frozen=True)
class Handlers:
    """Everything that actions can be wired to; the module tree and the timeline handle their own."""

    session: SessionHandlers
    modules: ModuleTreeDock
    stepping: SteppingHandlers
    breakpoints: BreakpointHandlers
    timeline: TimelineDock
    interventions: InterventionHandlers
    trials: TrialHandlers
    series: SeriesHandlers
    opening: OpeningHandlers
    operations: OperationHandlers
    pictures: PictureHandlers
    places: PlaceHandlers
    exports: ExportHandlers
    preferences: PreferenceHandlers
    view: ViewHandlers
    help: HelpHandlers
