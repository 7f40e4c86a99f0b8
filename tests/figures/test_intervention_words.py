from typing import get_args

import pytest

from hookscope.figures.intervention_kinds import CHANGES, IDLE, SELECTIONS, SLOTS
from hookscope.figures.intervention_words import (
    Tone,
    word_change,
    word_hand_place,
    word_place,
    word_selection,
    word_status,
    word_tensor,
)
from hookscope.figures.selection_text import format_index, format_numbers, parse_index, parse_numbers
from hookscope.figures.slider_scale import SliderScale
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import (
    Channels,
    HandChange,
    Heads,
    Idle,
    Index,
    Intervention,
    InterventionStatus,
    MagnitudeAbove,
    Selection,
    Span,
)
from hookscope.protocol.tensor_changes import (
    Change,
    Clamp,
    ClipNorm,
    Constant,
    Expression,
    FromFile,
    FromStep,
    NanTo,
    Noise,
    PlainChange,
    Replace,
    Scale,
    StraightThrough,
    Zero,
)
from hookscope.protocol.tensors import Array

COLUMN = Index((Span(), 5))


def shouted(english: str) -> str:
    """Stand in for a translation that leaves the names in braces alone."""
    return english.replace("scale", "SCALE").replace("acted", "ACTED").replace("channel", "CHANNEL")


def test_that_every_kind_has_its_words() -> None:
    assert set(get_args(PlainChange)) == CHANGES.keys()
    assert set(get_args(Selection)) == SELECTIONS.keys()
    assert set(Idle) == IDLE.keys()
    assert set(Slot) == SLOTS.keys()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Zero(), "zero"),
        (Scale(0.5), "scale × 0.5"),
        (Clamp(-1.0, 2.0), "clamp to -1 … 2"),
        (Clamp(None, 2.0), "clamp to at most 2"),
        (Clamp(0.0, None), "clamp to at least 0"),
        (Clamp(None, None), "leave as it is"),
        (ClipNorm(1e-3), "clip norm to 0.001"),
        (Noise(0.1, 12345), "noise, std 0.1, seed 12345"),
        (Constant(float("nan")), "set to NaN"),
        (Replace(Array("<f4", (2, 3), bytes(24))), "replace by 2 × 3"),
        (FromFile("/data/some.npy"), "from some.npy"),
        (FromStep(3), "as in step 3"),
        (FromStep(3, TensorRef("a.{b}", Slot.INPUT, "args.1")), "as in step 3, a.{b} input 1"),
        (NanTo(0.0), "NaN to 0"),
        (NanTo(0.0, infinities=True), "NaN and infinity to 0"),
        (Expression("{x}"), "x = {x}"),
        (StraightThrough(Scale(2.0)), "scale × 2, straight-through"),
    ],
)
def test_that_a_change_is_put_into_words(change: Change, words: str) -> None:
    assert word_change(change) == words


def test_that_a_place_names_tensor_elements_and_call() -> None:
    gradient = Intervention(1, "features.3", Slot.GRAD_OUTPUT, Zero(), "out", 0, where=COLUMN)
    assert word_place(gradient, "Net") == "features.3 grad_output [:, 5] · call 0"
    operation = Intervention(1, "", Slot.OUTPUT, Zero(), "out", operation="add:1")
    assert word_place(operation, "Net") == "Net add:1 output"
    assert word_place(Intervention(1, "head", Slot.PARAMETER_GRAD, Zero(), "weight"), "Net") == "head weight grad"
    assert word_tensor(Slot.PARAMETER) == "parameter"
    hand = HandChange(TensorRef("head", Slot.INPUT, "args.0"), Zero(), Index((0, -1)))
    assert word_hand_place(hand) == "input 0 [0, -1]"


def test_that_a_selection_is_put_into_words() -> None:
    assert word_selection(None) == ""
    assert word_selection(Channels((3,))) == "channel 3"
    assert word_selection(Channels((3, 5))) == "channels 3, 5"
    assert word_selection(Channels((3, 5), dim=0)) == "3, 5 of dim 0"
    assert word_selection(Heads((0,), 8)) == "heads 0 of 8"
    assert word_selection(MagnitudeAbove(3.0)) == "where |x| > 3"


def test_that_the_words_can_be_translated() -> None:
    assert word_change(StraightThrough(Scale(2.0)), shouted) == "SCALE × 2, straight-through"
    assert word_selection(Channels((1,)), shouted) == "CHANNEL 1"
    assert word_status(InterventionStatus(1, 2, 1), translate=shouted).text == "ACTED 2×, 1 element"


def test_that_a_status_says_what_came_of_it_and_how_it_is_meant() -> None:
    told = [
        word_status(None),
        word_status(None, "expected (16, 32), given (3,)"),
        word_status(InterventionStatus(1, 2, 1512)),
        word_status(InterventionStatus(1, 1, 3, warning="3 elements are not finite")),
        word_status(InterventionStatus(1, 0, idle=Idle.OFF)),
        word_status(InterventionStatus(1, 0, idle=Idle.NEVER_CALLED)),
        word_status(InterventionStatus(1, 0, idle=Idle.NO_SUCH_CALL, detail="2")),
        word_status(InterventionStatus(1, 0, idle=Idle.NO_GRADIENT, detail="no_grad_mode")),
    ]
    assert [(text.text, text.tone) for text in told] == [
        ("", Tone.QUIET),
        ("refused: expected (16, 32), given (3,)", Tone.TROUBLE),
        ("acted 2×, 1,512 elements", Tone.PLAIN),
        ("acted 1×, 3 elements; 3 elements are not finite", Tone.WARNING),
        ("off", Tone.QUIET),
        ("never acted: the module was not called", Tone.WARNING),
        ("never acted: there was no such call (of 2)", Tone.WARNING),
        ("never acted: no gradient came by (gradients off)", Tone.WARNING),
    ]


@pytest.mark.parametrize("text", [":, 3", "0, 2:5", "::2", "-1", "1:, :-2"])
def test_that_an_index_reads_back_as_it_was_written(text: str) -> None:
    assert format_index(parse_index(text)) == text
    assert parse_index(f"[{text}]") == parse_index(text)


@pytest.mark.parametrize(
    ("text", "part"), [("a", "“a”"), ("1,,2", "“”"), ("..., 3", "“...”"), ("1:2:-1", "“1:2:-1”"), ("", "Write")]
)
def test_that_a_bad_index_is_told_with_the_part_that_is_wrong(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        parse_index(text)


def test_that_numbers_and_ranges_of_them_are_read() -> None:
    assert parse_numbers("3, 8-11,3") == (3, 8, 9, 10, 11)
    assert format_numbers((3, 5)) == "3, 5"
    for text in ("", "x", "-1", "0-99999999"):
        with pytest.raises(ValueError, match=r"\S"):
            parse_numbers(text)


@pytest.mark.parametrize("scale", [SliderScale(-3.0, 3.0), SliderScale(0.0, 3.0), SliderScale(1e-3, 1e3, log=True)])
def test_that_a_slider_reaches_both_ends_and_round_values_in_between(scale: SliderScale) -> None:
    assert scale.value_at(0) == scale.low
    assert scale.value_at(scale.places) == scale.high
    assert scale.value_at(scale.place_of(1.0)) == 1.0
    assert scale.place_of(1e9) == scale.places
    assert scale.place_of(-1e9) == 0
    assert scale.place_of(float("nan")) == 0
    assert 100 <= scale.places <= 600
