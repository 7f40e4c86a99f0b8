"""Shown while a model is being loaded: what, for how long, and a way out."""

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QPushButton, QWidget

from hookscope.client.session import DebugSession
from hookscope.client.state import SessionState
from hookscope.protocol.workload import source_text

_TICK_MS = 250


class LoadingView(QWidget):
    """The elapsed time of loading, and Cancel.

    Signals:
        cancel_requested: Cancel was pressed.
    """

    cancel_requested = Signal()

    def __init__(self, session: DebugSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._time = QLabel(self)
        self._time.setProperty("quiet", True)
        progress = QProgressBar(self)
        progress.setRange(0, 0)
        progress.setTextVisible(False)
        progress.setAccessibleName(self.tr("Loading"))
        self.cancel_button = QPushButton(self.tr("&Cancel"), self)
        self.cancel_button.clicked.connect(self.cancel_requested)
        layout = QGridLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setHorizontalSpacing(12)
        layout.addWidget(self._text, 0, 0)
        layout.addWidget(self._time, 0, 1, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(self.cancel_button, 0, 2, 2, 1)
        layout.addWidget(progress, 1, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    @Slot()
    def _tick(self) -> None:
        wanted = self._session.wanted_source
        source = source_text(wanted) if wanted is not None else ""
        if self._session.state is SessionState.LAUNCHING:
            text = self.tr("Starting Python for {source}")
        else:
            text = self.tr("Loading {source}")
        self._text.setText(text.format(source=source))
        self._time.setText(self.tr("{seconds} s").format(seconds=f"{self._clock.elapsed() / 1000:.0f}"))

    def showEvent(self, event: QShowEvent) -> None:
        """Count from now."""
        self._clock.start()
        self._tick()
        self._timer.start(_TICK_MS)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop counting."""
        self._timer.stop()
        super().hideEvent(event)
