"""Trials in words: the loss, how many changes are on, how far a tensor moved, and the proof."""

import math

import pytest

from hookscope.figures.trial_words import (
    STATISTIC_TITLES,
    Direction,
    LossWords,
    share_of_bar,
    sorted_by_change,
    word_changes,
    word_edited,
    word_loss,
    word_measure,
    word_proof,
    word_relative,
)
from hookscope.protocol.events import UnchangedProved
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference, Idle, Intervention, InterventionStatus
from hookscope.protocol.tensor_changes import Zero
from hookscope.protocol.views import Statistics


def moved(norm: float, relative: float, changed: int = 1, order: int = 0) -> Difference:
    return Difference(TensorRef("a", Slot.OUTPUT, "out"), order, norm, relative, changed, 8)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (2.303, 2.417, LossWords("2.303 → 2.417", "+0.114", Direction.UP)),
        (2.0, -1.0, LossWords("2 → -1", "-3", Direction.DOWN)),
        (1.0, 1.0, LossWords("1 → 1", "unchanged", Direction.SAME)),
        (1.0, None, LossWords("1 → not finite", "", Direction.SAME)),
    ],
)
def test_that_the_loss_has_a_signed_difference(before: float | None, after: float | None, words: LossWords) -> None:
    assert word_loss(before, after) == words


def test_that_changes_are_counted_that_are_on_refused_or_did_not_act() -> None:
    on = [Intervention(id_, "a", Slot.OUTPUT, Zero()) for id_ in (1, 2)]
    off = Intervention(3, "a", Slot.OUTPUT, Zero(), enabled=False)
    assert word_changes([off], {}, {}) == ""
    assert word_changes([on[0], off], {}, {}) == "1 change is on"
    idle = {2: InterventionStatus(2, 0, idle=Idle.NO_GRADIENT), 3: InterventionStatus(3, 0, idle=Idle.OFF)}
    assert word_changes([*on, off], {1: "why"}, idle) == "2 changes are on, 1 refused, 1 did not act"


@pytest.mark.parametrize(
    ("count", "start"), [(0, ""), (1, "Edited by hand: 1 tensor,"), (2, "Edited by hand: 2 tensors,")]
)
def test_that_tensors_edited_by_hand_are_counted(count: int, start: str) -> None:
    assert word_edited(count).startswith(start)
    assert bool(word_edited(count)) == bool(count)


@pytest.mark.parametrize(
    ("difference", "text", "share"),
    [
        (moved(0.0, 0.0, changed=0), "0", 0.0),
        (moved(0.0, 0.0), "0 %", 0.0),
        (moved(1.0, 0.125), "12.5 %", 0.125),
        (moved(1.0, 3.5), "350 %", 1.0),
        (moved(1.0, 25.0), "25×", 1.0),
        (moved(1.0, math.inf), "from zero", 1.0),
        (moved(math.inf, math.inf), "not finite", 1.0),
    ],
)
def test_that_a_relative_change_can_be_read(difference: Difference, text: str, share: float) -> None:
    assert word_relative(difference) == text
    assert share_of_bar(difference) == share


def test_that_infinite_and_undefined_changes_stand_before_finite_ones() -> None:
    finite, tie = moved(9.0, 2.0, order=2), moved(9.0, 2.0, order=1)
    infinite, undefined, same = moved(3.0, math.inf), moved(math.nan, math.nan), moved(0.0, 0.0, changed=0)
    assert sorted_by_change([same, finite, tie, infinite, undefined]) == [undefined, infinite, tie, finite, same]


def test_that_a_proof_names_what_differs_and_says_when_the_model_was_trained() -> None:
    assert word_proof(UnchangedProved(212, (), since_set=True)) == (
        "The model is back: 212 tensors are the same in every bit"
    )
    assert word_proof(UnchangedProved(212)).endswith("It was trained meanwhile")
    assert word_proof(UnchangedProved(4, ("a", "b", "c", "d"))) == (
        "Not the same: 4 of 4 tensors differ: a, b, c and 1 more"
    )


def test_that_every_statistic_that_has_a_title_can_be_measured() -> None:
    assert STATISTIC_TITLES.keys() <= set(Statistics.__struct_fields__)
    assert word_measure("a output", "minimum", of_difference=True) == "min of the change of a output"
