"""The text in place of a picture."""

import pytest
import torch

from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.gui.panels.words import DETAILS, word_no_picture
from hookscope.protocol.views import HistogramRequest, NoPicture, NoPictureReason, PlaceRequest, Target, ViewRequest


def words_for(tensor: torch.Tensor, request: ViewRequest) -> str:
    nothing = build_view(tensor, request)
    assert isinstance(nothing, NoPicture)
    return word_no_picture(nothing, spec_of(tensor))


def test_that_a_nested_tensor_is_a_card_with_its_shapes() -> None:
    tensor = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    what, sentence = words_for(tensor, HistogramRequest()).split("\n\n")
    assert what.endswith("× 3 · float32 · nested · cpu")
    assert "(2, 3), (4, 3)" in sentence


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


def test_that_a_missing_second_tensor_is_not_called_the_first() -> None:
    text = word_no_picture(NoPicture(NoPictureReason.NOT_CAPTURED, "the other tensor"), None)
    assert "other tensor" in text
