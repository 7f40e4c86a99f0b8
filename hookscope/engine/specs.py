"""What a live tensor is, without reading its values. Safe for every kind of tensor that torch has."""

from collections.abc import Callable, Mapping

import torch
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter

from hookscope.protocol.tensors import NamedSpec, TensorSpec


def dtype_name(dtype: torch.dtype) -> str:
    """Return `float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """Describe a tensor. The dims of a nested tensor in which its parts differ are -1."""
    if tensor.is_nested:
        shape = tuple(_nested_size(tensor, dim) for dim in range(tensor.dim()))
        return TensorSpec(shape, dtype_name(tensor.dtype), str(tensor.device), "nested", _stored_bytes(tensor))
    if isinstance(tensor, (UninitializedParameter, UninitializedBuffer)):
        return TensorSpec((), dtype_name(tensor.dtype), str(tensor.device), "uninitialized")
    return TensorSpec(
        tuple(tensor.shape),
        dtype_name(tensor.dtype),
        str(tensor.device),
        str(tensor.layout).removeprefix("torch."),
        tensor.numel() * tensor.element_size() if tensor.layout is torch.strided else _stored_bytes(tensor),
    )


def _nested_size(tensor: torch.Tensor, dim: int) -> int:
    try:
        return int(tensor.size(dim))
    except Exception:
        return -1


def _stored_bytes(tensor: torch.Tensor) -> int:
    """Return the bytes of what a sparse or nested tensor is made of: its values, and where they belong."""
    with torch.no_grad():
        if tensor.is_nested:
            parts = _jagged_parts(tensor) if tensor.layout is torch.jagged else tensor.unbind()
        elif tensor.layout in _SPARSE_PARTS:
            parts = tuple(part(tensor) for part in _SPARSE_PARTS[tensor.layout])
        else:
            parts = (tensor,)
        return sum(part.numel() * part.element_size() for part in parts)


def _jagged_parts(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tensor.values(), tensor.offsets()  # type: ignore[attr-defined]


_BY_ROWS = (torch.Tensor.crow_indices, torch.Tensor.col_indices, torch.Tensor.values)
_BY_COLUMNS = (torch.Tensor.ccol_indices, torch.Tensor.row_indices, torch.Tensor.values)
_SPARSE_PARTS: Mapping[torch.layout, tuple[Callable[[torch.Tensor], torch.Tensor], ...]] = {
    # Without the underscores these two refuse a tensor that is not coalesced.
    torch.sparse_coo: (torch.Tensor._indices, torch.Tensor._values),
    torch.sparse_csr: _BY_ROWS,
    torch.sparse_bsr: _BY_ROWS,
    torch.sparse_csc: _BY_COLUMNS,
    torch.sparse_bsc: _BY_COLUMNS,
}


def named_specs(found: list[tuple[str, torch.Tensor]]) -> tuple[NamedSpec, ...]:
    """Describe the leaves of a nested value."""
    return tuple(NamedSpec(path, spec_of(tensor)) for path, tensor in found)
