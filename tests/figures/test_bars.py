"""Outlines of histograms."""

import numpy as np
import pytest

from hookscope.figures.bars import bin_edges, outline
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Histogram


def histogram(counts: list[int], low: float, high: float) -> Histogram:
    return Histogram(Array.from_numpy(np.array(counts, np.int64)), low, high, 0, 0, 0, 0, 0)


def test_that_there_is_one_edge_more_than_heights() -> None:
    edges, heights = outline(histogram([1, 0, 9], -1.0, 2.0))
    assert edges.tolist() == [-1.0, 0.0, 1.0, 2.0]
    assert heights.tolist() == [1.0, 0.0, 9.0]


def test_that_logarithmic_heights_show_a_single_element_and_keep_empty_bins_at_zero() -> None:
    _, heights = outline(histogram([0, 1, 9, 999], 0.0, 1.0), logarithmic=True)
    assert heights.tolist() == pytest.approx([0.0, np.log10(2), 1.0, 3.0])


@pytest.mark.parametrize(("low", "high"), [(-1.7e308, 1.7e308), (-3e38, 3e38), (0.0, 5e-324), (-0.5, 9.5)])
def test_that_edges_are_finite_and_ascend_to_the_ends(low: float, high: float) -> None:
    edges = bin_edges(histogram([0] * 10, low, high))
    assert np.isfinite(edges).all()
    assert (edges[:-1] <= edges[1:]).all()
    assert (edges[0], edges[-1]) == (low, high)
