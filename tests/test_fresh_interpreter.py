"""What gets loaded, seen from an interpreter that has loaded nothing yet."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LOADED = """
import sys
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"torch", "PySide6", "pyqtgraph", "numpy"}))
"""


def loaded_by(code: str) -> set[str]:
    """Return which of the large packages are loaded after some code has run."""
    done = subprocess.run([sys.executable, "-c", code + LOADED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_that_importing_hookscope_loads_nothing_large() -> None:
    assert not loaded_by("import hookscope")


def test_that_help_loads_nothing_large() -> None:
    code = """
from hookscope.cli import main
try:
    main(["--help"])
except SystemExit as end:
    assert end.code == 0
"""
    assert not loaded_by(code)


def test_that_the_public_workload_is_there_when_asked_for() -> None:
    assert "torch" in loaded_by("import hookscope; assert hookscope.Workload.__name__ == 'Workload'")


@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("hookscope.protocol.wire", {"torch", "PySide6", "pyqtgraph"}),
        ("hookscope.client.session", {"torch", "PySide6", "pyqtgraph"}),
        ("hookscope.figures.text", {"torch", "PySide6", "pyqtgraph"}),
        ("hookscope.engine.debuggee", {"PySide6", "pyqtgraph"}),
        ("hookscope.gui.main_window", {"torch"}),
    ],
)
def test_that_a_layer_does_not_load_what_is_not_its_own(module: str, never: set[str]) -> None:
    assert not loaded_by(f"import {module}") & never


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal there")
def test_that_this_qt_does_not_release_none_too_often() -> None:
    """PySide6 6.12.0 does on Python 3.11, and the process dies within seconds of painting."""
    code = """
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
widget = QWidget()
before = sys.getrefcount(None)
for _ in range(1000):
    widget.update(), widget.parent()
lost = before - sys.getrefcount(None)
assert lost < 500, lost
"""
    loaded_by(code)
