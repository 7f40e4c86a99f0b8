"""What the actions do, one file a subject. The table of actions names these methods, dotted."""

from dataclasses import dataclass

from hookscope.gui.handlers.help import HelpHandlers
from hookscope.gui.handlers.opening import OpeningHandlers
from hookscope.gui.handlers.operations import OperationHandlers
from hookscope.gui.handlers.pictures import PictureHandlers
from hookscope.gui.handlers.preferences import PreferenceHandlers
from hookscope.gui.handlers.session import SessionHandlers
from hookscope.gui.handlers.view import ViewHandlers
from hookscope.gui.module_tree.dock import ModuleTreeDock


@dataclass(frozen=True)
class Handlers:
    """Everything that actions can be wired to; the module tree handles its own."""

    session: SessionHandlers
    modules: ModuleTreeDock
    opening: OpeningHandlers
    operations: OperationHandlers
    pictures: PictureHandlers
    preferences: PreferenceHandlers
    view: ViewHandlers
    help: HelpHandlers
