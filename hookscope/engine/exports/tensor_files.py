"""One tensor to one file, block by block, so that the largest needs no copy of its whole."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch

from hookscope.engine.convert import dense
from hookscope.engine.exports.atomic_file import atomic_file
from hookscope.engine.specs import dtype_name
from hookscope.engine.views.table import write_cells
from hookscope.protocol.exports import ExportForm

Progress = Callable[[int], None]
"""Told the bytes of each block that was written; raises to end the writing."""

_BLOCK_ELEMENTS = 1 << 20
_TEXT_BLOCK_ELEMENTS = 1 << 16
"""Fewer where each becomes a text of its own."""

_OF_NUMPY = {
    torch.float64: "<f8",
    torch.float32: "<f4",
    torch.float16: "<f2",
    torch.complex128: "<c16",
    torch.complex64: "<c8",
    torch.int64: "<i8",
    torch.int32: "<i4",
    torch.int16: "<i2",
    torch.int8: "|i1",
    torch.uint64: "<u8",
    torch.uint32: "<u4",
    torch.uint16: "<u2",
    torch.uint8: "|u1",
    torch.bool: "|b1",
}
"""What a `.npy` file can hold of PyTorch's dtypes."""


class CannotWriteError(ValueError):
    """A tensor that a form cannot hold; the text says why."""


def write_tensor(tensor: torch.Tensor, path: Path, form: ExportForm, progress: Progress) -> str:
    """Write a tensor to a file.

    Args:
        tensor: On any device, of any layout and dtype that has values.
        path: The file; a former one is replaced when all is written.
        form: What is written.
        progress: Told of every block.

    Returns:
        The dtype in the file, as PyTorch calls it.

    Raises:
        Unreadable: The tensor has no values, see `dense`.
        CannotWriteError: The form cannot hold it.
        OSError: The file cannot be written.
    """
    plain = dense(tensor)
    with atomic_file(path) as file:
        return _WRITERS[form](plain, file, progress)


def written_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype that `.npy` files hold a tensor in: float32, or complex64, for those that numpy lacks."""
    if dtype in _OF_NUMPY:
        return dtype
    return torch.complex64 if dtype.is_complex else torch.float32


def _write_npy(tensor: torch.Tensor, file: BinaryIO, progress: Progress) -> str:
    dtype = written_dtype(tensor.dtype)
    header = {"descr": _OF_NUMPY[dtype], "fortran_order": False, "shape": tuple(tensor.shape)}
    np.lib.format.write_array_header_1_0(file, header)
    for block in _blocks(tensor):
        try:
            values = block.to(dtype).resolve_conj().resolve_neg().cpu().contiguous()
        except (RuntimeError, TypeError) as error:
            raise CannotWriteError(f"torch cannot turn {dtype_name(tensor.dtype)} into numbers") from error
        data = values.numpy().astype(_OF_NUMPY[dtype], copy=False).tobytes()
        file.write(data)
        progress(len(data))
    return dtype_name(dtype)


def _write_csv(tensor: torch.Tensor, file: BinaryIO, progress: Progress) -> str:
    lines = tensor.reshape(1, 1) if tensor.dim() == 0 else tensor
    lines = lines.unsqueeze(1) if lines.dim() == 1 else lines  # a 1-D tensor is a column, as in the table
    for block in _rows(lines):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(write_cells(block))
        data = text.getvalue().encode()
        file.write(data)
        progress(block.numel() * block.element_size())
    return dtype_name(tensor.dtype)


_WRITERS: dict[ExportForm, Callable[[torch.Tensor, BinaryIO, Progress], str]] = {
    ExportForm.NPY: _write_npy,
    ExportForm.CSV: _write_csv,
}


def _blocks(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield parts that follow each other in C order; cut before they are copied."""
    if tensor.numel() <= _BLOCK_ELEMENTS or tensor.dim() == 0:
        yield tensor
        return
    per_entry = tensor.numel() // tensor.size(0)
    if per_entry > _BLOCK_ELEMENTS:
        for entry in tensor:
            yield from _blocks(entry)
        return
    step = max(1, _BLOCK_ELEMENTS // max(per_entry, 1))
    for start in range(0, tensor.size(0), step):
        yield tensor[start : start + step]


def _rows(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield 2-D parts of whole rows of the last dim, in C order."""
    if tensor.dim() > 2:
        for entry in tensor:
            yield from _rows(entry)
        return
    step = max(1, _TEXT_BLOCK_ELEMENTS // max(tensor.size(1), 1))
    for start in range(0, tensor.size(0), step):
        yield tensor[start : start + step]
