"""The time from the command to the window, and to the first plots of the digits example.

The real command runs in a fresh interpreter. The clock starts when that process is spawned and stops after the paint of
the window, or of the panels once none of them waits for a view any more.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 5

PROBE = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from hookscope.cli import main
from hookscope.gui.main_window import MainWindow
from hookscope.gui.startup import StartUp

def say_and_end():
    print(time.monotonic(), flush=True)
    QApplication.closeAllWindows()

def probe_shown(paint=MainWindow.paintEvent):
    def painted(window, event):
        paint(window, event)
        MainWindow.paintEvent = paint
        QTimer.singleShot(0, say_and_end)
    MainWindow.paintEvent = painted

def probe_plots(start=StartUp.start):
    def started(start_up):
        start_up.finished.connect(say_and_end)
        start(start_up)
    StartUp.start = started

{"shown": probe_shown, "plots": probe_plots}[sys.argv[1]]()
sys.exit(main(sys.argv[2:]))
"""


def seconds(probe: str, *arguments: str) -> float:
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home}
        started = time.monotonic()  # the clock of the whole machine, so the other process reads the same
        done = subprocess.run(
            [sys.executable, "-c", PROBE, probe, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return float(done.stdout) - started


def measure(probe: str, *arguments: str) -> dict[str, float]:
    seconds(probe, *arguments)  # warms the disk
    taken = [seconds(probe, *arguments) for _ in range(RUNS)]
    return {"median_s": round(statistics.median(taken), 2), "slowest_s": round(max(taken), 2)}


if __name__ == "__main__":
    window = measure("shown")
    plots = measure("plots", "example:digits", "--check", "*", "--steps", "1")
    print(json.dumps({"window_shown": window, "first_plots_of_digits": plots}))
