"""A number for each channel: statistics, zeros and saturation; and quantiles, and histograms of magnitudes."""

import math

import numpy as np
import pytest
import torch

from hookscope.engine.views import build_view
from hookscope.protocol.views import (
    Bars,
    ChannelsRequest,
    ChannelStatistic,
    Histogram,
    HistogramRequest,
    Quantiles,
    QuantilesRequest,
    SparsityRequest,
)

NAN, INF = math.nan, math.inf


def bars(tensor: torch.Tensor, request: ChannelsRequest | SparsityRequest) -> Bars:
    result = build_view(tensor, request)
    assert isinstance(result, Bars)
    assert result.values.dtype == "<f8"
    return result


def measured(tensor: torch.Tensor, statistic: ChannelStatistic) -> list[float]:
    values: list[float] = bars(tensor, ChannelsRequest(statistic=statistic)).values.to_numpy().tolist()
    return values


def quantiles(tensor: torch.Tensor, *levels: float) -> Quantiles:
    result = build_view(tensor, QuantilesRequest(levels))
    assert isinstance(result, Quantiles)
    return result


def histogram(tensor: torch.Tensor, request: HistogramRequest) -> tuple[Histogram, list[int]]:
    result = build_view(tensor, request)
    assert isinstance(result, Histogram)
    counts = result.counts.to_numpy().tolist()
    outside = result.below + result.above + result.nan + result.pos_inf + result.neg_inf + result.zero
    assert sum(counts) + outside == result.seen
    return result, counts


TWO_CHANNELS = torch.tensor([[[[1.0, 2.0], [0.0, 5.0]], [[NAN, -1.0], [INF, -3.0]]]])


@pytest.mark.parametrize(
    ("statistic", "values"),
    [
        (ChannelStatistic.MEAN, [2.0, -2.0]),
        (ChannelStatistic.STD, [math.sqrt(3.5), 1.0]),
        (ChannelStatistic.NORM, [math.sqrt(30), math.sqrt(10)]),
        (ChannelStatistic.MAXIMUM, [5.0, -1.0]),
        (ChannelStatistic.MINIMUM, [0.0, -3.0]),
        (ChannelStatistic.ZEROS, [0.25, 0.0]),
        (ChannelStatistic.NAN, [0.0, 0.25]),
    ],
)
def test_that_channels_are_measured_by_their_finite_values(statistic: ChannelStatistic, values: list[float]) -> None:
    assert measured(TWO_CHANNELS, statistic) == pytest.approx(values, rel=1e-15)


@pytest.mark.parametrize("statistic", [each for each in ChannelStatistic if each not in {"zeros", "nan"}])
def test_that_a_channel_without_finite_values_has_no_number(statistic: ChannelStatistic) -> None:
    assert np.isnan(measured(torch.tensor([[[NAN]], [[INF]], [[1.0]]]), statistic)).tolist() == [True, True, False]


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_that_moments_of_channels_neither_overflow_nor_vanish(scale: float) -> None:
    tensor = torch.tensor([[3.0, 4.0]], dtype=torch.float64).T[:, None] * scale
    tensor = torch.cat((tensor, -tensor), dim=2)
    assert measured(tensor, ChannelStatistic.NORM) == pytest.approx([math.sqrt(18) * scale, math.sqrt(32) * scale])
    assert measured(tensor, ChannelStatistic.STD) == pytest.approx([3 * scale, 4 * scale])
    assert measured(tensor, ChannelStatistic.MEAN) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("shape", "dim", "count"),
    [((), 0, 1), ((5,), 0, 5), ((2, 3), 1, 3), ((4, 5, 6), 0, 4), ((2, 4, 5, 6), 1, 4), ((1, 2, 3, 4, 5), 2, 3)],
)
def test_that_channels_are_before_the_last_two_dims(shape: tuple[int, ...], dim: int, count: int) -> None:
    found = bars(torch.zeros(shape), ChannelsRequest())
    assert (found.dim, found.count, found.stride, found.values.shape) == (dim, count, 1, (count,))
    assert bars(torch.zeros(shape), ChannelsRequest(dim=9)).dim == dim


def test_that_channels_may_be_any_dim() -> None:
    tensor = torch.arange(24.0).reshape(2, 3, 4)
    for dim in range(3):
        others = tuple(other for other in range(3) if other != dim)
        found = bars(tensor, ChannelsRequest(dim=dim))
        assert found.values.to_numpy().tolist() == tensor.mean(others).tolist()
        assert (found.seen, found.elements) == (24, 24)


def test_that_every_so_many_th_of_very_many_channels_is_shown() -> None:
    found = bars(torch.arange(100.0), ChannelsRequest(max_bars=30))
    assert found.values.to_numpy().tolist() == list(range(0, 100, 4))
    assert (found.count, found.stride, found.seen, found.elements) == (100, 4, 25, 25)


