"""What was asked for on the command line, done step by step in the window: open, check, step, take a picture."""

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from hookscope.client.state import SessionState
from hookscope.figures.failure_words import failure_lines
from hookscope.gui.export import ExportError
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.patterns import match_paths, nearest
from hookscope.protocol.workload import Source, SyntheticInput

_SETTLE_POLL_MS = 50
_QUIET_POLLS = 3
"""How often in a row nothing may be waited for, so that what is drawn with a short delay is drawn, too."""


@dataclass(frozen=True)
class WindowOptions:
    """What to do at the start.

    Attributes:
        source: What to open; `None` for the welcome page.
        device: Where to run it.
        checks: Globs of modules to check.
        steps: How many steps to run.
        seed: Seed of the first step; `None` leaves the random state alone.
        screenshot: Where to save a picture of the window when all this is done.
        headless: Whether to end then, with what went wrong on standard error.
        inputs: Made-up inputs, in place of the source's own.
    """

    source: Source | None = None
    device: str = "cpu"
    checks: tuple[str, ...] = ()
    steps: int = 0
    seed: int | None = 0
    screenshot: Path | None = None
    headless: bool = False
    inputs: tuple[SyntheticInput, ...] = ()


class _Stage(Enum):
    NOT_STARTED = auto()
    LOADING = auto()
    STEPPING = auto()
    SETTLING = auto()
    DONE = auto()


class StartUp(QObject):
    """Does what the options say, and then nothing any more.

    A failure before the end ends it, too; the window shows it like every other one.

    Signals:
        finished: Everything was done.
        failed: It ended early; what a terminal should say about it.
    """

    finished = Signal()
    failed = Signal(str)

    def __init__(self, bridge: SessionBridge, window: MainWindow, options: WindowOptions) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._window = window
        self._options = options
        self._stage = _Stage.NOT_STARTED
        self._quiet_polls = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_SETTLE_POLL_MS)
        self._timer.timeout.connect(self._take_picture_when_settled)
        bridge.model_loaded.connect(self._check_and_step)
        bridge.state_changed.connect(self._follow_state)
        bridge.failure_raised.connect(self._fail)

    def start(self) -> None:
        """Begin; returns at once."""
        options = self._options
        settings = msgspec.structs.replace(self._session.settings, device=options.device, seed=options.seed)
        if settings != self._session.settings:
            self._session.change_settings(settings)
        if options.source is None:
            self._settle()
        else:
            self._stage = _Stage.LOADING
            self._window.handlers.opening.open_source(options.source, options.inputs)

    @Slot()
    def _check_and_step(self) -> None:
        tree = self._session.tree
        if self._stage is not _Stage.LOADING or tree is None:
            return
        if self._session.source != self._options.source:  # given up, and something else was opened since
            self._stage = _Stage.DONE
            return
        paths = [module.path for module in tree.modules]
        checked: dict[str, None] = {}
        for pattern in self._options.checks:
            matches = match_paths(pattern, paths)
            if not matches:
                near = ", ".join(nearest(pattern, paths))
                self._give_up(Failure(FailureKind.UNKNOWN_MODULES, {"pattern": pattern, "near": near}))
                return
            checked.update(dict.fromkeys(matches))
        if checked:
            self._session.check(checked)
        self._stage = _Stage.STEPPING
        if self._options.steps:
            self._session.run(self._options.steps)
        else:
            self._settle()

    @Slot()
    def _follow_state(self) -> None:
        if self._stage is _Stage.STEPPING and self._session.state is SessionState.IDLE:
            self._settle()

    def _settle(self) -> None:
        self._stage = _Stage.SETTLING
        self._timer.start()

    @Slot()
    def _take_picture_when_settled(self) -> None:
        self._quiet_polls = self._quiet_polls + 1 if self._window.is_settled else 0
        if self._quiet_polls < _QUIET_POLLS:
            return
        self._timer.stop()
        self._stage = _Stage.DONE
        if self._options.screenshot is not None:
            try:
                self._window.handlers.pictures.write_window(self._options.screenshot)
            except ExportError as error:
                self._window.toast.show_text(str(error))
                self.failed.emit(str(error))
                return
        self.finished.emit()

    def _give_up(self, failure: Failure) -> None:
        self._window.central.show_failure(failure)
        self._fail(failure)

    @Slot(object)
    def _fail(self, failure: Failure) -> None:
        if self._stage is not _Stage.DONE:
            self._stage = _Stage.DONE
            self._timer.stop()
            self.failed.emit("\n".join(failure_lines(failure)))
