"""A notice about the whole model: why hooks are blind in it, and what can be done."""

from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from hookscope.client.state import ALLOWED
from hookscope.gui.assets import icon
from hookscope.gui.badge_looks import LOOKS
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.theme import theme_of
from hookscope.protocol.tensors import BadgeKind
from hookscope.protocol.tree import ModuleTree


@dataclass(frozen=True)
class _Words:
    whole: str
    part: str
    can_run_eagerly: bool = False


_WORDS: dict[BadgeKind, _Words] = {
    BadgeKind.COMPILED: _Words(
        "This model is compiled. Compiled code may not call the hooks on its modules, and then nothing is captured.",
        "{count} modules are compiled. Compiled code may not call the hooks on them, and then nothing is captured.",
        can_run_eagerly=True,
    ),
    BadgeKind.SCRIPTED: _Words(
        "This model is TorchScript, which runs without Python and calls no hooks on the modules inside it.",
        "{count} modules are TorchScript, which runs without Python and calls no hooks on them.",
    ),
    BadgeKind.EXPORTED: _Words(
        "This model was exported: one flat graph runs, and the modules that are listed are never called.",
        "{count} modules are of an exported program: one flat graph runs, and they are never called.",
    ),
}
"""What is told of a model, the first that applies: when its root has the badge, and when only parts of it have."""


class Notice(QFrame):
    """One line that stays until it is no longer so, or was closed for this model.

    Args:
        bridge: The session.
        parent: What it stands in.
    """

    def __init__(self, bridge: SessionBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._kind: BadgeKind | None = None
        self._closed_for: ModuleTree | None = None
        self.setObjectName("notice")
        self._icon, self._text = QLabel(), QLabel()
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self.eagerly_button = QPushButton(self.tr("Run eagerly"))
        self.eagerly_button.setToolTip(self.tr("Run compiled modules as they were written."))
        self.close_button = QToolButton()
        self.close_button.setAccessibleName(self.tr("Close"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self.eagerly_button)
        row.addWidget(self.close_button)
        self.eagerly_button.clicked.connect(self._run_eagerly)
        self.close_button.clicked.connect(self._close)
        for signal in (bridge.state_changed, bridge.model_loaded, bridge.settings_changed):
            signal.connect(self._update)
        self._update()

    @property
    def text(self) -> str:
        """What it says; `""` when it says nothing."""
        return self._text.text() if self._kind is not None else ""

    @Slot()
    def _update(self) -> None:
        session = self._session
        self._kind, words = self._find(session.tree) if session.tree is not self._closed_for else (None, "")
        self._text.setText(words)
        self.setAccessibleName(words)
        if self._kind is not None:
            self.eagerly_button.setVisible(_WORDS[self._kind].can_run_eagerly)
            self._tint()
        self.eagerly_button.setEnabled(session.state in ALLOWED["change_settings"])
        self.setVisible(self._kind is not None)

    def _find(self, tree: ModuleTree | None) -> tuple[BadgeKind | None, str]:
        modules = tree.modules if tree is not None else ()
        for kind, words in _WORDS.items():
            marked = [any(badge.kind is kind for badge in module.badges) for module in modules]
            if any(marked) and not (words.can_run_eagerly and self._session.settings.run_eagerly):
                text = QCoreApplication.translate("notice", words.whole if marked[0] else words.part)
                return kind, text.format(count=sum(marked))
        return None, ""

    @Slot()
    def _run_eagerly(self) -> None:
        session = self._session
        if session.state in ALLOWED["change_settings"]:
            session.change_settings(msgspec.structs.replace(session.settings, run_eagerly=True))
            self._update()

    @Slot()
    def _close(self) -> None:
        self._closed_for = self._session.tree
        self._update()

    def _tint(self) -> None:
        if self._kind is not None:
            theme, side = theme_of(self.palette()), self.fontMetrics().height()
            look = LOOKS[self._kind]
            self._icon.setPixmap(icon(look.icon, getattr(theme, look.color)).pixmap(QSize(side, side)))
        self.close_button.setIcon(icon("msc.close"))

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()
