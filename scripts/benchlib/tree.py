"""Showing and filtering a tree of 10,000 modules, until it is painted."""

import json
import statistics
import sys
import time

from PySide6.QtWidgets import QApplication

from hookscope.client.state import SessionState
from hookscope.gui.app import create_application
from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.workload import ModuleSource, SyntheticInput

FILTERS = ("7", "12.", "*.5", "class:Linear", "nothing of this name")
REPEATS = 7
LOADING_S = 120.0


def load(app: QApplication, bridge: SessionBridge) -> None:
    bridge.session.open(ModuleSource("benchlib.models", "large_tree"), inputs=(SyntheticInput((1, 2)),))
    deadline = time.monotonic() + LOADING_S
    while bridge.session.state is not SessionState.IDLE:
        if bridge.session.failure is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the model was not loaded: {bridge.session.failure}")
        app.processEvents()
        time.sleep(0.01)


def shown_ms(app: QApplication, bridge: SessionBridge, current: Current, docks: list[ModuleTreeDock]) -> float:
    """Make the whole dock and paint it."""
    started = time.perf_counter()
    dock = ModuleTreeDock(bridge, current)
    dock.resize(500, 900)
    dock.show()
    app.processEvents()
    dock.view.repaint()
    taken = (time.perf_counter() - started) * 1000
    docks.append(dock)
    return taken


def filtered_ms(app: QApplication, dock: ModuleTreeDock, text: str) -> float:
    """Type a filter where there was none, and press Enter."""
    dock.filter_field.clear()
    dock.go_to_next_match()
    app.processEvents()
    started = time.perf_counter()
    dock.filter_field.setText(text)
    dock.go_to_next_match()
    app.processEvents()
    dock.view.repaint()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    app = create_application(sys.argv[:1])
    ThemeSwitch(app, Settings(MemoryStore()))
    bridge = SessionBridge(app)
    current = Current(bridge, app)
    load(app, bridge)
    assert bridge.session.tree is not None
    docks: list[ModuleTreeDock] = []
    first = shown_ms(app, bridge, current, docks)
    again = []
    for _ in range(REPEATS):
        docks.pop().close()
        again.append(shown_ms(app, bridge, current, docks))
    dock = docks[-1]
    filters = {text: statistics.median(filtered_ms(app, dock, text) for _ in range(REPEATS)) for text in FILTERS}
    dock.close()
    bridge.close()
    figures = {
        "modules": len(bridge.session.tree.modules),
        "first_shown_ms": round(first, 1),
        "shown_ms": round(statistics.median(again), 1),
        "slowest_filter_ms": round(max(filters.values()), 1),
        "slowest_filter": max(filters, key=filters.__getitem__),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
