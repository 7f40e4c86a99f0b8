"""How long the window's event loop is away from its work while the digits example runs under six panels.

A timer that wants to fire every millisecond notes when it does; what lies between two firings is a gap.
"""

import json
import statistics
import sys
import time

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from hookscope.client.start_options import StartOptions
from hookscope.gui.app import create_application
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.startup import StartUp
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.identity import Slot as TensorSlot
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.workload import ExampleSource

PANELS = (
    ("grid", TensorRef("features.0", TensorSlot.OUTPUT, "out")),
    ("histogram", TensorRef("features.3", TensorSlot.GRAD_OUTPUT, "out")),
    ("kernels", TensorRef("features.3", TensorSlot.PARAMETER, "weight")),
    ("heatmap", TensorRef("classifier.1", TensorSlot.PARAMETER_GRAD, "weight")),
)
"""Besides the two that are there from the start: a grid and a histogram of what is current."""

WARM_UP_MS = 3_000
MEASURED_MS = 15_000
WIDTH, HEIGHT = 1900, 1200


class Measurement(QObject):
    """Adds the panels, runs, notes the gaps, and ends."""

    def __init__(self, bridge: SessionBridge, window: MainWindow) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._window = window
        self._last = 0.0
        self.gaps_ms: list[float] = []
        self.steps = 0
        self.panels = 0
        self._probe = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._probe.timeout.connect(self._note_gap)

    @Slot()
    def begin(self) -> None:
        assert self._window.panels is not None
        for kind, ref in PANELS:
            self._window.panels.add_panel(kind, ref)
        self._bridge.session.run()
        QTimer.singleShot(WARM_UP_MS, self._measure)

    @Slot()
    def _measure(self) -> None:
        assert self._window.panels is not None
        self.panels = len(self._window.panels.visible_panels())
        self.steps = -len(self._bridge.session.history)
        self._last = time.perf_counter()
        self._probe.start()
        QTimer.singleShot(MEASURED_MS, self._end)

    @Slot()
    def _note_gap(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1000)
        self._last = now

    @Slot()
    def _end(self) -> None:
        self.steps += len(self._bridge.session.history)
        self._probe.stop()
        self._window.close()


def main() -> None:
    app = create_application(sys.argv[:1])
    settings = Settings(MemoryStore())
    bridge = SessionBridge(app)
    window = MainWindow(bridge, settings, ThemeSwitch(app, settings))
    window.resize(WIDTH, HEIGHT)
    measurement = Measurement(bridge, window)
    options = StartOptions(ExampleSource("digits"), checks=("*",), steps=1)
    start_up = StartUp(bridge, window, options)
    start_up.finished.connect(measurement.begin)
    window.show()
    start_up.start()
    app.exec()
    bridge.close()
    gaps = sorted(measurement.gaps_ms)
    figures = {
        "visible_panels": measurement.panels,
        "steps_per_second": round(measurement.steps / MEASURED_MS * 1000, 1),
        "gap_p50_ms": round(statistics.median(gaps), 1),
        "gap_p99_ms": round(gaps[int(len(gaps) * 0.99)], 1),
        "gap_max_ms": round(gaps[-1], 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
