"""The real program on a real screen, used through the keyboard alone.

What is on the screen is hard to ask for, so the models used here keep a diary: when they were loaded, each time they
ran, and how many hooks were on them then.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.e2e.conftest import Program, is_running, until

pytestmark = pytest.mark.e2e

Start = Callable[..., Program]

MODEL = r"""
import signal
from pathlib import Path

from torch import nn

DIARY = Path(__file__).with_name("diary.txt")


def note(line):
    with DIARY.open("a") as diary:
        diary.write(line + "\n")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.last = nn.Linear(4, 1)
        note("loaded")

    def forward(self, x):
        note(f"ran with {len(self.first._forward_hooks)} and {len(self.last._forward_hooks)} hooks")
        while HANGS:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return self.last(self.first(x)).sum()
"""
UNHOOKED = "ran with 0 and 0 hooks"


class Diary:
    """A model in a file, and what it has noted."""

    def __init__(self, folder: Path, *, hangs: bool = False) -> None:
        self.file = folder / "net.py"
        self._notes = folder / "diary.txt"
        self.write_model(hangs=hangs)

    def write_model(self, *, hangs: bool) -> None:
        """Write the file; a model that hangs is deaf to interrupts, too."""
        self.file.write_text(f"HANGS = {hangs}\n{MODEL}")

    @property
    def lines(self) -> list[str]:
        return self._notes.read_text().splitlines() if self._notes.exists() else []

    def wait_for(self, *lines: str) -> None:
        until(lambda: self.lines == list(lines), f"the model to note {lines}")


def test_that_the_example_opens_steps_takes_its_picture_and_stays_until_quit(start: Start, tmp_path: Path) -> None:
    picture = tmp_path / "window.png"
    program = start("example:digits", "--check", "*", "--steps", "2", "--screenshot", str(picture))
    program.wait_for_window("Handwritten digits")
    until(picture.exists, "the picture")
    image = QImage(str(picture))
    assert image.text("step") == "2"
    assert image.text("model") == "Handwritten digits"
    debuggee = program.debuggee()
    assert debuggee is not None
    program.press("ctrl+q")
    until(lambda: program.process.poll() is not None, "the program to end")
    assert program.process.returncode == 0, program.output
    until(lambda: not is_running(debuggee), "the model's process to end")


def test_that_everything_can_be_done_from_the_keyboard(start: Start, tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    program = start(f"{diary.file}:Net", "--input", "2x4")
    window = program.wait_for_window("net.py.*hookscope")
    program.press_until("F5", lambda: len(diary.lines) > 1, "a step")
    diary.wait_for("loaded", UNHOOKED)

    program.press("ctrl+f")
    program.type("last")
    program.press("ctrl+shift+a", "F5")
    until(lambda: len(diary.lines) == 3, "a second step")
    first, last = (int(word) for word in diary.lines[-1].split() if word.isdigit())
    assert first == 0
    assert last > 0

    picture = tmp_path / "by hand.png"
    program.press("ctrl+shift+s")
    until(lambda: program.xdotool("getactivewindow") not in ([], [window]), "the dialog")
    program.type(str(picture))
    program.press("Return")
    until(picture.exists, "the picture")
    assert QImage(str(picture)).text("step") == "2"

    program.wait_for_window("net.py.*hookscope")
    program.press("ctrl+shift+u", "F5")
    until(lambda: len(diary.lines) == 4, "a third step")
    assert diary.lines[-1] == UNHOOKED


def test_that_a_killed_model_leaves_the_window_and_comes_back(start: Start, tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    program = start(f"{diary.file}:Net", "--input", "2x4", "--check", "last", "--steps", "1")
    until(lambda: len(diary.lines) == 2, "the first step")
    notes = diary.lines
    assert notes[1] != UNHOOKED
    debuggee = program.debuggee()
    assert debuggee is not None

    os.kill(debuggee, signal.SIGKILL)
    until(lambda: not is_running(debuggee), "the process to end")
    program.wait_for_window("net.py.*hookscope")
    program.press("ctrl+r")
    diary.wait_for(*notes, "loaded")
    program.press_until("F5", lambda: len(diary.lines) > 3, "a step of the new process")
    assert diary.lines[3] == notes[1]


def test_that_a_model_that_hangs_is_stopped_and_comes_back(start: Start, tmp_path: Path) -> None:
    diary = Diary(tmp_path, hangs=True)
    program = start(f"{diary.file}:Net", "--input", "2x4", "--check", "last", "--steps", "1")
    until(lambda: len(diary.lines) == 2, "the model to run")
    notes = diary.lines
    debuggee = program.debuggee()
    assert debuggee is not None
    program.wait_for_window("net.py.*hookscope")
    program.press("shift+F5")
    until(lambda: not is_running(debuggee), "the model's process to be ended")

    diary.write_model(hangs=False)
    program.press("ctrl+r")
    diary.wait_for(*notes, "loaded")
    program.press_until("F5", lambda: len(diary.lines) > 3, "a step of the new process")
    assert diary.lines[3] == notes[1]
