"""Badges in words; the table is `hookscope.protocol.badge_words`, for scripts read them too."""

from hookscope.protocol.badge_words import WORDS, BadgeWords, badge_label, badge_reason, badge_sentence

__all__ = ["WORDS", "BadgeWords", "badge_label", "badge_reason", "badge_sentence"]
