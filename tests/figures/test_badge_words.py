import pytest

from hookscope.figures.badge_words import badge_label, badge_sentence
from hookscope.protocol.tensors import Badge, BadgeKind


@pytest.mark.parametrize("kind", BadgeKind)
def test_that_every_badge_has_a_short_label_and_a_sentence(kind: BadgeKind) -> None:
    assert 0 < len(badge_label(Badge(kind))) <= 24
    assert badge_sentence(Badge(kind)).endswith(".")


def test_that_the_engines_detail_is_shown_with_the_sentence() -> None:
    assert badge_sentence(Badge(BadgeKind.CAPTURE_FAILED, "out of memory")).endswith("(out of memory)")
