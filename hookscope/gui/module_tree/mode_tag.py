"""The tag behind a module that is not captured exactly."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from hookscope.client.session import DebugSession
from hookscope.gui.hook_words import mode_sentence, mode_tag, mode_title
from hookscope.protocol.hooks import HookMode


@dataclass(frozen=True)
class ModeTag:
    """One word, what it means, and whether the mode was refused."""

    text: str
    sentence: str
    is_refused: bool = False


def mode_of(session: DebugSession, path: str) -> HookMode:
    """Return how the gradients of a module are to be captured: what was chosen for it, else the default."""
    return session.hook_modes.get(path, session.default_hook_mode)


def tag_of(session: DebugSession, path: str) -> ModeTag | None:
    """Return the tag of a module; `None` when it is captured exactly and was meant to be, or not at all."""
    if path not in session.checked and path not in session.hook_modes:
        return None
    mode = mode_of(session, path)
    refusal = session.refused_modes.get(path)
    if refusal is not None:
        words = QCoreApplication.translate("hook_modes", "{mode} is refused, so it is captured exactly: {reason}.")
        return ModeTag(mode_tag(mode), words.format(mode=mode_title(mode), reason=refusal), is_refused=True)
    return None if mode is HookMode.EXACT else ModeTag(mode_tag(mode), mode_sentence(mode))
