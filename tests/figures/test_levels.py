"""Levels that have a width, and shades that do not overflow."""

import numpy as np
import pytest

from hookscope.figures.levels import auto_levels, is_signed, shade, symmetric_levels

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
    pixels = np.array([[0.0, 0.5, 1.0], [-7.0, 9.0, np.nan]], np.float32)
    assert shade(pixels, (0.0, 1.0)).tolist() == [[0, 128, 255], [0, 255, 0]]


def test_that_levels_further_apart_than_float32_reaches_give_different_shades() -> None:
    pixels = np.array([-FLOAT32_MAX, 0.0, FLOAT32_MAX], np.float32)
    assert shade(pixels, auto_levels(-FLOAT32_MAX, FLOAT32_MAX)).tolist() == [0, 128, 255]


@pytest.mark.parametrize("value", [0.0, 1e-45, 5.0, FLOAT32_MAX])
def test_that_a_constant_is_drawn_in_the_middle_shade(value: float) -> None:
    pixels = np.full(2, value, np.float32)
    assert shade(pixels, auto_levels(float(pixels[0]), float(pixels[0]))).tolist() == [128, 128]
