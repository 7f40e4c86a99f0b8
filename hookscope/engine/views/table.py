"""Exact values as text."""

import torch
from msgspec import structs

from hookscope.engine.convert import as_real
from hookscope.engine.views.planes import clamp, pick
from hookscope.protocol.views import Axes, Table, TableRequest

MAX_SIDE = 1000
"""Rows and columns of a window, whatever is asked for."""

Cells = tuple[tuple[str, ...], ...]

_INTEGERS = {
    torch.bool,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
}
_NUMPY_FLOATS = {torch.float16, torch.float32, torch.float64}


def build_table(tensor: torch.Tensor, request: TableRequest) -> Table:
    """Write a window of a plane; a 1-D tensor is one column. Only the window is copied from the device.

    Raises:
        Unreadable: See `as_real`.
    """
    axes = table_axes(tensor, request.axes)
    plane = pick(tensor, axes)
    rows, columns = plane.shape
    row, column = clamp(request.row, rows), clamp(request.column, columns)
    height, width = clamp(request.rows, MAX_SIDE + 1), clamp(request.columns, MAX_SIDE + 1)
    window = plane[row : row + height, column : column + width]
    return Table(write_cells(window), row, column, rows, columns, tuple(tensor.shape), axes)


def table_axes(tensor: torch.Tensor, axes: Axes) -> Axes:
    """Return the axes of a table. Where nothing else is asked for, a 1-D tensor is one column: it is read downwards."""
    if tensor.dim() == 1 and axes.rows is None and axes.columns is None:
        axes = structs.replace(axes, rows=0)
    return axes.resolved(tensor.shape)


def write_cells(window: torch.Tensor) -> Cells:
    """Write the values of a 2-D tensor, each with as few digits as read back to the same value of the dtype.

    numpy has no type for bfloat16 and the 8-bit floats: these are written out in full. Complex: `(1.0-2.5j)`.

    Raises:
        Unreadable: See `as_real`.
    """
    if window.dtype in _INTEGERS:
        return tuple(tuple(map(str, row)) for row in window.cpu().tolist())
    if window.is_complex():
        return _write_complex(window)
    if window.dtype in _NUMPY_FLOATS:
        values = window.resolve_neg().cpu().numpy()
        return tuple(tuple(str(value) for value in row) for row in values)
    return tuple(tuple(map(repr, row)) for row in as_real(window).cpu().tolist())


def _write_complex(window: torch.Tensor) -> Cells:
    parts = torch.view_as_real(window.resolve_conj())
    pairs = zip(write_cells(parts[..., 0]), write_cells(parts[..., 1]), strict=True)
    return tuple(tuple(_join(real, imaginary) for real, imaginary in zip(*pair, strict=True)) for pair in pairs)


def _join(real: str, imaginary: str) -> str:
    sign = "" if imaginary.startswith("-") else "+"
    return f"({real}{sign}{imaginary}j)"
