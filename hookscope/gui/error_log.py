"""Faults of hookscope itself: written to a rotating log, and told to the window as a failure."""

import logging
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QStandardPaths, QtMsgType, Signal, qInstallMessageHandler

from hookscope.protocol.failures import ExceptionInfo, Failure, FailureKind, Frame

_LOG = logging.getLogger("hookscope")
_MAX_BYTES = 1_000_000
_BACKUPS = 3
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_folder() -> Path:
    """Return the folder of the log files; it may not exist yet."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.StateLocation))


class ErrorLog(QObject):
    """Catches what nobody else caught, from `install` until `uninstall`.

    Args:
        folder: Where the log files go. If it cannot be written, errors are still shown.
        parent: The program.

    Signals:
        error_caught: An exception reached the top, on whatever thread: a `Failure` of kind `INTERNAL`.
    """

    error_caught = Signal(object)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._handler: logging.Handler | None = None
        self._former = (sys.excepthook, threading.excepthook)

    def install(self) -> None:
        """Take the place of Python's and Qt's own handlers."""
        self._handler = self._open_file()
        _LOG.addHandler(self._handler)
        self._former = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        qInstallMessageHandler(_on_qt_message)

    def uninstall(self) -> None:
        """Put everything back and close the file."""
        qInstallMessageHandler(None)
        sys.excepthook, threading.excepthook = self._former
        if self._handler is not None:
            _LOG.removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def _open_file(self) -> logging.Handler:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handler: logging.Handler = RotatingFileHandler(
                self._folder / "hookscope.log", maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8"
            )
        except OSError:
            handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(message)s"))
        return handler

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            return
        _LOG.critical("uncaught exception", exc_info=(kind, error, trace))
        self.error_caught.emit(internal_failure(error))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)


def internal_failure(error: BaseException) -> Failure:
    """Return the failure that shows an exception of hookscope's own code."""
    frames = tuple(
        Frame(frame.filename, frame.lineno or 0, frame.name, frame.line or "", user=False)
        for frame in traceback.extract_tb(error.__traceback__)
    )
    text = "".join(traceback.format_exception(error))
    return Failure(
        FailureKind.INTERNAL, exception=ExceptionInfo(type(error).__name__, str(error), frames, traceback=text)
    )


def _on_qt_message(kind: QtMsgType, _: QMessageLogContext, message: str) -> None:
    _LOG.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s", message)
