"""Mosaics of tiles, and the way back from a pixel."""

import numpy as np
import numpy.typing as npt
import pytest

from hookscope.figures.grid import GUTTER, TilePixel, choose_columns, compose
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Tiles


def page(
    pixels: npt.NDArray[np.float32],
    *,
    mask: npt.NDArray[np.uint8] | None = None,
    columns: int = 0,
    stride: int = 1,
    first: int = 0,
) -> Tiles:
    return Tiles(
        pixels=Array.from_numpy(pixels),
        mask=None if mask is None else Array.from_numpy(mask),
        labels=tuple((first + tile,) for tile in range(len(pixels))),
        columns=columns,
        low=float(pixels.min()),
        high=float(pixels.max()),
        page=0,
        pages=1,
        total=len(pixels),
        stride=stride,
    )


def numbered(count: int, height: int, width: int) -> npt.NDArray[np.float32]:
    return np.arange(count * height * width, dtype=np.float32).reshape(count, height, width)


def test_that_tiles_are_put_row_by_row_with_gutters() -> None:
    mosaic = compose(page(numbered(3, 1, 2), columns=2))
    np.testing.assert_array_equal(mosaic.pixels, np.array([[0, 1, 0, 2, 3], [0] * 5, [4, 5, 0, 0, 0]], np.float32))
    assert mosaic.mask.tolist() == [
        [0, 0, GUTTER, 0, 0],
        [GUTTER] * 5,
        [0, 0, GUTTER, GUTTER, GUTTER],
    ]
    assert (mosaic.pixels.dtype.name, mosaic.mask.dtype.name) == ("float32", "uint8")


def test_that_masks_go_along() -> None:
    mask = np.array([[[0, 1]], [[2, 3]]], np.uint8)
    mosaic = compose(page(numbered(2, 1, 2), mask=mask, columns=2))
    assert mosaic.mask.tolist() == [[0, 1, GUTTER, 2, 3]]


@pytest.mark.parametrize("columns", [1, 2, 3, 7])
def test_that_every_pixel_leads_back_to_its_tile(columns: int) -> None:
    pixels = numbered(7, 2, 3)
    mosaic = compose(page(pixels, columns=columns, first=10))
    for row in range(mosaic.pixels.shape[0]):
        for column in range(mosaic.pixels.shape[1]):
            found = mosaic.locate(row, column)
            if mosaic.mask[row, column] == GUTTER:
                assert found is None
            else:
                assert found is not None
                assert found.label == (10 + found.tile,)
                assert pixels[found.tile, found.row, found.column] == mosaic.pixels[row, column]
                assert mosaic.find(found.label, found.row, found.column) == (row, column)


def test_that_strides_are_taken_into_account() -> None:
    mosaic = compose(page(numbered(2, 2, 2), columns=2, stride=4))
    assert mosaic.locate(1, 4) == TilePixel(tile=1, label=(1,), row=4, column=4)
    assert mosaic.find((1,), 7, 5) == (1, 4)


@pytest.mark.parametrize(("label", "row", "column"), [((2,), 0, 0), ((0,), 2, 0), ((0,), 0, -1)])
def test_that_what_is_not_on_the_page_is_not_found(label: tuple[int, ...], row: int, column: int) -> None:
    assert compose(page(numbered(2, 2, 2), columns=2)).find(label, row, column) is None


def test_that_large_tiles_have_wider_gutters() -> None:
    mosaic = compose(page(numbered(2, 60, 60), columns=2))
    assert mosaic.pixels.shape == (60, 123)
    assert mosaic.locate(0, 62) is None


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (2, 0), (0, 5), (99, 99)])
def test_that_there_is_nothing_outside(row: int, column: int) -> None:
    assert compose(page(numbered(2, 2, 2), columns=2)).locate(row, column) is None


@pytest.mark.parametrize(
    ("count", "tile_shape", "aspect", "columns"),
    [(1, (8, 8), 1.0, 1), (16, (8, 8), 1.0, 4), (16, (8, 8), 4.0, 8), (16, (8, 8), 0.25, 2), (4, (2, 100), 1.0, 1)],
)
def test_that_columns_fit_the_area(count: int, tile_shape: tuple[int, int], aspect: float, columns: int) -> None:
    assert choose_columns(count, tile_shape, aspect) == columns
    assert compose(page(numbered(count, *tile_shape)), aspect).columns == columns


def test_that_columns_of_the_data_go_before_the_area() -> None:
    assert compose(page(numbered(6, 1, 1), columns=3), 100.0).columns == 3
