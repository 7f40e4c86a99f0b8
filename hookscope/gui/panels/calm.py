"""Tells single pictures from those of a fast run, during which axes and colours hold still."""

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

CALM_MS = 500
"""Pictures that follow each other faster than this are of a run."""


class Calm(QObject):
    """Asked at each picture; says afterwards when the run is over.

    Signals:
        settled: No picture has come for a while since one of a run.
    """

    settled = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CALM_MS)
        self._timer.timeout.connect(self.settled)

    def start_over(self) -> None:
        """Let the next picture count as a single one: it is of something else."""
        self._since.invalidate()
        self._timer.stop()

    def note(self) -> bool:
        """Note a picture; returns whether it is a single one, to which axes and colours may be fitted."""
        is_single = not self._since.isValid() or self._since.elapsed() > CALM_MS
        self._since.start()
        if is_single:
            self._timer.stop()
        else:
            self._timer.start()
        return is_single
