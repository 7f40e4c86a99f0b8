"""Which dims of a tensor a picture shows, and which number of each value."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec


class Part(StrEnum):
    """The number that is drawn of each value. Of a real tensor `value` and `real` are the values themselves."""

    VALUE = "value"
    """The value; of a complex one its magnitude."""
    MAGNITUDE = "magnitude"
    PHASE = "phase"
    """The angle from -pi to pi, whose two ends are the same; of real values 0, or pi of negative ones."""
    REAL = "real"
    IMAG = "imag"


class Axes(msgspec.Struct, frozen=True):
    """The dims that are rows, columns and tiles, counted from 0, and the entry that is shown of every other dim.

    A dim that the tensor does not have counts as not given, and so does one that is given a second time. What is not
    given becomes the last dim that is free: columns first, then rows, then tiles. A 1-D tensor is one row.

    Attributes:
        rows: The dim that runs down; `None` for the default.
        columns: The dim that runs to the right.
        tiles: The dim with a tile for each entry, in views that have tiles.
        index: One entry per dim, those of displayed dims being ignored; 0 where it is short, the nearest one outside.
    """

    rows: int | None = None
    columns: int | None = None
    tiles: int | None = None
    index: tuple[int, ...] = ()

    def resolved(self, shape: Sequence[int], *, with_tiles: bool = False) -> "Axes":
        """Return the axes as they are for a shape; results carry them in this form.

        Dims that the shape lacks are `None` (the rows of a 1-D tensor), `index` is full, 0 at displayed dims, and
        without `with_tiles` there are no tiles.
        """
        rank = len(shape)
        given: list[int | None] = []
        for dim in (self.rows, self.columns, self.tiles if with_tiles else None):
            given.append(dim if dim is not None and 0 <= dim < rank and dim not in given else None)
        free = [dim for dim in range(rank) if dim not in given]
        rows, columns, tiles = given
        if columns is None and free:
            columns = free.pop()
        if rows is None and free:
            rows = free.pop()
        if with_tiles and tiles is None and free:
            tiles = free.pop()
        wanted = (*self.index[:rank], *(0,) * (rank - len(self.index)))
        shown = (rows, columns, tiles)
        index = tuple(
            0 if dim in shown else max(0, min(entry, size - 1))
            for dim, (entry, size) in enumerate(zip(wanted, shape, strict=True))
        )
        return Axes(rows, columns, tiles, index)
