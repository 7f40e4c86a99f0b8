"""The strip that says whether the model is back, after everything was removed."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from hookscope.figures.trial_words import word_proof
from hookscope.gui.assets import icon
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of

if TYPE_CHECKING:
    from hookscope.protocol.events import UnchangedProved


class ProofStrip(QFrame):
    """Stays until it is closed, something is changed again, or a step trains the model.

    Args:
        bridge: The session.
        parent: What it stands in.
    """

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._proof: UnchangedProved | None = None
        self._closed: UnchangedProved | None = None
        self.setObjectName("proof_strip")
        self._icon, self._text = QLabel(), QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setWordWrap(True)
        self.close_button = QToolButton()
        self.close_button.setAccessibleName(self.tr("Close"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.close_button)
        self.close_button.clicked.connect(self._close)
        for signal in (bridge.unchanged_proved, bridge.interventions_changed, bridge.state_changed):
            signal.connect(self.refresh)
        bridge.model_loaded.connect(self.refresh)
        self.refresh()

    @property
    def text(self) -> str:
        """What it says; `""` when it says nothing."""
        return self._text.text() if self._proof is not None else ""

    @Slot()
    def refresh(self) -> None:
        """Show the newest proof, if there is one."""
        proof = self._session.proof
        self._proof = proof if proof is not self._closed else None
        if self._proof is not None:
            text = word_proof(self._proof, _tr)
            self._text.setText(text)
            self._text.setToolTip("\n".join(self._proof.differing))
            self.setAccessibleName(text)
            self._tint()
        self.setVisible(self._proof is not None)

    @Slot()
    def _close(self) -> None:
        self._closed = self._proof
        self.refresh()

    def _tint(self) -> None:
        theme, side = theme_of(self.palette()), self.fontMetrics().height()
        is_back = self._proof is not None and not self._proof.differing
        glyph = icon("msc.pass", theme.good) if is_back else icon("msc.error", theme.trouble)
        self._icon.setPixmap(glyph.pixmap(QSize(side, side)))
        self.close_button.setIcon(icon("msc.close"))
        if self.property("found") is not (not is_back):
            self.setProperty("found", not is_back)
            self.style().unpolish(self)
            self.style().polish(self)

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()


def _tr(english: str) -> str:
    return QCoreApplication.translate("trials", english)
