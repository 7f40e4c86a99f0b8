"""A window of the table for the clipboard."""

import math

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.specs import dtype_name
from hookscope.engine.views.planes import clamp, pick
from hookscope.engine.views.refusal import Refusal
from hookscope.engine.views.table import table_axes, write_cells
from hookscope.protocol.views import NoPictureReason, TableText, TextForm, TextRequest

MAX_CELLS = 1 << 18
"""Cells of a text, some megabytes."""

_SEPARATORS = {TextForm.TEXT: "\t", TextForm.CSV: ","}


def build_text(tensor: torch.Tensor, request: TextRequest) -> TableText:
    """Write a window of the plane that the table shows.

    The Python expression has the shape of the window; of a 1-D or a 0-D tensor, as many dims as the tensor. It gives
    the same values bit by bit, except for what distinguishes one NaN from another.

    Raises:
        Refusal: The window has more than `MAX_CELLS` cells.
        Unreadable: See `as_real`.
    """
    plane = pick(tensor, table_axes(tensor, request.axes))
    row, column = clamp(request.row, plane.size(0)), clamp(request.column, plane.size(1))
    height = plane.size(0) - row if request.rows is None else max(request.rows, 1)
    width = plane.size(1) - column if request.columns is None else max(request.columns, 1)
    window = plane[row : row + height, column : column + width]
    if window.numel() > MAX_CELLS:
        detail = f"{window.size(0):,} × {window.size(1):,} values; a text has {MAX_CELLS:,} at most"
        raise Refusal(NoPictureReason.TOO_LARGE, detail)
    if request.form is TextForm.PYTHON:
        text = _expression(window, tensor.dim())
    else:
        text = "".join(f"{_SEPARATORS[request.form].join(cells)}\n" for cells in write_cells(window))
    return TableText(text, request.form, *window.shape)


def _expression(window: torch.Tensor, rank: int) -> str:
    rows = _literals(window)
    if rank == 0:
        values = rows[0][0]
    elif rank == 1:
        values = f"[{', '.join(literal for row in rows for literal in row)}]"
    else:
        values = f"[{', '.join('[' + ', '.join(row) + ']' for row in rows)}]"
    return f"torch.tensor({values}, dtype=torch.{dtype_name(window.dtype)})"


def _literals(window: torch.Tensor) -> list[list[str]]:
    """Write every value as Python source."""
    if window.is_complex():
        parts = torch.view_as_real(window.resolve_conj())
        pairs = zip(_literals(parts[..., 0]), _literals(parts[..., 1]), strict=True)
        # Not `1.0-0.0j`: a sum in source loses the sign of a zero, and a product with an infinity is NaN.
        return [[f"complex({real}, {imaginary})" for real, imaginary in zip(*pair, strict=True)] for pair in pairs]
    cells = [list(row) for row in write_cells(window)]
    if not window.is_floating_point():
        return cells
    values = as_real(window).to(torch.float64).cpu()
    read = torch.tensor([[float(cell) for cell in row] for row in cells], dtype=torch.float64)
    # Python reads a short text as a double, which is rounded once more: rarely, that ends at the next value.
    is_exact = read.to(window.dtype).to(torch.float64) == values
    for row, column in torch.nonzero(~is_exact | ~values.isfinite()).tolist():
        value = values[row, column].item()
        cells[row][column] = repr(value) if math.isfinite(value) else f"float('{value}')"
    return cells
