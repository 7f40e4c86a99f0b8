"""How long the window's event loop is away from its work while the digits example runs, and what the panels cost it.

A timer that wants to fire every millisecond notes when it does; what lies between two firings is a gap. The example
runs under a window that is hidden, under six panels and under twelve, one after the other, in one process.
"""

import json
import statistics
import sys
import time
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

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

MORE_PANELS = (
    ("curve", TensorRef("classifier.1", TensorSlot.PARAMETER_GRAD, "bias")),
    ("histogram", TensorRef("features.0", TensorSlot.PARAMETER_GRAD, "weight")),
    ("grid", TensorRef("features.3", TensorSlot.OUTPUT, "out")),
    ("heatmap", TensorRef("classifier.3", TensorSlot.OUTPUT, "out")),
    ("channels", TensorRef("features.3", TensorSlot.OUTPUT, "out")),
    ("statistics", TensorRef("features.6", TensorSlot.OUTPUT, "out")),
)
"""For twelve."""

WARM_UP_MS = 3_000
MEASURED_MS = 12_000
REST_MS = 1_000
WIDTH, HEIGHT = 1900, 1200


@dataclass
class Phase:
    """One run, and what was noted in it."""

    name: str
    panels: tuple[tuple[str, TensorRef], ...] = ()
    is_hidden: bool = False
    visible_panels: int = 0
    steps: int = 0
    gaps_ms: list[float] = field(default_factory=list)

    @property
    def steps_per_second(self) -> float:
        return self.steps / MEASURED_MS * 1000

    def figures(self) -> dict[str, float]:
        gaps = sorted(self.gaps_ms)
        return {
            "visible_panels": self.visible_panels,
            "steps_per_second": round(self.steps_per_second, 1),
            "gap_p50_ms": round(statistics.median(gaps), 1),
            "gap_p99_ms": round(gaps[int(len(gaps) * 0.99)], 1),
            "gap_max_ms": round(gaps[-1], 1),
        }


class Measurement(QObject):
    """Goes through the phases: adds panels, runs, notes the gaps, and ends.

    Signals:
        ended: The last phase is over, and the window is closed.
    """

    ended = Signal()

    def __init__(self, bridge: SessionBridge, window: MainWindow, phases: tuple[Phase, ...]) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._window = window
        self._waiting = list(phases)
        self._phase = phases[0]
        self._last = 0.0
        self._probe = QTimer(self, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._probe.timeout.connect(self._note_gap)

    @Slot()
    def begin(self) -> None:
        if not self._waiting:
            self._window.close()
            self.ended.emit()
            return
        self._phase = self._waiting.pop(0)
        assert self._window.panels is not None
        self._window.setVisible(not self._phase.is_hidden)
        for kind, ref in self._phase.panels:
            self._window.panels.add_panel(kind, ref)
        self._bridge.session.run()
        QTimer.singleShot(WARM_UP_MS, self._measure)

    @Slot()
    def _measure(self) -> None:
        assert self._window.panels is not None
        self._phase.visible_panels = len(self._window.panels.visible_panels())
        self._phase.steps = -len(self._bridge.session.history)
        self._last = time.perf_counter()
        self._probe.start()
        QTimer.singleShot(MEASURED_MS, self._end)

    @Slot()
    def _note_gap(self) -> None:
        now = time.perf_counter()
        self._phase.gaps_ms.append((now - self._last) * 1000)
        self._last = now

    @Slot()
    def _end(self) -> None:
        self._phase.steps += len(self._bridge.session.history)
        self._probe.stop()
        self._bridge.session.stop()
        QTimer.singleShot(REST_MS, self.begin)


def main() -> None:
    app = create_application(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)  # the first phase hides it
    settings = Settings(MemoryStore())
    bridge = SessionBridge(app)
    window = MainWindow(bridge, settings, ThemeSwitch(app, settings))
    window.resize(WIDTH, HEIGHT)
    hidden = Phase("hidden", is_hidden=True)
    six, twelve = Phase("six_panels", PANELS), Phase("twelve_panels", MORE_PANELS)
    phases = (six, twelve, hidden)
    measurement = Measurement(bridge, window, phases)
    options = StartOptions(ExampleSource("digits"), checks=("*",), steps=1)
    start_up = StartUp(bridge, window, options)
    start_up.finished.connect(measurement.begin)
    measurement.ended.connect(app.quit)
    window.show()
    start_up.start()
    app.exec()
    bridge.close()
    figures: dict[str, object] = {phase.name: phase.figures() for phase in phases}
    figures["slowed_by_six_panels"] = round(hidden.steps_per_second / six.steps_per_second, 3)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
