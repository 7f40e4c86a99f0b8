"""The exports that go on, as an entry in the status bar: what, how far, and a way to give it up."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QToolButton, QWidget

from hookscope.client.export_mirror import ExportState
from hookscope.gui.session_bridge import SessionBridge

_PATIENCE_MS = 300
"""What takes no longer than this is not worth a look."""
_BAR_CHARS = 14
_NAME_CHARS = 24
_FULL = 1000


class ExportActivity(QWidget):
    """Shows the export that the debuggee is at, and how many wait behind it; nothing when there is none.

    Args:
        bridge: The session.
        parent: The status bar.
    """

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._number: int | None = None
        self._given_up: set[int] = set()
        self._name = QLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("How far the export is"))
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_CHARS)
        self.cancel_button = QToolButton()
        self.cancel_button.setText(self.tr("Cancel"))
        self.cancel_button.setToolTip(self.tr("Give this export up. A former file stays as it was."))
        self.cancel_button.setAutoRaise(True)
        self.cancel_button.clicked.connect(self._cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        for widget in (self._name, self._bar, self.cancel_button):
            row.addWidget(widget)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._show)
        bridge.export_progress.connect(self.look)
        bridge.exported.connect(self._show_next)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; `""` when it says nothing."""
        return self._name.text() if not self.isHidden() else ""

    @property
    def share(self) -> float | None:
        """How much of the export is done, from 0 to 1; `None` when that is not known."""
        return self._bar.value() / _FULL if self._bar.maximum() else None

    @Slot()
    def look(self) -> None:
        """Show how far it is, and come into sight if an export takes longer than a moment."""
        if not self.isHidden():
            self._show()
        elif not self._patience.isActive():
            self._patience.start()

    @Slot()
    def _show_next(self) -> None:
        if not self.isHidden():
            self._show()

    @Slot()
    def _show(self) -> None:
        running = {number: state for number, state in self._session.exports.items() if state.ended is None}
        self._number = next(iter(running), None)
        self._given_up &= running.keys()
        if self._number is None:
            self.hide()
            return
        self._show_state(running[self._number], others=len(running) - 1)
        self.cancel_button.setEnabled(self._number not in self._given_up)
        self.show()

    def _show_state(self, state: ExportState, others: int) -> None:
        name = self.fontMetrics().elidedText(
            Path(state.place).name, Qt.TextElideMode.ElideMiddle, self.fontMetrics().averageCharWidth() * _NAME_CHARS
        )
        text = self.tr("Exporting {name}").format(name=name)
        if others:
            text = self.tr("{what}, {count} more").format(what=text, count=others)
        self._name.setText(text)
        self._name.setToolTip(state.place)
        self._bar.setRange(0, _FULL if state.total else 0)
        self._bar.setValue(round(_FULL * state.done / state.total) if state.total else 0)

    @Slot()
    def _cancel(self) -> None:
        if self._number is not None:
            self._given_up.add(self._number)
            self.cancel_button.setEnabled(False)
            self._session.cancel_export(self._number)
