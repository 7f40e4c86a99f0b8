"""How long it takes from a step command to a window that shows the tensor at hand, on the digits example.

It goes from one event to the next; what lies between the command and the moment at which every panel has painted what
it asked for is one figure. It holds the model's own work between the two events, which is next to none.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from hookscope.client.state import SessionState
from hookscope.gui.app import create_application
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.workload import ExampleSource

WARM_UP_STOPS = 8
STOPS = 40


def wait(app: QApplication, is_done: Callable[[], bool]) -> None:
    while not is_done():
        app.processEvents()


def main() -> None:
    app = create_application(sys.argv[:1])
    settings = Settings(MemoryStore())
    bridge = SessionBridge(app)
    window = MainWindow(bridge, settings, ThemeSwitch(app, settings))
    window.resize(1600, 1000)
    window.show()
    session = bridge.session
    window.handlers.opening.open_source(ExampleSource("digits"))
    wait(app, lambda: session.state is SessionState.IDLE)
    assert session.tree is not None
    session.check(module.path for module in session.tree.modules)
    taken = []
    for _ in range(WARM_UP_STOPS + STOPS):
        started = time.perf_counter()
        session.step_into()  # from here on the session is running, until the next stop
        wait(app, lambda: session.state is SessionState.STOPPED)
        wait(app, lambda: window.is_settled)
        taken.append((time.perf_counter() - started) * 1000)
    window.close()
    bridge.close()
    times = sorted(taken[WARM_UP_STOPS:])
    figures = {"stops": STOPS, "median_ms": round(statistics.median(times), 1), "slowest_ms": round(times[-1], 1)}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
