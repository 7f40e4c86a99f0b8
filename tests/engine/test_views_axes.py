"""Pictures of any dims, in any order, of any part of complex values; colours; and tiles in order of strength."""

import itertools
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
    Part,
    RgbImage,
    RgbRequest,
    TileOrder,
    Tiles,
)

NAN, INF = math.nan, math.inf


def image(tensor: torch.Tensor, request: HeatmapRequest) -> Image:
    result = build_view(tensor, request)
    assert isinstance(result, Image)
    return result


def tiles(tensor: torch.Tensor, request: GridRequest) -> Tiles:
    result = build_view(tensor, request)
    assert isinstance(result, Tiles)
    return result


def rgb(tensor: torch.Tensor, request: RgbRequest) -> RgbImage:
    result = build_view(tensor, request)
    assert isinstance(result, RgbImage)
    return result


@pytest.mark.parametrize(("rows", "columns"), list(itertools.permutations(range(4), 2)))
def test_that_any_two_dims_can_be_rows_and_columns(rows: int, columns: int) -> None:
    tensor = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    found = image(tensor, HeatmapRequest(Axes(rows, columns, index=(1, 1, 1, 1))))
    expected = tensor
    for dim in reversed(range(4)):
        if dim not in {rows, columns}:
            expected = expected.select(dim, 1)
    assert found.pixels.to_numpy().tolist() == (expected if rows < columns else expected.T).tolist()
    assert (found.axes.rows, found.axes.columns) == (rows, columns)
    assert (found.rows, found.columns) == (tensor.size(rows), tensor.size(columns))


def test_that_lines_are_one_row_and_numbers_one_pixel() -> None:
    assert image(torch.tensor([1.0, 2.0]), HeatmapRequest()).pixels.to_numpy().tolist() == [[1, 2]]
    assert image(torch.tensor([1.0, 2.0]), HeatmapRequest(Axes(rows=0))).pixels.to_numpy().tolist() == [[1], [2]]
    assert image(torch.tensor(3.0), HeatmapRequest()).pixels.to_numpy().tolist() == [[3]]


def test_that_an_image_says_how_much_of_its_plane_was_seen() -> None:
    found = image(torch.zeros(2, 10, 6), HeatmapRequest(max_side=5))
    assert (found.seen, found.count) == (5 * 3, 60)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_that_each_part_of_complex_values_can_be_drawn(dtype: torch.dtype) -> None:
    tensor = torch.tensor([[3 + 4j, -2 + 0j, -1j]], dtype=dtype)
    expected = {
        Part.VALUE: [5, 2, 1],
        Part.MAGNITUDE: [5, 2, 1],
        Part.PHASE: [math.atan2(4, 3), math.pi, -math.pi / 2],
        Part.REAL: [3, -2, 0],
        Part.IMAG: [4, 0, -1],
    }
    for part, values in expected.items():
        found = image(tensor, HeatmapRequest(part=part))
        assert found.pixels.to_numpy()[0].tolist() == pytest.approx(values)
        assert found.part is (Part.MAGNITUDE if part is Part.VALUE else part)
    conjugate = image(tensor.conj(), HeatmapRequest(part=Part.IMAG))
    assert conjugate.pixels.to_numpy().tolist() == [[-4, 0, 1]]


def test_that_each_part_of_real_values_can_be_drawn() -> None:
    tensor = torch.tensor([[3.0, -2.0, NAN]])
    expected = {
        Part.VALUE: [3, -2],
        Part.MAGNITUDE: [3, 2],
        Part.PHASE: [0, math.pi],
        Part.REAL: [3, -2],
        Part.IMAG: [0, 0],
    }
    for part, values in expected.items():
        found = image(tensor, HeatmapRequest(part=part))
        assert found.pixels.to_numpy()[0, :2].tolist() == pytest.approx(values)
        assert (found.mask is None) is (part is Part.IMAG)
        assert found.part is part


