from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from hookscope.gui.origin_card import MAX_TENSORS, OriginCard
from hookscope.protocol.events import NonFiniteSearched
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import NonFiniteOrigin, OriginPhase
from tests.gui.fakes import FakeBridge, small_tree

REFS = tuple(TensorRef("distances", Slot.INPUT, f"args.{number}") for number in range(MAX_TENSORS + 2))


def origin(phase: OriginPhase = OriginPhase.BACKWARD, refs: tuple[TensorRef, ...] = REFS[:1]) -> NonFiniteOrigin:
    place = ("/models/net.py", 41, "return d.sqrt()")
    return NonFiniteOrigin(3, phase, "distances", "PairDistance", 0, "sqrt:0", "3 NaN", *place, refs)


@pytest.fixture
def card(bridge: FakeBridge, qtbot: QtBot) -> Iterator[OriginCard]:
    card = OriginCard(bridge)
    qtbot.addWidget(card)
    yield card
    card.close()


@pytest.mark.parametrize("phase", OriginPhase)
def test_that_every_phase_is_told_with_its_values(bridge: FakeBridge, card: OriginCard, phase: OriginPhase) -> None:
    bridge.non_finite_searched.emit(NonFiniteSearched(1, origin(phase)))
    assert "3 NaN" in card.text
    assert "{" not in card.text


def test_that_the_card_leads_to_the_tensors_the_module_and_the_line(bridge: FakeBridge, card: OriginCard) -> None:
    wishes: list[object] = []
    card.tensor_requested.connect(wishes.append)
    card.module_requested.connect(wishes.append)
    card.place_requested.connect(lambda file, line: wishes.append((file, line)))
    bridge.non_finite_searched.emit(NonFiniteSearched(1, origin()))
    assert [button.text() for button in card.tensor_buttons if not button.isHidden()] == ["distances input 0"]
    for button in (card.tensor_buttons[0], card.module_button, card.line_button):
        button.click()
    assert wishes == [REFS[0], "distances", ("/models/net.py", 41)]


def test_that_many_tensors_have_only_so_many_buttons(bridge: FakeBridge, card: OriginCard) -> None:
    bridge.non_finite_searched.emit(NonFiniteSearched(1, origin(refs=REFS)))
    assert sum(not button.isHidden() for button in card.tensor_buttons) == MAX_TENSORS


@pytest.mark.parametrize(("steps", "text"), [(1, "All finite in 1 step:"), (20, "All finite in 20 steps:")])
def test_that_nothing_found_is_told_too(bridge: FakeBridge, card: OriginCard, steps: int, text: str) -> None:
    bridge.non_finite_searched.emit(NonFiniteSearched(steps, None))
    assert card.text.startswith(text)
    assert card.module_button.isHidden()
    assert card.line_button.isHidden()
    bridge.load(small_tree())
    assert card.text == ""
