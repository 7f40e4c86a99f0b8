"""How long pictures of large tensors take, and how much memory the window needs to show them.

A picture is asked for by going from one tensor to another of the same shape; the figure is the time until its panel has
painted it. The histogram is also measured alone, in the process that measures.
"""

import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication

from hookscope.client.state import SessionState
from hookscope.gui.app import create_application
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.workload import FileSource

if TYPE_CHECKING:
    from hookscope.gui.panels.panel import TensorPanel

MODEL = """
import torch
import hookscope

class Holds(torch.nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.values = torch.nn.Parameter(torch.randn(shape))

    def forward(self, x):
        return self.values * x

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Holds(64, 224, 224), Holds(64, 224, 224)
        self.large, self.other = Holds(4096, 4096), Holds(4096, 4096)

    def forward(self, x):
        return sum(part(x).sum() for part in self.children())

def workload():
    return hookscope.Workload(Net(), torch.ones(1))
"""
ROUNDS, WARM_UP_ROUNDS = 20, 4
PAUSE_S = 0.15
"""Between two pictures, so that no limit of how often one may ask is measured."""
HISTOGRAM_ELEMENTS = 1 << 24


def wait(app: QApplication, is_done: Callable[[], bool]) -> None:
    while not is_done():
        app.processEvents()


def rest(app: QApplication) -> None:
    until = time.perf_counter() + PAUSE_S
    wait(app, lambda: time.perf_counter() > until)


class PaintWatch:
    """Notes when a panel has painted a picture that is the newest one.

    The plot's own paint is what counts: what else the window paints in the same go comes before or after it.
    """

    def __init__(self) -> None:
        self._panel: TensorPanel | None = None
        self._painted_at = 0.0
        paint = pg.GraphicsView.paintEvent

        def paint_event(view: pg.GraphicsView, event: QPaintEvent) -> None:
            paint(view, event)
            if self._panel is not None and not self._panel.is_waiting and view is self._panel.plot():
                self._painted_at, self._panel = time.perf_counter(), None

        pg.GraphicsView.paintEvent = paint_event

    def wait_for(self, app: QApplication, panel: "TensorPanel") -> float:
        """Return the time at which the panel has painted what it waits for."""
        self._panel = panel
        wait(app, lambda: self._panel is None)
        return self._painted_at


def picture_times(
    app: QApplication, window: MainWindow, watch: PaintWatch, kind: str, paths: tuple[str, str]
) -> list[float]:
    """Return milliseconds from looking at another tensor to its painted picture, sorted."""
    assert window.panels is not None
    panel = window.panels.panels[0]
    window.current.select_ref(TensorRef(paths[1], Slot.OUTPUT, "out"))
    panel.set_kind(kind)
    wait(app, lambda: not panel.is_waiting)
    taken = []
    for number in range(WARM_UP_ROUNDS + ROUNDS):
        rest(app)
        started = time.perf_counter()
        window.current.select_ref(TensorRef(paths[number % 2], Slot.OUTPUT, "out"))
        taken.append((watch.wait_for(app, panel) - started) * 1000)
    return sorted(taken[WARM_UP_ROUNDS:])


def histogram_ms() -> float:
    """Return milliseconds for the exact histogram of 16 M elements."""
    import torch  # noqa: PLC0415 - only after the window's memory was measured

    from hookscope.engine.views import build_view  # noqa: PLC0415
    from hookscope.protocol.views import HistogramRequest  # noqa: PLC0415

    values = torch.randn(HISTOGRAM_ELEMENTS)
    taken = []
    for _ in range(ROUNDS // 2):
        started = time.perf_counter()
        build_view(values, HistogramRequest(exact=True))
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


def resident_mib() -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found is not None else 0.0


def main() -> None:
    app = create_application(sys.argv[:1])
    settings = Settings(MemoryStore())
    bridge = SessionBridge(app)
    window = MainWindow(bridge, settings, ThemeSwitch(app, settings))
    window.resize(1600, 1000)
    window.show()
    session = bridge.session
    figures: dict[str, float] = {}
    watch = PaintWatch()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.py"
        file.write_text(MODEL, encoding="utf-8")
        window.handlers.opening.open_source(FileSource(str(file), "workload"))
        wait(app, lambda: session.state is SessionState.IDLE)
        session.check(("first", "second", "large", "other"))
        session.step()
        wait(app, lambda: session.state is SessionState.IDLE and window.is_settled)
        for name, kind, paths in (
            ("heatmap_64x224x224", "heatmap", ("first", "second")),
            ("grid_64x224x224", "grid", ("first", "second")),
            ("histogram_16m_sampled", "histogram", ("large", "other")),
        ):
            times = picture_times(app, window, watch, kind, paths)
            figures[f"{name}_median_ms"] = round(statistics.median(times), 1)
            figures[f"{name}_slowest_ms"] = round(times[-1], 1)
        figures["window_memory_mib"] = round(resident_mib(), 1)
    window.close()
    bridge.close()
    figures["histogram_16m_exact_alone_ms"] = round(histogram_ms(), 1)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
