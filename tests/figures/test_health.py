"""Six counts of a picture."""

import numpy as np
import pytest

from hookscope.figures.grid import GUTTER
from hookscope.figures.health import Health, count_shown, health_of
from hookscope.protocol.views import Statistics

PIXELS = np.array([[-1.0, 0.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0]], np.float32)
MASK = np.array([[0, 0, 0, 1], [0, 2, 3, GUTTER]], np.uint8)


def test_that_values_are_counted_by_sign_and_the_others_by_sort() -> None:
    health = count_shown(PIXELS, MASK, 7, "float32")
    assert health == Health(nan=1, pos_inf=1, neg_inf=1, negative=1, zero=1, positive=2, is_whole=True)
    assert count_shown(PIXELS, None, 8, "float32") == Health(0, 0, 0, 1, 5, 2, True)


@pytest.mark.parametrize(("count", "dtype"), [(70, "float32"), (7, "float64"), (7, "complex64"), (7, "int64")])
def test_that_a_part_and_what_float32_cannot_tell_are_not_taken_for_all(count: int, dtype: str) -> None:
    assert not count_shown(PIXELS, MASK, count, dtype).is_whole


def test_that_statistics_of_a_sample_are_not_of_all() -> None:
    statistics = Statistics(10, 0.0, 1.0, 0.5, 0.1, 1.0, 1, 2, 3, 1, 1, 1)
    assert health_of(statistics) == Health(1, 1, 1, 1, 2, 3, True)
    sampled = Statistics(100, 0.0, 1.0, 0.5, 0.1, 1.0, 1, 2, 3, 1, 1, 1, seen=9)
    assert not health_of(sampled).is_whole
