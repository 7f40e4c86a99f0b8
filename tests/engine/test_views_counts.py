"""Statistics and histograms: exact numbers."""

import math

import numpy as np
import pytest
import torch

from hookscope.engine.views import build_view
from hookscope.protocol.views import (
    Histogram,
    HistogramRequest,
    Statistics,
    StatisticsRequest,
)

NAN, INF = math.nan, math.inf
FLOAT32_MAX = float(np.finfo(np.float32).max)


def statistics(tensor: torch.Tensor) -> Statistics:
    result = build_view(tensor, StatisticsRequest())
    assert isinstance(result, Statistics)
    return result


def histogram(tensor: torch.Tensor, request: HistogramRequest) -> tuple[Histogram, list[int]]:
    result = build_view(tensor, request)
    assert isinstance(result, Histogram)
    counts = result.counts.to_numpy()
    assert counts.dtype == np.int64
    assert result.low < result.high
    total = counts.sum() + result.below + result.above + result.nan + result.pos_inf + result.neg_inf
    assert total == tensor.numel()
    return result, counts.tolist()


def test_that_statistics_are_exact_for_simple_numbers() -> None:
    assert statistics(torch.tensor([3.0, -4.0, 0.0, 1.0])) == Statistics(
        count=4,
        minimum=-4.0,
        maximum=3.0,
        mean=0.0,
        std=math.sqrt(26) / math.sqrt(4),
        norm=math.sqrt(26),
        negative=1,
        zero=1,
        positive=2,
        nan=0,
        pos_inf=0,
        neg_inf=0,
        seen=4,
    )


def test_that_statistics_agree_with_numpy() -> None:
    values = np.random.default_rng(0).normal(1e4, 1.0, 10_000)
    found = statistics(torch.from_numpy(values))
    assert found.mean == pytest.approx(values.mean(), rel=1e-13)
    assert found.std == pytest.approx(values.std(), rel=1e-10)
    assert found.norm == pytest.approx(np.linalg.norm(values), rel=1e-13)


def test_that_the_six_counts_add_up_and_moments_are_of_finite_values() -> None:
    found = statistics(torch.tensor([NAN, NAN, INF, -INF, -INF, -INF, -0.0, 2.0, 4.0, -6.0]))
    counts = (found.nan, found.pos_inf, found.neg_inf, found.zero, found.positive, found.negative)
    assert counts == (2, 1, 3, 1, 2, 1)
    assert sum(counts) == found.count
    assert (found.minimum, found.maximum, found.mean) == (-6.0, 4.0, 0.0)
    assert found.norm == math.sqrt(56)


@pytest.mark.parametrize(("values", "count"), [([], 0), ([NAN, INF], 2)])
def test_that_statistics_without_finite_values_have_no_moments(values: list[float], count: int) -> None:
    found = statistics(torch.tensor(values))
    assert found.count == count
    assert (found.minimum, found.maximum, found.mean, found.std, found.norm) == (None,) * 5


@pytest.mark.parametrize("value", [0.1, -3e38, 1e-45, 0.0, 7.0])
def test_that_a_constant_tensor_has_its_value_as_mean_and_no_spread(value: float) -> None:
    tensor = torch.full((1001,), value)
    found = statistics(tensor)
    exact = tensor[0].item()
    assert (found.minimum, found.maximum, found.mean, found.std) == (exact, exact, exact, 0.0)
    assert found.norm == pytest.approx(abs(exact) * math.sqrt(1001), rel=1e-12, abs=0.0)


def test_that_float16_sums_do_not_overflow() -> None:
    found = statistics(torch.tensor([65504.0, 60000.0], dtype=torch.float16).repeat(1000))
    assert found.mean == (65504.0 + 60000.0) / 2
    assert found.std == pytest.approx((65504.0 - 60000.0) / 2, rel=1e-12)


@pytest.mark.parametrize("scale", [3e38, 1e300, 1e-300, 5e-324])
def test_that_moments_neither_overflow_nor_vanish(scale: float) -> None:
    found = statistics(torch.tensor([scale, -scale] * 4, dtype=torch.float64))
    assert found.mean == 0.0
    assert found.std == pytest.approx(scale, rel=1e-12, abs=0.0)
    assert found.norm == pytest.approx(scale * math.sqrt(8), rel=0.1 if scale < 1e-320 else 1e-12, abs=0.0)


def test_that_integers_and_bools_have_statistics() -> None:
    found = statistics(torch.tensor([-(2**31), 0, 2**31 - 1], dtype=torch.int32))
    assert (found.minimum, found.maximum, found.zero) == (-(2.0**31), 2.0**31 - 1, 1)
    assert statistics(torch.tensor([True, False, True])).mean == pytest.approx(2 / 3)
    assert statistics(torch.tensor([2**64 - 1], dtype=torch.uint64)).positive == 1


