"""A screen of its own (Xvfb with a small window manager) and the real program on it, used through the keyboard."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("Xvfb", "openbox", "xdotool")
PATIENCE_S = 90.0
"""How long anything may take before a test gives up; a loaded machine is no failure."""

T = TypeVar("T")


def until(look: Callable[[], T], what: str) -> T:
    """Look again and again until what is seen counts as true; return it."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        if seen := look():
            return seen
        if time.monotonic() > deadline:
            pytest.fail(f"waited {PATIENCE_S:.0f} s for {what}")
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask a process to end, and insist if it does not."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of programs that are to appear on a screen that nobody else uses."""
    if sys.platform != "linux":
        pytest.skip("Xvfb and /proc are Linux's")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    assert not missing, f"{', '.join(missing)} must be installed for the end-to-end tests; scripts/test does it"
    foreign = ("QT_", "WAYLAND_", "XDG_RUNTIME", "XAUTHORITY", "DBUS_SESSION")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    log = (tmp_path_factory.mktemp("screen") / "log").open("wb")
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=log,
    )
    assert server.stdout is not None
    environment["DISPLAY"] = f":{server.stdout.readline().decode().strip()}"
    manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stdout=log, stderr=log)
    yield environment
    for process in (manager, server):
        end(process)
    server.stdout.close()
    log.close()


class Program:
    """hookscope itself, in a process of its own."""

    def __init__(self, arguments: tuple[str, ...], environment: dict[str, str], log: Path) -> None:
        self._environment = environment
        self._log = log
        with log.open("wb") as output:
            command = [sys.executable, "-m", "hookscope", *arguments]
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        self.debuggees_seen: set[int] = set()

    @property
    def output(self) -> str:
        """What it has printed so far."""
        return self._log.read_text()

    def xdotool(self, *words: str) -> list[str]:
        """Run xdotool and return the lines it printed; nothing when it found no window."""
        done = subprocess.run(
            ["xdotool", *words], env=self._environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return done.stdout.split()

    def window(self, title: str) -> str | None:
        """Return the id of the window whose title matches, once it is on the screen."""
        assert self.process.poll() is None, f"the program has ended: {self.output}"
        found = self.xdotool("search", "--onlyvisible", "--name", title)
        return found[0] if found else None

    def wait_for_window(self, title: str) -> str:
        """Wait until a window of this title is on the screen and has the keyboard."""
        window = until(lambda: self.window(title), f"a window {title!r}; the program said: {self.output}")

        def has_keyboard() -> bool:
            self.xdotool("windowfocus", window)
            return self.xdotool("getwindowfocus") == [window]

        until(has_keyboard, f"the keyboard to be at {title!r}")
        return window

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, in the window that has the keyboard."""
        self.xdotool("key", "--delay", "60", *keys)

    def press_until(self, key: str, look: Callable[[], bool], what: str) -> None:
        """Press a key again and again until what it is for is seen; the window may not be ready for it at first."""

        def press_and_look() -> bool:
            self.press(key)
            return look()

        until(press_and_look, what)

    def type(self, text: str) -> None:
        """Type a text."""
        self.xdotool("type", "--delay", "15", text)

    def debuggee(self) -> int | None:
        """Return the process that owns the model, if there is one."""
        listing = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = {int(pid) for file in listing for pid in file.read_text().split() if is_running(int(pid))}
        self.debuggees_seen |= children
        return next(iter(children), None)


@pytest.fixture
def start(screen: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Start the program with arguments, in a home of its own; afterwards nothing of it may be left."""
    home = tmp_path / "home"
    home.mkdir()
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")}
    programs: list[Program] = []

    def start_program(*arguments: str) -> Program:
        programs.append(Program(arguments, screen | places, tmp_path / f"output{len(programs)}.txt"))
        return programs[-1]

    yield start_program
    for program in programs:
        program.debuggee()
        end(program.process)
    seen = set().union(*(program.debuggees_seen for program in programs))
    until(lambda: not any(map(is_running, seen)), "the models' processes to end with their windows")