def test_that_zeros_and_saturated_values_of_a_tanh_are_told() -> None:
    found = bars(torch.tensor([[0.0, -0.995, 0.5, 1.0], [0.0, 0.0, -0.5, 0.989]]), SparsityRequest(dim=0))
    assert found.values.to_numpy().tolist() == [0.25, 0.5]
    assert found.saturated is not None
    assert found.saturated.to_numpy().tolist() == [0.5, 0.0]
    assert (found.bounds, found.statistic) == ((-1.0, 1.0), ChannelStatistic.ZEROS)


def test_that_both_ends_of_a_sigmoid_are_saturated_but_not_its_zeros() -> None:
    found = bars(torch.tensor([[0.0, 0.005, 0.5, 0.995, NAN]]), SparsityRequest(dim=0))
    assert found.values.to_numpy().tolist() == [0.2]
    assert found.saturated is not None
    assert found.saturated.to_numpy().tolist() == [0.4]
    assert found.bounds == (0.0, 1.0)


@pytest.mark.parametrize("values", [[0.0, 1.5], [0.0, 0.0], [NAN, INF], [0, 1], [False, True]])
def test_that_other_tensors_have_no_saturation(values: list[float]) -> None:
    found = bars(torch.tensor(values), SparsityRequest())
    assert (found.saturated, found.bounds) == (None, None)


def test_that_quantiles_are_those_of_numpy() -> None:
    generator = torch.Generator().manual_seed(0)
    tensor = torch.randn(3, 7, 11, generator=generator)
    levels = (0.0, 0.005, 0.25, 0.5, 0.9, 1.0)
    found = quantiles(tensor, *levels)
    np.testing.assert_allclose(found.values, np.quantile(tensor.double().numpy(), levels), rtol=1e-14)
    assert (found.levels, found.minimum, found.maximum) == (levels, tensor.min().item(), tensor.max().item())
    assert (found.seen, found.count) == (231, 231)


def test_that_quantiles_are_of_finite_values_and_count_the_others() -> None:
    found = quantiles(torch.tensor([NAN, INF, 2.0, -INF, 1.0, NAN]), 0.5)
    assert (found.values, found.minimum, found.maximum) == ((1.5,), 1.0, 2.0)
    assert (found.nan, found.pos_inf, found.neg_inf) == (2, 1, 1)
    found = quantiles(torch.tensor([NAN]), 0.5)
    assert (found.values, found.minimum, found.maximum) == ((), None, None)


def test_that_levels_outside_become_the_ends() -> None:
    assert quantiles(torch.tensor([1.0, 2.0]), -1.0, 7.0, NAN).values == (1.0, 2.0, 1.0)
    assert quantiles(torch.tensor([1.0, 2.0])).values == ()


def test_that_quantiles_between_the_widest_values_do_not_overflow() -> None:
    largest = torch.finfo(torch.float64).max
    assert quantiles(torch.tensor([-largest, largest], dtype=torch.float64), 0.5).values == (0.0,)
    assert quantiles(torch.full((10,), 0.1, dtype=torch.float64), 0.3).values == (0.1,)


def test_that_magnitudes_are_counted_by_their_logarithm() -> None:
    found, counts = histogram(
        torch.tensor([1e-3, -1e-3, 0.0, 1.0, -1e3, NAN, -INF, 0.0]), HistogramRequest(bins=5, log_magnitude=True)
    )
    assert counts == [2, 0, 1, 0, 1]
    assert (found.low, found.high) == pytest.approx((-3.0, 3.0))
    assert (found.zero, found.nan, found.neg_inf, found.log_magnitude) == (2, 1, 1, True)


def test_that_logarithms_outside_given_ends_are_counted_apart() -> None:
    values = torch.tensor([1e-3, 1.0, 10.0, 1e5])
    found, counts = histogram(values, HistogramRequest(bins=2, low=-1.0, high=3.0, log_magnitude=True))
    assert (counts, found.below, found.above) == ([1, 1], 1, 1)


def test_that_zeros_alone_have_no_logarithm() -> None:
    found, counts = histogram(torch.zeros(5), HistogramRequest(bins=2, log_magnitude=True))
    assert (counts, found.zero) == ([0, 0], 5)


def test_that_integers_have_logarithms_too() -> None:
    found, counts = histogram(torch.tensor([1, 10, -100]), HistogramRequest(bins=2, log_magnitude=True))
    assert (counts, found.low, found.high, found.integer) == ([1, 2], 0.0, 2.0, False)


@pytest.mark.parametrize("value", [1e-300, 1.0, 1e300])
def test_that_magnitudes_without_a_spread_are_in_the_middle_of_one_decade(value: float) -> None:
    tensor = torch.full((4,), value, dtype=torch.float64)
    found, counts = histogram(tensor, HistogramRequest(bins=3, log_magnitude=True))
    assert (found.low, found.high) == pytest.approx((math.log10(value) - 0.5, math.log10(value) + 0.5))
    assert counts == [0, 4, 0]