def test_that_counts_agree_with_numpy() -> None:
    values = np.random.default_rng(0).normal(size=10_000).astype(np.float32)
    found, counts = histogram(torch.from_numpy(values), HistogramRequest(bins=50))
    expected, edges = np.histogram(values.astype(np.float64), bins=50)
    assert counts == expected.tolist()
    assert (found.low, found.high) == (edges[0], edges[-1])
    assert not found.integer


def test_that_both_ends_belong_to_the_bins() -> None:
    found, counts = histogram(torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0]), HistogramRequest(bins=4))
    assert counts == [1, 1, 1, 2]
    assert (found.below, found.above) == (0, 0)


def test_that_values_outside_given_ends_are_counted_apart() -> None:
    tensor = torch.tensor([-2.0, -1.0, 0.0, 0.5, 1.0, 5.0, 6.0, NAN, INF, -INF, -INF])
    found, counts = histogram(tensor, HistogramRequest(bins=2, low=-1.0, high=1.0))
    assert counts == [1, 3]
    assert (found.below, found.above, found.nan, found.pos_inf, found.neg_inf) == (1, 2, 1, 1, 2)


def test_that_ends_are_not_rounded_to_the_tensors_precision() -> None:
    found, counts = histogram(torch.tensor([0.7]), HistogramRequest(bins=1, low=0.7, high=1.0))
    assert float(np.float32(0.7)) < 0.7
    assert (found.below, counts) == (1, [0])


@pytest.mark.parametrize("request_", [HistogramRequest(low=10.0), HistogramRequest(high=-10.0)])
def test_that_one_end_beyond_the_data_leaves_them_outside(request_: HistogramRequest) -> None:
    found, counts = histogram(torch.tensor([1.0, 2.0]), request_)
    assert sum(counts) == 0
    assert found.below + found.above == 2


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-30, 1e20, FLOAT32_MAX])
def test_that_equal_values_are_in_one_bin_that_has_a_width(value: float) -> None:
    found, counts = histogram(torch.full((5,), value), HistogramRequest())
    assert max(counts) == 5
    assert found.low < value < found.high


@pytest.mark.parametrize("value", [5e-324, 1.7e308])
def test_that_extreme_equal_float64_values_are_counted(value: float) -> None:
    _, counts = histogram(torch.full((3,), value, dtype=torch.float64), HistogramRequest())
    assert sum(counts) == 3


def test_that_the_widest_range_is_counted() -> None:
    values = torch.tensor([-1.7e308, 0.0, 1.7e308], dtype=torch.float64)
    found, counts = histogram(values, HistogramRequest(bins=4))
    assert counts == [1, 0, 1, 1]
    assert (found.low, found.high) == (-1.7e308, 1.7e308)


def test_that_a_histogram_without_finite_values_has_empty_bins() -> None:
    found, counts = histogram(torch.tensor([NAN, INF]), HistogramRequest(bins=3))
    assert counts == [0, 0, 0]
    assert (found.nan, found.pos_inf) == (1, 1)


def test_that_few_integers_have_a_bin_each() -> None:
    found, counts = histogram(torch.tensor([2, 2, 5, 3]), HistogramRequest())
    assert counts == [2, 1, 0, 1]
    assert (found.low, found.high, found.integer) == (1.5, 5.5, True)
    found, counts = histogram(torch.tensor([True, False, True]), HistogramRequest())
    assert (counts, found.low, found.high) == ([1, 2], -0.5, 1.5)


def test_that_many_integers_share_bins_equally() -> None:
    found, counts = histogram(torch.arange(1000), HistogramRequest(bins=128))
    assert counts == [8] * 125
    assert (found.low, found.high, found.integer) == (-0.5, 999.5, True)


def test_that_integers_outside_given_ends_are_counted_apart() -> None:
    found, counts = histogram(torch.arange(10), HistogramRequest(low=2.5, high=5.0))
    assert (counts, found.below, found.above) == ([1, 1, 1], 3, 4)
    found, counts = histogram(torch.arange(10), HistogramRequest(bins=2, low=2.25, high=2.75))
    assert (counts, found.below, found.above) == ([0, 0], 3, 7)


def test_that_integers_beyond_float64_are_counted() -> None:
    found, counts = histogram(torch.tensor([0, 2**64 - 1], dtype=torch.uint64), HistogramRequest(bins=2))
    assert counts == [1, 1]
    assert not found.integer
