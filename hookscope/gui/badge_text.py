"""Badges in the person's language."""

from PySide6.QtCore import QCoreApplication

from hookscope.protocol import badge_words
from hookscope.protocol.tensors import Badge


def badge_label(badge: Badge) -> str:
    """Return the few words for a badge."""
    return badge_words.badge_label(badge, _translate)


def badge_sentence(badge: Badge) -> str:
    """Return the plain sentence for a badge."""
    return badge_words.badge_sentence(badge, _translate)


def _translate(english: str) -> str:
    return QCoreApplication.translate("badges", english)
