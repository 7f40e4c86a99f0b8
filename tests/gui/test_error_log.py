import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Slot, qWarning
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.gui.error_log import ErrorLog
from hookscope.gui.terminal_signals import TerminalSignals
from hookscope.protocol.failures import Failure, FailureKind


class Catcher(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.failures: list[Failure] = []

    @Slot(object)
    def take(self, failure: Failure) -> None:
        self.failures.append(failure)


@pytest.fixture
def log(tmp_path: Path, qapp: QApplication) -> Iterator[ErrorLog]:
    log = ErrorLog(tmp_path / "state")
    log.install()
    yield log
    log.uninstall()
    log.deleteLater()


@pytest.fixture
def expected_logs() -> list[str]:
    return ["uncaught exception|Qt: something odd"]


def test_that_an_uncaught_exception_is_logged_and_told(
    log: ErrorLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catcher = Catcher()
    log.error_caught.connect(catcher.take)
    try:
        raise ValueError("a fault of ours")
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    failure = catcher.failures[0]
    assert failure.kind is FailureKind.INTERNAL
    assert failure.exception is not None
    assert (failure.exception.type, failure.exception.message) == ("ValueError", "a fault of ours")
    assert "test_error_log.py" in failure.exception.traceback
    assert "a fault of ours" in (tmp_path / "state" / "hookscope.log").read_text()
    assert "a fault of ours" in capsys.readouterr().err


def test_that_an_exception_in_a_thread_is_told_on_the_windows_thread(log: ErrorLog, qtbot: QtBot) -> None:
    catcher = Catcher()
    log.error_caught.connect(catcher.take)
    thread = threading.Thread(target=int, args=("x",))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(catcher.failures))
    assert catcher.failures[0].exception is not None


def test_that_messages_of_qt_are_logged(log: ErrorLog, tmp_path: Path) -> None:
    qWarning("something odd")
    assert "WARNING" in (tmp_path / "state" / "hookscope.log").read_text()


def test_that_a_folder_that_cannot_be_written_is_no_hindrance(
    tmp_path: Path, qapp: QApplication, expected_logs: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    log = ErrorLog(tmp_path / "file" / "state")
    former = sys.excepthook
    log.install()
    logging.getLogger("hookscope").warning("Qt: something odd")
    log.uninstall()
    assert sys.excepthook is former
    log.deleteLater()


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process there")
def test_that_ctrl_c_in_the_terminal_is_told_inside_the_event_loop(qtbot: QtBot, expected_logs: list[str]) -> None:
    expected_logs.clear()
    former = signal.getsignal(signal.SIGINT)
    signals = TerminalSignals()
    with qtbot.waitSignal(signals.received):
        os.kill(os.getpid(), signal.SIGINT)
    signals.close()
    signals.deleteLater()
    assert signal.getsignal(signal.SIGINT) is former
