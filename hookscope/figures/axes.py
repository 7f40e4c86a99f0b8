"""Names of a tensor's dims, guessed from the module and the rank, and which of them a picture shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import Axes

_ROWS_OF_NAMES: tuple[tuple[str, dict[int, str]], ...] = (
    (r".*(Conv|Norm|Pool|Pad|Dropout|Upsampl)\w*1d", {2: "NC", 3: "NCL"}),
    (
        r".*(Conv|Norm|Pool|Pad|Dropout|Upsampl|Shuffle|Fold|Softmax)\w*2d|PixelShuffle|PixelUnshuffle",
        {3: "CHW", 4: "NCHW"},
    ),
    (r".*(Conv|Norm|Pool|Pad|Dropout)\w*3d", {4: "CDHW", 5: "NCDHW"}),
    (r".*Attention\w*", {2: "TD", 3: "BTD", 4: "BHTS"}),
    (r"RNN|LSTM|GRU", {2: "TD", 3: "TBD"}),
    (
        r".*(Embedding|Transformer|Encoder|Decoder|LayerNorm|RMSNorm|Block|Linear|GELU|MLP)\w*",
        {2: "ND", 3: "BTD", 4: "BHTD"},
    ),
)
"""By the class of the module: the dims for each rank, a letter each. The first row that matches holds."""

_BY_RANK = {1: "D", 2: "ND", 3: "CHW", 4: "NCHW", 5: "NCDHW"}
"""What the dims of a module of any other class most often are."""

_OF_KERNELS = {1: "O", 2: "OI", 3: "OIW", 4: "OIHW", 5: "OIDHW"}
_HEADS = "heads"


def dim_names(ref: TensorRef, class_name: str, rank: int) -> tuple[str, ...]:
    """Return a name for each dim: `N`, `C`, `H`, `W`; `dim 0` and so on where nothing can be guessed.

    Args:
        ref: The tensor; of a parameter the dims are those of a weight.
        class_name: Class of its module, without its package; `""` when it is not known.
        rank: Number of dims.
    """
    if ref.slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD}:
        letters = _OF_KERNELS.get(rank, "")
    else:
        rows = (row for pattern, row in _ROWS_OF_NAMES if re.fullmatch(pattern, class_name))
        letters = next(rows, _BY_RANK).get(rank) or _BY_RANK.get(rank, "")
    if not letters:
        return tuple(f"dim {dim}" for dim in range(rank))
    if letters.startswith("BH"):
        return (letters[0], _HEADS, *letters[2:])
    return tuple(letters)


def usual_axes(names: Sequence[str], shape: Sequence[int], *, with_tiles: bool) -> Axes:
    """Return the axes that are shown first: the last dims, but a sequence runs down and channels are the tiles."""
    rank = len(shape)
    rows = names.index("T") if "T" in names and rank > 1 and names[-1] != "T" else None
    axes = Axes(rows=rows).resolved(shape)
    if not with_tiles:
        return axes
    channels = names.index("C") if "C" in names else None
    tiles = channels if channels not in {axes.rows, axes.columns} else None
    return with_roles(axes, tiles=tiles).resolved(shape, with_tiles=True)


def with_roles(axes: Axes, **roles: int | None) -> Axes:
    """Return axes with other `rows`, `columns` or `tiles`."""
    kept = {"rows": axes.rows, "columns": axes.columns, "tiles": axes.tiles}
    return Axes(**(kept | roles), index=axes.index)


class Role(StrEnum):
    """What a dim can be in a picture; the values are the fields of `Axes`."""

    ROWS = "rows"
    COLUMNS = "columns"
    TILES = "tiles"


def give_role(axes: Axes, role: Role, dim: int) -> Axes:
    """Make a dim the rows, columns or tiles; a dim that had another role takes that of the one that it replaces."""
    before = role_of(axes, dim)
    changes: dict[str, int | None] = {role.value: dim}
    if before is not None and before is not role:
        changes[before.value] = getattr(axes, role.value)
    return with_roles(axes, **changes)


def role_of(axes: Axes, dim: int) -> Role | None:
    """Return what a dim is, `None` when one entry of it is shown."""
    return next((role for role in Role if getattr(axes, role.value) == dim), None)


def other_dims(axes: Axes, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the dims of which one entry is shown, and which have more than one."""
    return tuple(dim for dim, size in enumerate(shape) if size > 1 and role_of(axes, dim) is None)


def transposed(axes: Axes) -> Axes:
    """Swap rows and columns; a 1-D tensor stays as it is."""
    if axes.rows is None:
        return axes
    return with_roles(axes, rows=axes.columns, columns=axes.rows)


def rolled(axes: Axes, rank: int) -> Axes:
    """Let every role move on to the dim before, and that of the first dim to the last."""
    roles = ((role, getattr(axes, role.value)) for role in Role)
    moved = {role.value: (dim - 1) % rank for role, dim in roles if dim is not None}
    return with_roles(axes, **moved)


def with_entry(axes: Axes, dim: int, entry: int) -> Axes:
    """Show another entry of a dim."""
    index = [*axes.index, *[0] * (dim + 1 - len(axes.index))]
    index[dim] = entry
    return Axes(axes.rows, axes.columns, axes.tiles, tuple(index))


@dataclass(frozen=True)
class Spot:
    """A place in a picture: row and column of the plane, and the entry of the tiles' dim if there are tiles."""

    row: int
    column: int
    tile: int | None = None


def element_at(axes: Axes, spot: Spot) -> tuple[int, ...]:
    """Return the index of the element at a place of the plane."""
    index = list(axes.index)
    for dim, entry in ((axes.rows, spot.row), (axes.columns, spot.column), (axes.tiles, spot.tile)):
        if dim is not None and entry is not None:
            index[dim] = entry
    return tuple(index)


def spot_of(axes: Axes, index: Sequence[int]) -> Spot | None:
    """Return where an element is, or `None` when the picture is of other entries."""
    shown = {axes.rows, axes.columns, axes.tiles}
    if len(index) != len(axes.index) or any(
        entry != at for dim, (entry, at) in enumerate(zip(index, axes.index, strict=True)) if dim not in shown
    ):
        return None
    row, column, tile = (index[dim] if dim is not None else None for dim in (axes.rows, axes.columns, axes.tiles))
    return replace(Spot(row or 0, column or 0), tile=tile)
