"""Tensors of operations among those of their module: in the cards, in the panel's choice, and in words."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from hookscope.gui.panels.slot_strip import SlotStrip
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind
from tests.gui.panel_fakes import OUTPUT, PanelWindow

ADD = OperationRef("features.0", "add", 1)
SUM = TensorRef("features.0", Slot.OUTPUT, "out", operation="add:1")
SUM_GRADIENT = TensorRef("features.0", Slot.GRAD_OUTPUT, "out", operation="add:1")


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    window = PanelWindow()
    window.bridge.session.check_operations([ADD])
    window.bridge.capture({SUM: torch.ones(4), SUM_GRADIENT: torch.ones(4), OUTPUT: torch.ones(2, 3)})
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def strip(window: PanelWindow, qtbot: QtBot) -> Iterator[SlotStrip]:
    strip = SlotStrip(window.bridge, window.current)  # type: ignore[arg-type]
    qtbot.addWidget(strip)
    strip.resize(300, 140)
    strip.show()
    window.current.select_ref(OUTPUT)
    yield strip
    strip.close()


def test_that_the_cards_have_the_tensors_of_the_module_first(
    window: PanelWindow, strip: SlotStrip, qtbot: QtBot
) -> None:
    assert [card.text() for card in strip.cards] == ["output", "add:1 output", "add:1 grad_output"]
    qtbot.mouseClick(strip.cards[1], Qt.MouseButton.LeftButton)
    assert window.current.ref == SUM


def test_that_operations_stand_as_they_ran_and_not_as_they_were_checked(window: PanelWindow, strip: SlotStrip) -> None:
    earlier, later = (OperationRef("features.0", "relu", number) for number in (0, 1))
    window.bridge.session.check_operations([later, ADD, earlier])
    refs = [TensorRef("features.0", Slot.OUTPUT, "out", operation=one.text) for one in (earlier, ADD, later)]
    window.bridge.capture({ref: torch.ones(4) for ref in (*refs, OUTPUT)})
    names = [card.text().split()[0] for card in strip.cards]
    assert list(dict.fromkeys(names)) == ["output", "relu:0", "add:1", "relu:1"]


def test_that_the_card_of_what_is_looked_at_comes_into_sight(window: PanelWindow, strip: SlotStrip) -> None:
    card = strip.cards[2]
    assert card.visibleRegion().boundingRect() != card.rect()
    window.current.select_ref(SUM_GRADIENT)
    assert card.visibleRegion().boundingRect() == card.rect()


def test_that_a_panel_shows_an_operation_and_lets_its_gradient_be_chosen(window: PanelWindow, qtbot: QtBot) -> None:
    window.current.select_ref(SUM)
    window.bridge.answer_all(window.panel)
    assert window.panel.message == ""
    assert window.panel.slot_text == "add:1 output"
    slots = next(box for box in window.panel.findChildren(QComboBox) if "Tensor" in box.accessibleName())
    assert [slots.itemText(row) for row in range(slots.count())] == ["output", "add:1 output", "add:1 grad_output"]
    slots.setFocus()
    qtbot.keyClick(slots, Qt.Key.Key_Down)
    assert window.current.ref == SUM_GRADIENT


def test_that_an_operation_that_is_not_checked_says_what_to_do(window: PanelWindow) -> None:
    window.current.select_ref(TensorRef("features.0", Slot.OUTPUT, "out", operation="mul:0"))
    assert "Check this operation" in window.panel.message


def test_that_a_card_with_something_to_know_has_a_glyph_and_says_all_of_it(
    window: PanelWindow, strip: SlotStrip
) -> None:
    plain = strip.cards[0].sizeHint().width()
    badges = Badge(BadgeKind.SCALED, "1024"), Badge(BadgeKind.MODIFIED_AFTERWARDS)
    window.bridge.capture({OUTPUT: torch.ones(2, 3)}, step=2, badges=badges)
    card = strip.cards[0]
    assert card.sizeHint().width() >= plain
    assert "1024" in card.toolTip()
    assert "wrote into its output" in card.toolTip()
    assert "wrote into its output" in card.accessibleDescription()
