"""What was asked for on the command line, done step by step in the window: open, check, step, take a picture."""

from enum import Enum, auto

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from hookscope.client.start_options import StartOptions, modules_to_check
from hookscope.client.state import ALLOWED, SessionState
from hookscope.figures.export_words import has_written, word_export
from hookscope.figures.failure_words import failure_lines
from hookscope.gui.export import ExportError
from hookscope.gui.main_window import MainWindow
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import Exported
from hookscope.protocol.failures import Failure

_SETTLE_POLL_MS = 50
_QUIET_POLLS = 3
"""How often in a row nothing may be waited for, so that what is drawn with a short delay is drawn, too."""


class _Stage(Enum):
    NOT_STARTED = auto()
    LOADING = auto()
    STEPPING = auto()
    SETTLING = auto()
    EXPORTING = auto()
    DONE = auto()


class StartUp(QObject):
    """Does what the options say, and then nothing any more.

    A failure before the end ends it, too; the window shows it like every other one.

    Signals:
        told: What came of an export, for a terminal.
        finished: Everything was done.
        failed: It ended early; what a terminal should say about it.
    """

    told = Signal(str)
    finished = Signal()
    failed = Signal(str)

    def __init__(self, bridge: SessionBridge, window: MainWindow, options: StartOptions) -> None:
        super().__init__(window)
        self._session = bridge.session
        self._window = window
        self._options = options
        self._stage = _Stage.NOT_STARTED
        self._quiet_polls = 0
        self._export: int | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_SETTLE_POLL_MS)
        self._timer.timeout.connect(self._take_picture_when_settled)
        bridge.model_loaded.connect(self._check_and_step)
        bridge.state_changed.connect(self._follow_state)
        bridge.failure_raised.connect(self._fail)
        bridge.exported.connect(self._note_exported)

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
        checked = modules_to_check(self._options.checks, tree)
        if isinstance(checked, Failure):
            self._give_up(checked)
            return
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
        if self._options.screenshot is not None:
            try:
                self._window.handlers.pictures.write_window(self._options.screenshot)
            except ExportError as error:
                self._window.toast.show_text(str(error))
                self._end_with(str(error))
                return
        if self._options.export is None:
            self._stage = _Stage.DONE
            self.finished.emit()
        elif self._session.state in ALLOWED["export_step"]:
            self._stage = _Stage.EXPORTING
            self._export = self._session.export_step(self._options.export)
        else:
            self._end_with(self.tr("Nothing was exported: the model's process is gone."))

    @Slot(object)
    def _note_exported(self, exported: Exported) -> None:
        if self._stage is not _Stage.EXPORTING or exported.number != self._export:
            return
        text = word_export(exported, str(self._options.export))
        if has_written(exported):
            self._stage = _Stage.DONE
            self.told.emit(text)
            self.finished.emit()
        else:
            self._end_with(text)

    def _end_with(self, text: str) -> None:
        """End early."""
        self._stage = _Stage.DONE
        self._timer.stop()
        self.failed.emit(text)

    def _give_up(self, failure: Failure) -> None:
        self._window.central.show_failure(failure)
        self._fail(failure)

    @Slot(object)
    def _fail(self, failure: Failure) -> None:
        if self._stage is not _Stage.DONE:
            self._end_with("\n".join(failure_lines(failure)))
