"""Choices that can be undone, and the values that a percentile fit leaves out."""

import numpy as np

from hookscope.figures.ranges import Choices, dragged, fitted, trimmed_extent


def test_that_every_choice_can_be_undone_and_redone() -> None:
    choices: Choices[str, int] = Choices(0)
    for value in (1, 2, 3):
        assert choices.choose("a", value)
    assert not choices.choose("a", 3)
    seen = [choices.of("a")]
    while choices.undo("a"):
        seen.append(choices.of("a"))
    assert seen == [3, 2, 1, 0]
    assert not choices.can_undo("a")
    while choices.redo("a"):
        pass
    assert choices.of("a") == 3
    choices.undo("a")
    choices.choose("a", 9)
    assert not choices.can_redo("a")


def test_that_a_drag_is_one_step() -> None:
    choices: Choices[str, int] = Choices(0)
    choices.choose("a", 1)
    choices.choose("a", 2)
    choices.choose("a", 3, goes_on=True)
    choices.choose("a", 4, goes_on=True)
    choices.undo("a")
    assert choices.of("a") == 1


def test_that_each_thing_has_choices_of_its_own_and_the_oldest_are_forgotten() -> None:
    choices: Choices[str, int] = Choices(0, most=2)
    choices.choose("a", 1)
    choices.choose("b", 2)
    choices.of("a")
    choices.choose("c", 3)
    assert [choices.of(key) for key in "abc"] == [1, 0, 3]
    assert not choices.can_undo("b")


def test_that_a_fit_holds_the_data() -> None:
    assert fitted((-1.0, 3.0), is_symmetric=False) == (-1.0, 3.0)
    assert fitted((-1.0, 3.0), is_symmetric=True) == (-3.0, 3.0)


def test_that_a_percentile_fit_leaves_out_the_outermost_values() -> None:
    pixels = np.linspace(0, 1, 1001, dtype=np.float32)
    pixels[500] = 1e6
    low, high = trimmed_extent(pixels, None, (0.0, 1e6))
    assert 0.0 < low < 0.01
    assert 0.98 < high < 1.0


def test_that_a_percentile_fit_is_of_finite_values_and_far_ends_do_not_overflow() -> None:
    pixels = np.array([1.0, 2.0, 50.0], np.float32)
    low, high = trimmed_extent(pixels, np.array([0, 0, 1], np.uint8), (0.0, 0.0))
    assert 1.0 <= low < high <= 2.0
    assert trimmed_extent(pixels, np.ones(3, np.uint8), (7.0, 8.0)) == (7.0, 8.0)
    far = np.array([-3e38, 0.0, 3e38] * 50_000, np.float32)
    assert trimmed_extent(far, None, (0.0, 0.0)) == (float(far[0]), float(far[2]))


def test_that_a_dragged_end_takes_the_other_one_along_about_zero_only() -> None:
    assert dragged((-1.0, 3.0), (-1.0, 1.0), is_symmetric=True) == (-3.0, 3.0)
    assert dragged((-0.5, 1.0), (-1.0, 1.0), is_symmetric=True) == (-0.5, 0.5)
    assert dragged((3.0, 2.0), (2.0, 5.0), is_symmetric=False) == (2.0, 3.0)
