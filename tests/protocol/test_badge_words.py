import pytest

from hookscope.protocol.badge_words import badge_label, badge_reason, badge_sentence
from hookscope.protocol.tensors import Badge, BadgeKind


@pytest.mark.parametrize("kind", BadgeKind)
def test_that_every_badge_has_a_short_label_and_a_sentence(kind: BadgeKind) -> None:
    assert 0 < len(badge_label(Badge(kind))) <= 24
    assert badge_sentence(Badge(kind)).endswith(".")


def test_that_the_engines_detail_is_shown_with_the_sentence() -> None:
    assert badge_sentence(Badge(BadgeKind.CAPTURE_FAILED, "out of memory")).endswith("(out of memory)")


def test_that_advice_for_the_window_is_no_part_of_the_reason() -> None:
    badge = Badge(BadgeKind.INPUT_NEEDS_NO_GRAD)
    assert "Tick" in badge_sentence(badge)
    assert badge_sentence(badge).startswith(badge_reason(badge))
    assert "Tick" not in badge_reason(badge)
