"""Which dims of a shape are rows, columns and tiles."""

import pytest

from hookscope.protocol.views import Axes, Statistics, is_sample


@pytest.mark.parametrize(
    ("axes", "shape", "resolved"),
    [
        (Axes(), (2, 3, 4), Axes(1, 2, None, (0, 0, 0))),
        (Axes(index=(1, 5, 5)), (2, 3, 4), Axes(1, 2, None, (1, 0, 0))),
        (Axes(index=(9,)), (2, 3, 4), Axes(1, 2, None, (1, 0, 0))),
        (Axes(index=(-3, 0, 0, 7)), (2, 3, 4), Axes(1, 2, None, (0, 0, 0))),
        (Axes(rows=2), (2, 3, 4), Axes(2, 1, None, (0, 0, 0))),
        (Axes(columns=0), (2, 3, 4), Axes(2, 0, None, (0, 0, 0))),
        (Axes(rows=1, columns=1), (2, 3, 4), Axes(1, 2, None, (0, 0, 0))),
        (Axes(rows=7, columns=-1), (2, 3), Axes(0, 1, None, (0, 0))),
        (Axes(), (5,), Axes(None, 0, None, (0,))),
        (Axes(rows=0), (5,), Axes(0, None, None, (0,))),
        (Axes(), (), Axes()),
        (Axes(tiles=2), (2, 3, 4), Axes(1, 2, None, (0, 0, 0))),
    ],
)
def test_that_axes_fit_every_shape(axes: Axes, shape: tuple[int, ...], resolved: Axes) -> None:
    assert axes.resolved(shape) == resolved
    assert resolved.resolved(shape) == resolved


@pytest.mark.parametrize(
    ("axes", "shape", "resolved"),
    [
        (Axes(), (2, 3, 4, 5), Axes(2, 3, 1, (0, 0, 0, 0))),
        (Axes(index=(1, 2, 3, 4)), (2, 3, 4, 5), Axes(2, 3, 1, (1, 0, 0, 0))),
        (Axes(tiles=3), (2, 3, 4, 5), Axes(1, 2, 3, (0, 0, 0, 0))),
        (Axes(tiles=0, rows=3, columns=1), (2, 3, 4, 5), Axes(3, 1, 0, (0, 0, 0, 0))),
        (Axes(), (2, 3), Axes(0, 1, None, (0, 0))),
        (Axes(rows=0, tiles=0), (2, 3, 4), Axes(0, 2, 1, (0, 0, 0))),
    ],
)
def test_that_tiles_take_the_last_dim_that_is_left(axes: Axes, shape: tuple[int, ...], resolved: Axes) -> None:
    assert axes.resolved(shape, with_tiles=True) == resolved


@pytest.mark.parametrize(("seen", "sample"), [(10, False), (3, True), (0, False)])
def test_that_a_result_says_whether_it_is_of_a_sample(seen: int, sample: bool) -> None:
    assert is_sample(Statistics(10, None, None, None, None, None, 0, 0, 0, 0, 0, 0, seen=seen)) is sample
