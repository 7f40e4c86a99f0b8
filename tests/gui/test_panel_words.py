"""The text in place of a picture."""

import pytest
import torch
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication

from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.gui.panels.text_card import CardWords
from hookscope.gui.panels.words import DETAILS, detail_template, word_answer, word_no_picture
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, TensorSpec
from hookscope.protocol.views import (
    AttentionRequest,
    CosineRequest,
    EmbeddingRequest,
    GridRequest,
    HistogramRequest,
    KernelRequest,
    NoPicture,
    NoPictureReason,
    PlaceRequest,
    RgbRequest,
    ScatterRequest,
    SingularValuesRequest,
    Target,
    TextRequest,
    ViewRequest,
)

OTHER = TensorRef("b", Slot.OUTPUT, "out")


def words_for(tensor: torch.Tensor, request: ViewRequest) -> str:
    nothing = build_view(tensor, request)
    assert isinstance(nothing, NoPicture)
    return word_no_picture(nothing, spec_of(tensor))


def card_for(tensor: torch.Tensor) -> CardWords:
    nothing = build_view(tensor, HistogramRequest())
    assert isinstance(nothing, NoPicture)
    ref = TensorRef("a", Slot.OUTPUT, "out")
    card = word_answer(ViewReady("", 1, ref, 1, spec_of(tensor), (), nothing), nothing)
    assert isinstance(card, CardWords)
    return card


def test_that_a_nested_tensor_is_a_card_with_its_shapes() -> None:
    tensor = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    card = card_for(tensor)
    assert card.what == "2 × ? × 3 · float32 · nested · cpu"
    assert card.value == "0: 2 × 3\n1: 4 × 3"
    assert "its 2 parts" in card.sentence
    assert words_for(tensor, HistogramRequest()) == f"{card.what}\n\n{card.sentence}"


def test_that_of_very_many_parts_the_first_are_listed() -> None:
    tensor = torch.nested.nested_tensor([torch.ones(1)] * 300, layout=torch.jagged)
    assert card_for(tensor).value.split("\n")[-2:] == ["255: 1", "and 44 more"]


def test_that_a_value_that_is_no_tensor_is_a_card_with_its_name_its_type_and_its_value() -> None:
    badges = Badge(BadgeKind.NOT_A_TENSOR, "tuple of 2: (3, 'a: b')"), Badge(BadgeKind.RECOMPUTED)
    nothing = NoPicture(NoPictureReason.NOT_CAPTURED)
    answer = ViewReady("", 1, TensorRef("a", Slot.INPUT, "kwargs.size"), 1, None, badges, nothing)
    card = word_answer(answer, nothing)
    assert isinstance(card, CardWords)
    assert (card.what, card.value) == ("input size · tuple of 2", "(3, 'a: b')")
    assert card.sentence.startswith("What is here is no tensor")
    assert "(" not in card.sentence  # its value stands above


def test_that_a_tensor_that_was_never_kept_is_a_card_with_its_shape_and_why() -> None:
    spec = TensorSpec((3, 4), "float32", "meta")
    nothing = NoPicture(NoPictureReason.NOT_CAPTURED)
    text = word_no_picture(nothing, spec, (Badge(BadgeKind.NO_DATA, "meta tensor"),))
    what, sentence = text.split("\n\n")
    assert what == "3 × 4 · float32 · meta"
    assert sentence.endswith("(meta tensor)")


def test_that_a_meta_tensor_is_a_card_with_its_shape_and_dtype() -> None:
    what, sentence = words_for(torch.zeros(3, 4, device="meta"), HistogramRequest()).split("\n\n")
    assert what == "3 × 4 · float32 · meta"
    assert "on the meta device" in sentence


def test_that_an_empty_tensor_is_a_card() -> None:
    assert words_for(torch.zeros(0, 4), HistogramRequest()).startswith("0 × 4 · float32 · cpu")


@pytest.mark.parametrize("what", [Target.MAXIMUM, Target.FIRST_NON_FINITE])
def test_that_what_is_not_found_can_be_translated(what: Target) -> None:
    tensor = torch.full((2,), torch.nan) if what is Target.MAXIMUM else torch.ones(2)
    nothing = build_view(tensor, PlaceRequest(what))
    assert isinstance(nothing, NoPicture)
    assert nothing.detail in DETAILS
    assert nothing.detail in word_no_picture(nothing, spec_of(tensor))


class Dutch(QTranslator):
    """Knows one sentence; the places in it may stand in another order."""

    def translate(self, context, source, disambiguation=None, n=-1):
        known = {("NoPicture", "one has {0} elements, the other {1}"): "de andere heeft er {1}, deze {0}"}
        return known.get((context, source), source)


REFUSED = [
    (torch.ones(3), GridRequest()),
    (torch.ones(3), RgbRequest()),
    (torch.ones(3), KernelRequest()),
    (torch.ones(3), SingularValuesRequest()),
    (torch.ones(3), EmbeddingRequest()),
    (torch.ones(3), CosineRequest()),
    (torch.full((40, 50), torch.nan), SingularValuesRequest()),
    (torch.ones(5000, 5000), SingularValuesRequest()),
    (torch.ones(1), ScatterRequest(other=OTHER)),
    (torch.ones(2, 7), AttentionRequest(other=OTHER, heads=2)),
    (torch.ones(600, 600), TextRequest()),
]


@pytest.mark.parametrize(("tensor", "request_"), REFUSED, ids=lambda value: type(value).__name__)
def test_that_every_refusal_can_be_translated_with_its_numbers(tensor: torch.Tensor, request_: ViewRequest) -> None:
    nothing = build_view(tensor, request_, torch.ones(2, 8))
    assert isinstance(nothing, NoPicture)
    template, numbers = detail_template(nothing.detail)
    assert template in DETAILS
    assert numbers
    assert template.format(*numbers) == nothing.detail
    assert nothing.detail in word_no_picture(nothing, spec_of(tensor))


def test_that_shapes_and_numbers_are_the_places_of_a_translation() -> None:
    found = detail_template("the shapes are (2, 3) and, in step 1,204, (4,)")
    assert found == ("the shapes are {0} and, in step {1}, {2}", ("(2, 3)", "1,204", "(4,)"))
    assert found[0] in DETAILS


def test_that_a_translation_gets_the_numbers_in_its_own_order(qapp: QApplication) -> None:
    dutch = Dutch(qapp)
    qapp.installTranslator(dutch)
    try:
        nothing = build_view(torch.ones(6), ScatterRequest(other=OTHER), torch.ones(2048))
        assert isinstance(nothing, NoPicture)
        assert "de andere heeft er 2,048, deze 6" in word_no_picture(nothing, None)
    finally:
        qapp.removeTranslator(dutch)


def test_that_what_an_exception_says_is_shown_as_it_is_whatever_is_in_it() -> None:
    said = "KeyError: {0} of {x} values: 3 {}"
    assert said in word_no_picture(NoPicture(NoPictureReason.FAILED, said), None)


def test_that_a_missing_second_tensor_is_not_called_the_first() -> None:
    text = word_no_picture(NoPicture(NoPictureReason.NOT_CAPTURED, "the other tensor"), None)
    assert "other tensor" in text
