import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from hookscope.gui.badge_text import badge_label, badge_sentence
from hookscope.gui.failure_card import FailureCard
from hookscope.gui.failure_text import REMEDIES, REMEDY_LABELS, Remedy, failure_details, remedies, remedy_label
from hookscope.protocol.failures import ExceptionInfo, Failure, FailureKind, Frame
from hookscope.protocol.tensors import Badge, BadgeKind

RAISED = Failure(
    FailureKind.FORWARD_RAISED,
    module_path="features.3",
    module_class="Conv2d",
    exception=ExceptionInfo(
        "ValueError",
        "<b>odd</b> shape",
        (Frame("net.py", 7, "forward", "return self.conv(x)", user=True),),
        "Traceback (most recent call last):\n  everything",
    ),
)


@pytest.fixture
def card(qtbot: QtBot) -> FailureCard:
    card = FailureCard()
    qtbot.addWidget(card)
    return card


@pytest.mark.parametrize("kind", FailureKind)
def test_that_every_kind_has_its_buttons(kind: FailureKind) -> None:
    assert set(REMEDIES[kind]) <= set(Remedy)
    assert remedies(Failure(kind, module_path=""))[-1] is Remedy.GO_TO_MODULE


@pytest.mark.parametrize("remedy", Remedy)
def test_that_every_button_has_a_text(remedy: Remedy) -> None:
    assert remedy_label(remedy) == REMEDY_LABELS[remedy]


@pytest.mark.parametrize("kind", BadgeKind)
def test_that_badges_are_worded_too(kind: BadgeKind) -> None:
    assert badge_label(Badge(kind))
    assert badge_sentence(Badge(kind))


def test_that_the_card_shows_where_it_happened_with_the_traceback_folded(card: FailureCard) -> None:
    card.show_failure(RAISED)
    texts = "\n".join(label.text() for label in card.findChildren(QLabel) if not label.isHidden())
    assert "features.3 (Conv2d)" in texts
    assert "ValueError: <b>odd</b> shape" in texts
    assert "net.py:7" in texts
    assert card.findChild(QPlainTextEdit).isHidden()
    shown = {remedy for remedy in Remedy if not card.remedy_button(remedy).isHidden()}
    assert shown == set(remedies(RAISED))


def test_that_a_button_asks_for_its_remedy(card: FailureCard, qtbot: QtBot) -> None:
    card.show_failure(RAISED)
    with qtbot.waitSignal(card.remedy_requested) as asked:
        card.remedy_button(Remedy.RELOAD).click()
    assert asked.args == [Remedy.RELOAD, RAISED]


def test_that_everything_can_be_copied(card: FailureCard, qtbot: QtBot) -> None:
    card.show_failure(RAISED)
    with qtbot.waitSignal(card.details_copied):
        card.copy_button.click()
    assert QGuiApplication.clipboard().text() == failure_details(RAISED)
    assert "everything" in failure_details(RAISED)


def test_that_a_newer_failure_takes_the_place_of_the_older(card: FailureCard) -> None:
    card.show_failure(RAISED)
    newer = Failure(FailureKind.DEVICE_UNAVAILABLE, {"device": "cuda:0", "reason": "no driver"})
    card.show_failure(newer)
    assert card.failure is newer
    assert card.remedy_button(Remedy.RELOAD).isHidden()
    assert not card.remedy_button(Remedy.USE_CPU).isHidden()


def test_that_dismissing_closes_the_card_once(card: FailureCard, qtbot: QtBot) -> None:
    card.show_failure(RAISED)
    with qtbot.waitSignal(card.dismissed):
        card.dismiss_button.click()
    assert card.isHidden()
    with qtbot.assertNotEmitted(card.dismissed):
        card.dismiss()
