"""Very large tensors: a sample that says so, and never a copy of the whole."""

import resource
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from hookscope.engine.views import BUILDERS, PAIR_BUILDERS, build_view
from hookscope.engine.views.sampling import FULL_ELEMENTS, SAMPLE_ELEMENTS, every, odd_stride, parts_in_order, thinned
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import (
    Curve,
    CurveRequest,
    HistogramRequest,
    NoPicture,
    NoPictureReason,
    PlaceRequest,
    Quantiles,
    QuantilesRequest,
    Statistics,
    StatisticsRequest,
    ViewRequest,
    is_sample,
)

GIGA = 10**9
OTHER = TensorRef("a", Slot.OUTPUT, "out")
FULL_PASSES = (PlaceRequest, QuantilesRequest, StatisticsRequest)
"""They look at every element whatever it takes, so that a billion is too much for a test."""

REQUESTS = [
    *(request() for request in BUILDERS if request not in FULL_PASSES),
    *(request(OTHER) for request in PAIR_BUILDERS),
    StatisticsRequest(sampled=True),
]
MANY = FULL_ELEMENTS + 4096


def peak_memory() -> int:
    """Return the largest memory that this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
@pytest.mark.parametrize("shape", [(GIGA,), (1000, GIGA // 1000), (10, 100, 1000, 1000)], ids=str)
def test_that_a_billion_elements_are_never_copied(request_: ViewRequest, shape: tuple[int, ...]) -> None:
    tensor = torch.full((1,), 0.5, dtype=torch.float16).expand(shape)
    before = peak_memory()
    result = build_view(tensor, request_, tensor)
    assert peak_memory() - before < 2**29
    if isinstance(result, NoPicture):
        assert result.reason in {
            NoPictureReason.TOO_LARGE,
            NoPictureReason.WRONG_RANK,
            NoPictureReason.MISMATCH,
        }, result


def test_that_statistics_of_a_file_are_of_a_sample_or_of_all(tmp_path: Path) -> None:
    path = tmp_path / "values.bin"
    values = np.memmap(path, np.float32, "w+", shape=(4, MANY // 4))
    values[:] = np.arange(4, dtype=np.float32)[:, None]
    tensor = torch.from_numpy(values)
    sampled = build_view(tensor, StatisticsRequest(sampled=True))
    exact = build_view(tensor, StatisticsRequest())
    assert isinstance(sampled, Statistics)
    assert isinstance(exact, Statistics)
    assert (is_sample(sampled), is_sample(exact)) == (True, False)
    assert (sampled.count, exact.seen, exact.mean) == (MANY, MANY, 1.5)
    assert 0 < sampled.seen <= SAMPLE_ELEMENTS
    assert sampled.mean == pytest.approx(1.5, abs=0.01)
    assert sampled.negative + sampled.zero + sampled.positive == sampled.seen


@pytest.mark.parametrize("shape", [(MANY,), (4, MANY // 4), (MANY // 16, 4, 4)], ids=str)
def test_that_histograms_are_of_a_sample_unless_told_otherwise(shape: tuple[int, ...]) -> None:
    tensor = torch.arange(MANY).remainder(8).to(torch.uint8).reshape(shape)
    sampled, exact = build_view(tensor, HistogramRequest()), build_view(tensor, HistogramRequest(exact=True))
    assert not isinstance(sampled, NoPicture)
    assert exact.counts.to_numpy().tolist() == [MANY // 8] * 8
    assert (exact.seen, exact.count, is_sample(exact)) == (MANY, MANY, False)
    assert is_sample(sampled)
    counts = sampled.counts.to_numpy()
    assert counts.sum() == sampled.seen <= SAMPLE_ELEMENTS
    np.testing.assert_allclose(counts / sampled.seen, 1 / 8, atol=0.01)


def test_that_extremes_beside_sampled_quantiles_are_of_all() -> None:
    tensor = torch.arange(MANY).remainder(1001).to(torch.float32)
    tensor[12345] = -7.0
    found = build_view(tensor, QuantilesRequest((0.5,)))
    assert isinstance(found, Quantiles)
    assert is_sample(found)
    assert (found.minimum, found.maximum, found.count) == (-7.0, 1000.0, MANY)
    assert found.values[0] == pytest.approx(500, abs=10)


def test_that_a_curve_of_very_many_values_is_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookscope.engine.views.curve.FULL_ELEMENTS", 1000)
    monkeypatch.setattr("hookscope.engine.views.curve.SAMPLE_ELEMENTS", 500)
    tensor = torch.arange(10_000.0)
    found = build_view(tensor, CurveRequest(max_points=100))
    assert isinstance(found, Curve)
    assert (found.count, found.seen, found.stride) == (10_000, 477, 5 * 21)
    assert found.low.to_numpy().tolist() == list(range(0, 10_000, 5 * 21))
    assert found.high.to_numpy()[0] == 4 * 21
    exact = build_view(tensor, CurveRequest(max_points=100, exact=True))
    assert isinstance(exact, Curve)
    assert (exact.seen, exact.stride) == (10_000, 100)
    assert exact.high.to_numpy().tolist() == list(range(99, 10_000, 100))


@pytest.mark.parametrize("shape", [(1000,), (10, 100), (7, 11, 13), (1, 1000, 1)])
@pytest.mark.parametrize("limit", [1, 10, 99, 5000])
def test_that_a_thinned_tensor_keeps_to_its_limit(shape: tuple[int, ...], limit: int) -> None:
    tensor = torch.zeros(shape)
    assert thinned(tensor, limit).numel() <= limit
    assert thinned(tensor, limit, keep=(0,)).size(0) == shape[0]


def test_that_a_sample_meets_every_phase_of_an_even_period() -> None:
    tensor = torch.arange(2**16).remainder(64).reshape(2**10, 64)
    assert thinned(tensor, 2**12).unique().numel() > 20
    assert every(tensor, odd_stride(tensor.numel(), 2**12)).unique().numel() == 64


@pytest.mark.parametrize("limit", [1, 7, 24, 1000])
def test_that_parts_come_in_order_whatever_the_layout(limit: int) -> None:
    wide = torch.arange(4 * 5 * 6).reshape(4, 5, 6)
    for tensor in (wide, wide.permute(2, 0, 1), wide[:, ::2, 1::3], wide[:, :1].expand(4, 7, 6), torch.tensor(3)):
        parts = list(parts_in_order(tensor, limit))
        assert torch.cat(parts).tolist() == tensor.flatten().tolist()
        assert max(part.numel() for part in parts) <= limit
        assert every(tensor, 3).tolist() == tensor.flatten()[::3].tolist()
