"""Heatmaps, grids of channels, and kernels: the right pixels."""

import math

import numpy as np
import pytest
import torch

from hookscope.engine.views import build_view
from hookscope.protocol.views import (
    Axes,
    GridRequest,
    HeatmapRequest,
    Image,
    KernelRequest,
    Tiles,
)

NAN, INF = math.nan, math.inf
FLOAT32_MAX = float(np.finfo(np.float32).max)


def image(tensor: torch.Tensor, request: HeatmapRequest | None = None) -> Image:
    result = build_view(tensor, request or HeatmapRequest())
    assert isinstance(result, Image)
    return result


def tiles(tensor: torch.Tensor, request: GridRequest | KernelRequest) -> Tiles:
    result = build_view(tensor, request)
    assert isinstance(result, Tiles)
    assert result.pixels.shape[0] == len(result.labels)
    return result


def test_that_a_plane_keeps_its_pixels() -> None:
    found = image(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert found.pixels.to_numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
    assert (found.pixels.dtype, found.mask, found.low, found.high) == ("<f4", None, 1.0, 6.0)
    assert (found.rows, found.columns, found.row_stride, found.column_stride) == (3, 2, 1, 1)


def test_that_pixels_that_are_not_finite_are_masked() -> None:
    found = image(torch.tensor([[1.0, NAN], [INF, -INF]]))
    assert found.mask is not None
    assert found.mask.to_numpy().tolist() == [[0, 1], [2, 3]]
    assert found.pixels.to_numpy().tolist() == [[1, 1], [1, 1]]
    assert (found.low, found.high) == (1.0, 1.0)


def test_that_a_plane_without_finite_pixels_is_drawn() -> None:
    found = image(torch.full((2, 2), NAN))
    assert (found.low, found.high) == (0.0, 0.0)
    assert np.isfinite(found.pixels.to_numpy()).all()


def test_that_values_beyond_float32_stay_finite() -> None:
    found = image(torch.tensor([[1e300, -1e300]], dtype=torch.float64))
    assert found.mask is None
    assert (found.low, found.high) == (-FLOAT32_MAX, FLOAT32_MAX)


def test_that_long_sides_are_strided_each_by_itself() -> None:
    tensor = torch.arange(10 * 3).reshape(10, 3)
    found = image(tensor, HeatmapRequest(max_side=4))
    assert (found.row_stride, found.column_stride) == (3, 1)
    assert found.pixels.to_numpy().tolist() == tensor[::3].tolist()
    assert (found.rows, found.columns) == (10, 3)


def test_that_leading_dims_are_picked_and_clamped() -> None:
    tensor = torch.arange(2 * 3 * 2 * 2).reshape(2, 3, 2, 2)
    for index, shown in (((1, 2), (1, 2)), ((1,), (1, 0)), ((9, -4), (1, 0)), ((), (0, 0)), ((0, 1, 7, 7, 7), (0, 1))):
        found = image(tensor, HeatmapRequest(Axes(index=index)))
        assert (found.axes, found.shape) == (Axes(2, 3, None, (*shown, 0, 0)), (2, 3, 2, 2))
        assert found.pixels.to_numpy().tolist() == tensor[shown].tolist()


def test_that_three_dims_are_channels() -> None:
    tensor = torch.arange(12.0).reshape(3, 2, 2)
    found = tiles(tensor, GridRequest())
    assert found.pixels.to_numpy().tolist() == tensor.tolist()
    assert found.labels == ((0,), (1,), (2,))
    assert (found.low, found.high, found.pages, found.total) == (0.0, 11.0, 1, 3)


def test_that_a_sample_of_a_batch_is_shown() -> None:
    tensor = torch.arange(24.0).reshape(2, 3, 2, 2)
    for sample, shown in ((0, 0), (1, 1), (5, 1), (-1, 0)):
        found = tiles(tensor, GridRequest(Axes(index=(sample,))))
        assert found.axes == Axes(2, 3, 1, (shown, 0, 0, 0))
        assert found.pixels.to_numpy().tolist() == tensor[shown].tolist()


def test_that_the_last_page_holds_the_rest() -> None:
    found = tiles(torch.zeros(10, 1, 1), GridRequest(page=7, max_tiles=4))
    assert (found.page, found.pages, found.total) == (2, 3, 10)
    assert found.labels == ((8,), (9,))


@pytest.mark.parametrize("shape", [(4, 100, 100), (64, 1, 100_000), (2, 3000, 3), (100, 1, 1)])
def test_that_a_page_keeps_to_its_pixels(shape: tuple[int, ...]) -> None:
    found = tiles(torch.zeros(shape), GridRequest(max_pixels=1000))
    _, height, width = found.pixels.shape
    assert found.pixels.shape[0] * height * width <= 1000
    assert (height, width) == (math.ceil(shape[1] / found.stride), math.ceil(shape[2] / found.stride))
    assert found.stride == 1 or len(found.labels) * math.prod(shape[1:]) > 1000


def test_that_kernels_are_rows_of_outputs_and_columns_of_inputs() -> None:
    weight = torch.arange(2 * 3 * 2 * 2.0).reshape(2, 3, 2, 2)
    found = tiles(weight, KernelRequest())
    assert found.columns == 3
    assert found.labels == ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))
    assert found.pixels.to_numpy().tolist() == weight.reshape(6, 2, 2).tolist()


def test_that_pages_of_kernels_are_whole_rows() -> None:
    found = tiles(torch.zeros(5, 3, 1, 1), KernelRequest(page=1, max_tiles=7))
    assert (found.page, found.pages, found.total) == (1, 3, 15)
    assert found.labels[0] == (2, 0)
    assert len(found.labels) == 6


def test_that_more_inputs_than_tiles_are_cut_and_still_counted() -> None:
    found = tiles(torch.zeros(2, 9, 1, 1), KernelRequest(page=1, max_tiles=4))
    assert (found.columns, found.pages, found.total) == (4, 2, 18)
    assert found.labels == ((1, 0), (1, 1), (1, 2), (1, 3))


def test_that_kernels_of_a_single_input_may_flow() -> None:
    found = tiles(torch.zeros(8, 1, 3, 3), KernelRequest())
    assert found.columns == 0
    assert found.labels[-1] == (7, 0)


def test_that_1d_and_3d_kernels_have_a_plane() -> None:
    line = torch.arange(2 * 2 * 3.0).reshape(2, 2, 3)
    assert tiles(line, KernelRequest()).pixels.to_numpy().tolist() == line.reshape(4, 1, 3).tolist()
    solid = torch.arange(2 * 2 * 3 * 2 * 2.0).reshape(2, 2, 3, 2, 2)
    assert tiles(solid, KernelRequest()).pixels.to_numpy().tolist() == solid[:, :, 1].reshape(4, 2, 2).tolist()


def test_that_huge_kernels_are_strided() -> None:
    found = tiles(torch.zeros(16, 16, 100, 100), KernelRequest())
    assert found.stride == 2
    assert found.pixels.shape == (256, 50, 50)
