"""From a place in a picture to the element of the tensor that is drawn there, and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hookscope.figures.axes import Spot, element_at, spot_of
from hookscope.figures.grid import Mosaic
from hookscope.protocol.views import Axes

Index = tuple[int, ...]


class Scene(Protocol):
    """What a picture is of."""

    def index_at(self, row: int, column: int) -> Index | None:
        """Return the index of the element at a place of the axes; `None` where there is none."""

    def place_of(self, index: Sequence[int]) -> tuple[int, int] | None:
        """Return where an element is on the axes; `None` when the picture does not have it."""

    def is_exact(self, index: Sequence[int]) -> bool:
        """Whether the pixel of an element in the picture is of this very element, and not of one nearby."""


@dataclass(frozen=True)
class PlaneScene:
    """Two dims.

    Attributes:
        axes: Full, see `Axes.resolved`.
        size: Rows and columns.
        stride: Every how many-th of them is drawn.
    """

    axes: Axes
    size: tuple[int, int]
    stride: tuple[int, int] = (1, 1)

    def index_at(self, row: int, column: int) -> Index | None:
        """Return the index at a place."""
        is_inside = 0 <= row < self.size[0] and 0 <= column < self.size[1]
        return element_at(self.axes, Spot(row, column)) if is_inside else None

    def place_of(self, index: Sequence[int]) -> tuple[int, int] | None:
        """Return the place of an element."""
        spot = spot_of(self.axes, index)
        if spot is None or spot.row >= self.size[0] or spot.column >= self.size[1]:
            return None
        return spot.row, spot.column

    def is_exact(self, index: Sequence[int]) -> bool:
        """Whether the element is drawn itself."""
        place = self.place_of(index)
        return place is not None and not place[0] % self.stride[0] and not place[1] % self.stride[1]


@dataclass(frozen=True)
class MosaicScene:
    """Tiles, one for each entry of a dim; the axes are full."""

    axes: Axes
    mosaic: Mosaic

    def index_at(self, row: int, column: int) -> Index | None:
        """Return the index at a place."""
        found = self.mosaic.locate(row, column)
        return None if found is None else element_at(self.axes, Spot(found.row, found.column, found.label[0]))

    def place_of(self, index: Sequence[int]) -> tuple[int, int] | None:
        """Return the place of an element."""
        spot = spot_of(self.axes, index)
        if spot is None or spot.tile is None:
            return None
        return self.mosaic.find((spot.tile,), spot.row, spot.column)

    def is_exact(self, index: Sequence[int]) -> bool:
        """Whether the element is drawn itself."""
        spot = spot_of(self.axes, index)
        return spot is not None and not spot.row % self.mosaic.stride and not spot.column % self.mosaic.stride


@dataclass(frozen=True)
class KernelScene:
    """Kernels of a weight of three to five dims: a tile for each output and input channel; of 3-D ones the middle."""

    shape: Index
    mosaic: Mosaic

    def index_at(self, row: int, column: int) -> Index | None:
        """Return the index at a place."""
        found = self.mosaic.locate(row, column)
        return None if found is None else (*found.label, *self._depth(), *(found.row, found.column)[-self._rank() :])

    def place_of(self, index: Sequence[int]) -> tuple[int, int] | None:
        """Return the place of an element."""
        if len(index) != len(self.shape) or tuple(index[2:-2]) != self._depth():
            return None
        row, column = (0, index[-1]) if self._rank() == 1 else (index[-2], index[-1])
        return self.mosaic.find((index[0], index[1]), row, column)

    def is_exact(self, index: Sequence[int]) -> bool:
        """Whether the element is drawn itself."""
        return not any(entry % self.mosaic.stride for entry in index[-self._rank() :])

    def _rank(self) -> int:
        return min(len(self.shape) - 2, 2)

    def _depth(self) -> Index:
        return (self.shape[2] // 2,) if len(self.shape) == 5 else ()
