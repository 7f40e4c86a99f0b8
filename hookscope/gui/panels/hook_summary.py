"""Which hooks are on a module, in words of PyTorch's API, and in which mode it is captured."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from hookscope.gui.hook_words import mode_sentence, mode_title
from hookscope.gui.module_tree.mode_tag import mode_of

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession


class HookSummary(QWidget):
    """A heading with the mode, the hooks one a line, and why the mode was refused, if it was."""

    def __init__(self) -> None:
        super().__init__()
        self._title, self._list, self._refusal = _label("quiet"), _label(), _label("trouble")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for label in (self._title, self._refusal, self._list):
            layout.addWidget(label)

    @property
    def text(self) -> str:
        """All that it says."""
        return "\n".join(label.text() for label in (self._title, self._refusal, self._list) if label.text())

    def show_module(self, session: "DebugSession", path: str | None) -> None:
        """Show the hooks of a module; without any, the widget hides."""
        hooks = session.hooks_on(path) if path is not None else ()
        self.setVisible(bool(hooks))
        if path is None or not hooks:
            return
        mode, refusal = mode_of(session, path), session.refused_modes.get(path, "")
        self._title.setText(self.tr("Hooks · {mode}").format(mode=mode_title(mode)))
        self._title.setToolTip(mode_sentence(mode))
        self._list.setText("\n".join(hooks))
        refused = self.tr("Refused, so it is captured exactly: {reason}.")
        self._refusal.setText(refused.format(reason=refusal) if refusal else "")
        self._refusal.setVisible(bool(refusal))


def _label(role: str = "") -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    if role:
        label.setProperty(role, True)
    return label