def test_that_any_dim_can_be_tiles() -> None:
    tensor = torch.arange(2 * 3 * 4).reshape(2, 3, 4)
    found = tiles(tensor, GridRequest(Axes(rows=2, columns=0, tiles=1)))
    assert found.pixels.to_numpy().tolist() == tensor.permute(1, 2, 0).tolist()
    assert found.labels == ((0,), (1,), (2,))


def test_that_strongest_tiles_come_first_and_not_finite_ones_before() -> None:
    tensor = torch.zeros(6, 2, 2)
    tensor[1] = -3.0
    tensor[2, 0, 0] = 5.0
    tensor[3, 1, 1] = NAN
    tensor[4] = 3.0
    tensor[5, 0, 1] = -INF
    found = tiles(tensor, GridRequest(order=TileOrder.STRENGTH))
    assert [label for (label,) in found.labels] == [3, 5, 1, 4, 2, 0]
    assert found.pixels.to_numpy()[2].tolist() == tensor[1].tolist()


def test_that_pages_of_strongest_tiles_go_on() -> None:
    tensor = torch.arange(10.0)[:, None, None].expand(10, 2, 2)
    found = tiles(tensor, GridRequest(order=TileOrder.STRENGTH, page=1, max_tiles=4))
    assert found.labels == ((5,), (4,), (3,), (2,))
    assert (found.low, found.high, found.pages, found.total) == (2.0, 5.0, 3, 10)


def test_that_strength_neither_overflows_nor_vanishes() -> None:
    for scale in (1e300, 1e-300):
        tensor = torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64)[:, None, None] * scale
        assert tiles(tensor, GridRequest(order=TileOrder.STRENGTH)).labels == ((1,), (2,), (0,))


def test_that_three_channels_are_colours_between_common_ends() -> None:
    tensor = torch.tensor([[[0.0, 1.0]], [[0.5, 0.0]], [[0.25, 1.0]]])
    found = rgb(tensor, RgbRequest())
    assert found.pixels.to_numpy().tolist() == [[[0, 128, 64], [255, 0, 255]]]
    assert (found.pixels.dtype, found.low, found.high, found.mask) == ("|u1", 0.0, 1.0, None)
    assert (found.axes, found.shape, found.picks) == (Axes(1, 2, 0, (0, 0, 0)), (3, 1, 2), (0, 1, 2))


def test_that_colours_may_be_of_any_dim_and_entries_and_range() -> None:
    tensor = torch.arange(2 * 2 * 4.0).reshape(2, 2, 4)
    found = rgb(tensor, RgbRequest(channels=2, picks=(3, 1, 9), low=0.0, high=10.0))
    expected = (tensor[..., [3, 1, 3]] * 25.5).round().clamp(max=255)
    assert found.pixels.to_numpy().tolist() == expected.tolist()
    assert found.picks == (3, 1, 3)
    batch = rgb(tensor.movedim(2, 0)[None].expand(2, 4, 2, 2), RgbRequest())
    assert batch.axes == Axes(2, 3, 1, (0, 0, 0, 0))


def test_that_colours_that_are_not_finite_are_masked() -> None:
    tensor = torch.tensor([[[0.0, NAN, 1.0]], [[1.0, INF, -INF]], [[1.0, 1.0, NAN]]])
    found = rgb(tensor, RgbRequest())
    assert found.mask is not None
    assert found.mask.to_numpy().tolist() == [[0, 1, 3]]
    assert found.pixels.to_numpy().tolist() == [[[0, 255, 255], [0, 0, 255], [255, 0, 0]]]


@pytest.mark.parametrize("value", [0.0, 3.0, -1e308])
def test_that_a_constant_picture_is_grey(value: float) -> None:
    found = rgb(torch.full((3, 2, 2), value, dtype=torch.float64), RgbRequest())
    assert np.unique(found.pixels.to_numpy()).tolist() == [128]


def test_that_the_widest_range_of_colours_does_not_overflow() -> None:
    tensor = torch.tensor([-1.7e308, 0.0, 1.7e308], dtype=torch.float64)[:, None, None]
    assert rgb(tensor, RgbRequest()).pixels.to_numpy().tolist() == [[[0, 128, 255]]]
