"""Ctrl+C in the terminal, as a Qt signal. Python runs its handlers between its own instructions; Qt's loop has none."""

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

_CAUGHT = (signal.SIGINT, signal.SIGTERM)


class TerminalSignals(QObject):
    """Tells when the program is asked to end; `close` puts everything back.

    Signals:
        received: SIGINT or SIGTERM came.
    """

    received = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        self._former_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._former = {number: signal.signal(number, _ignore) for number in _CAUGHT}

    def close(self) -> None:
        """Give the signals back."""
        signal.set_wakeup_fd(self._former_fd)
        for number, handler in self._former.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    @Slot()
    def _read(self) -> None:
        self._reader.recv(1024)
        self.received.emit()


def _ignore(*_: object) -> None:
    """Stand in for the default handler, which would end the process before its windows are closed."""
