"""Runs without a display: they end by themselves, and say what was done and what went wrong."""

import sys

from PySide6.QtCore import QCoreApplication, QObject, QSize, Slot

from hookscope.figures.failure_words import failure_lines
from hookscope.protocol.failures import Failure

HEADLESS_SIZE = QSize(1600, 1000)
EXIT_FAILED = 2


class HeadlessRun(QObject):
    """Ends the program when its start-up is over."""

    @Slot()
    def end(self) -> None:
        """End with success."""
        QCoreApplication.exit(0)

    @Slot(str)
    def tell(self, text: str) -> None:
        """Say what was done."""
        print(text)

    @Slot(str)
    def fail(self, text: str) -> None:
        """End with what went wrong."""
        print(f"hookscope: {text}", file=sys.stderr)
        QCoreApplication.exit(EXIT_FAILED)

    @Slot(object)
    def fail_internally(self, failure: Failure) -> None:
        """End with a fault of hookscope itself, traceback included."""
        trace = failure.exception.traceback if failure.exception else ""
        self.fail("\n".join([*failure_lines(failure), trace]))
