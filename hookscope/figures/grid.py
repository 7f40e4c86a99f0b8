"""Tiles side by side: one picture of a page of channels or kernels, and the way back from a pixel to its tile."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hookscope.protocol.views import Pixel, Tiles

GUTTER = len(Pixel)
"""Byte of a mask that says: no data here, but the gap between tiles. The lower bytes are those of `Pixel`."""

_TILES_PER_GAP = 20
"""A gutter takes this part of a tile, and at least a pixel."""


@dataclass(frozen=True)
class TilePixel:
    """Where a pixel of a mosaic is in the tensor.

    Attributes:
        tile: Index of the tile on its page.
        label: `(channel,)`, or `(output, input)` for kernels.
        row: Row within the tensor's own plane, strides taken into account.
        column: Column within it.
    """

    tile: int
    label: tuple[int, ...]
    row: int
    column: int


@dataclass(frozen=True)
class Mosaic:
    """A page of tiles as one picture, with gutters between them.

    Attributes:
        pixels: `(rows, columns)` float32, finite; 0 in gutters and vacant places.
        mask: `(rows, columns)` uint8: an index of `Pixel`, or `GUTTER`.
        columns: Tiles per row of tiles.
        tile_shape: Rows and columns of a tile.
        labels: What each tile is, row by row.
        stride: Every how many-th row and column of the tensor is shown.
        gap: Pixels of a gutter.
    """

    pixels: npt.NDArray[np.float32]
    mask: npt.NDArray[np.uint8]
    columns: int
    tile_shape: tuple[int, int]
    labels: tuple[tuple[int, ...], ...]
    stride: int = 1
    gap: int = 1

    @property
    def rows(self) -> int:
        """Rows of tiles."""
        return math.ceil(len(self.labels) / self.columns)

    def origin(self, tile: int) -> tuple[int, int]:
        """Return the row and column of a tile's first pixel in the picture."""
        height, width = self.tile_shape
        return tile // self.columns * (height + self.gap), tile % self.columns * (width + self.gap)

    def find(self, label: tuple[int, ...], row: int, column: int) -> tuple[int, int] | None:
        """Return the pixel of a place in the tensor's own plane, or `None` when the page does not show it."""
        if label not in self.labels:
            return None
        top, left = self.origin(self.labels.index(label))
        inner = row // self.stride, column // self.stride
        if min(inner) < 0 or inner[0] >= self.tile_shape[0] or inner[1] >= self.tile_shape[1]:
            return None
        return top + inner[0], left + inner[1]

    def locate(self, row: int, column: int) -> TilePixel | None:
        """Return what is at a pixel of the picture, or `None` outside it, in a gutter and in a vacant place."""
        height, width = self.tile_shape
        tile_row, inner_row = divmod(row, height + self.gap)
        tile_column, inner_column = divmod(column, width + self.gap)
        if min(row, column) < 0 or inner_row >= height or inner_column >= width or tile_column >= self.columns:
            return None
        tile = tile_row * self.columns + tile_column
        if tile >= len(self.labels):
            return None
        return TilePixel(tile, self.labels[tile], inner_row * self.stride, inner_column * self.stride)


def choose_columns(count: int, tile_shape: tuple[int, int], aspect: float) -> int:
    """Return the tiles per row with which the tiles are drawn largest.

    Args:
        count: Number of tiles, at least 1.
        tile_shape: Rows and columns of a tile.
        aspect: Width by height of the area to fill.
    """
    height, width = tile_shape
    gap = gap_of(tile_shape)

    def scale(columns: int) -> float:
        rows = math.ceil(count / columns)
        return min(aspect / (columns * (width + gap) - gap), 1 / (rows * (height + gap) - gap))

    return max(range(1, count + 1), key=scale)


def gap_of(tile_shape: tuple[int, int]) -> int:
    """Return the pixels between two tiles, about as wide to the eye whatever the tiles' size."""
    return max(1, round(max(tile_shape) / _TILES_PER_GAP))


def compose(tiles: Tiles, aspect: float = 1.0, columns: int | None = None) -> Mosaic:
    """Put a page of tiles into one picture.

    Args:
        tiles: The page.
        aspect: Width by height of the area that the picture will fill.
        columns: Tiles per row of tiles, whatever the area; the data's own columns go first.
    """
    pixels = tiles.pixels.to_numpy()
    mask = tiles.mask.to_numpy() if tiles.mask is not None else np.zeros(pixels.shape, np.uint8)
    count, height, width = pixels.shape
    columns = tiles.columns or columns or choose_columns(count, (height, width), aspect)
    gap = gap_of((height, width))
    rows = math.ceil(count / columns)
    shape = rows * (height + gap) - gap, columns * (width + gap) - gap
    mosaic = Mosaic(
        np.zeros(shape, np.float32),
        np.full(shape, GUTTER, np.uint8),
        columns,
        (height, width),
        tiles.labels,
        tiles.stride,
        gap,
    )
    for tile in range(count):
        row, column = mosaic.origin(tile)
        place = np.s_[row : row + height, column : column + width]
        mosaic.pixels[place] = pixels[tile]
        mosaic.mask[place] = mask[tile]
    return mosaic
