"""Levels that have a width, and shades that do not overflow."""

import numpy as np
import pytest

from hookscope.figures.levels import (
    Mark,
    auto_levels,
    color_indices,
    is_signed,
    shade,
    symmetric_levels,
    thin_out,
)

FLOAT32_MAX = float(np.finfo(np.float32).max)


def test_that_levels_span_the_data() -> None:
    assert auto_levels(-1.0, 3.0) == (-1.0, 3.0)
    assert symmetric_levels(-1.0, 3.0) == (-3.0, 3.0)
    assert symmetric_levels(-5.0, 3.0) == (-5.0, 5.0)


@pytest.mark.parametrize("value", [0.0, 3.0, -3.0, 1e-40, -1e-20, FLOAT32_MAX])
def test_that_a_constant_is_between_levels(value: float) -> None:
    for low, high in (auto_levels(value, value), symmetric_levels(value, value)):
        assert low < high
        assert low <= value <= high
    low, high = auto_levels(value, value)
    assert low < value < high


def test_that_signed_data_are_told_from_one_sided_ones() -> None:
    assert is_signed(-1.0, 2.0)
    assert not is_signed(0.0, 2.0)
    assert not is_signed(-2.0, 0.0)


def test_that_shades_run_over_the_whole_table() -> None:
    pixels = np.array([[0.0, 0.5, 1.0], [-7.0, 9.0, 0.25]], np.float32)
    assert shade(pixels, (0.0, 1.0)).tolist() == [[0, 120, 240], [0, 240, 60]]


def test_that_levels_further_apart_than_float32_reaches_give_different_shades() -> None:
    pixels = np.array([-FLOAT32_MAX, 0.0, FLOAT32_MAX], np.float32)
    assert shade(pixels, auto_levels(-FLOAT32_MAX, FLOAT32_MAX)).tolist() == [0, 120, 240]


@pytest.mark.parametrize("levels", [(0.0, 1e-30), (-1e36, 1e36), (5.0, 5.0 + 1e-6)])
def test_that_any_pixel_has_a_shade_with_any_levels(levels: tuple[float, float]) -> None:
    pixels = np.array([-FLOAT32_MAX, -1e-38, 0.0, FLOAT32_MAX], np.float32)
    shades = shade(pixels, levels)
    assert (shades[0], shades[-1]) == (0, 240)


@pytest.mark.parametrize("value", [0.0, 1e-45, 5.0, FLOAT32_MAX])
def test_that_a_constant_is_drawn_in_the_middle_shade(value: float) -> None:
    pixels = np.full(2, value, np.float32)
    assert shade(pixels, auto_levels(float(pixels[0]), float(pixels[0]))).tolist() == [120, 120]


def test_that_marks_do_not_depend_on_the_levels() -> None:
    pixels = np.array([[-2.0, 0.5, 3.0, 0.0, 0.0, 0.0, 0.0]], np.float32)
    mask = np.array([[0, 0, 0, 1, 2, 3, 4]], np.uint8)
    marks = [Mark.NAN, Mark.POS_INF, Mark.NEG_INF, Mark.GAP]
    for levels in ((0.0, 1.0), (-5.0, 5.0)):
        assert color_indices(pixels, mask, levels)[0, 3:].tolist() == marks
    plain = color_indices(pixels, mask, (0.0, 1.0))
    assert plain[0, :3].tolist() == [0, 120, 240]
    assert color_indices(pixels, mask, (0.0, 1.0), marks_negative=True)[0, :3].tolist() == [Mark.NEGATIVE, 120, 240]
    clipped = color_indices(pixels, mask, (0.0, 1.0), marks_negative=True, marks_clipped=True)
    assert clipped[0, :3].tolist() == [Mark.BELOW, 120, Mark.ABOVE]
    assert clipped[0, 3:].tolist() == marks


def test_that_the_ends_of_the_data_are_not_clipped() -> None:
    pixels = np.array([0.1, 0.3], np.float32)
    indices = color_indices(pixels, None, (float(pixels[0]), 0.3), marks_clipped=True)
    assert indices.tolist() == [0, 240]


def test_that_no_nan_gets_lost_when_a_picture_is_thinned_out() -> None:
    indices = np.zeros((7, 9), np.uint8)
    indices[5, 7] = Mark.NAN
    indices[1, 2] = Mark.POS_INF
    indices[1, 1] = Mark.GAP
    thin = thin_out(indices, 3)
    assert thin.tolist() == [[Mark.POS_INF, 0, 0], [0, 0, Mark.NAN], [0, 0, 0]]
    assert thin_out(indices, 1) is indices
