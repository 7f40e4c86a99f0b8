"""Which module to look at when nobody has chosen one yet."""

from PySide6.QtCore import QObject, Slot

from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.tree import ModuleInfo, ModuleTree


class FirstLook(QObject):
    """Makes the first results seen: when something was captured and no module is current, the best one becomes it."""

    def __init__(self, bridge: SessionBridge, current: Current, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current
        bridge.records_changed.connect(self._choose)

    @Slot(object)
    def _choose(self, paths: frozenset[str]) -> None:
        tree = self._session.tree
        if self._current.path is None and tree is not None:
            chosen = best_to_see(tree, paths)
            if chosen is not None:
                self._current.select_module(chosen)


def best_to_see(tree: ModuleTree, paths: frozenset[str]) -> str | None:
    """Return the module to look at first: a convolution, else one without children, else any; earlier ones first."""
    captured = [module for module in tree.modules if module.path in paths]
    return min(captured, key=_plainness).path if captured else None


def _plainness(module: ModuleInfo) -> int:
    if module.has_children:
        return 2
    return 0 if module.class_name.startswith("Conv") else 1
