"""The row of cards: which of them is in sight."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind
from tests.gui.test_panel_area import Window, settle

LATE = TensorRef("features.0", Slot.GRAD_INPUT, "args.0")


@pytest.fixture
def window(qapp: QApplication) -> Iterator[Window]:
    """A narrow window that looks at a gradient."""
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = Window()
    window.resize(500, 800)
    window.capture()
    window.bridge.capture({LATE: torch.rand(4, 8, 6, 6)})
    window.current.select_ref(LATE)
    settle(window)
    yield window
    window.close()
    window.deleteLater()


def is_in_sight(window: Window) -> bool:
    strip = window.area.findChild(SlotStrip)
    assert strip is not None
    card: SlotCard = next(card for card in strip.cards if card.record is not None and card.record.ref == LATE)
    left = card.mapTo(strip.viewport(), QPoint()).x()
    return left >= 0 and left + card.width() <= strip.viewport().width()


def test_that_the_current_card_stays_in_sight_when_others_come_before_it(window: Window) -> None:
    assert is_in_sight(window)
    others = {TensorRef("features.0", Slot.INPUT, f"args.{number}"): torch.rand(2) for number in range(5)}
    window.bridge.capture(others)
    settle(window)
    assert is_in_sight(window)


def test_that_the_current_card_stays_in_sight_when_a_badge_makes_it_broader(window: Window) -> None:
    assert is_in_sight(window)
    window.bridge.capture({LATE: torch.rand(4, 8, 6, 6)}, step=2, badges=(Badge(BadgeKind.CHANGED),))
    settle(window)
    assert is_in_sight(window)
