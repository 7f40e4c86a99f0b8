"""What a live tensor is, without reading its values. Safe for every kind of tensor that torch has."""

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
        return TensorSpec(shape, dtype_name(tensor.dtype), str(tensor.device), "nested")
    if isinstance(tensor, (UninitializedParameter, UninitializedBuffer)):
        return TensorSpec((), dtype_name(tensor.dtype), str(tensor.device), "uninitialized")
    return TensorSpec(
        tuple(tensor.shape),
        dtype_name(tensor.dtype),
        str(tensor.device),
        str(tensor.layout).removeprefix("torch."),
        tensor.numel() * tensor.element_size(),
    )


def _nested_size(tensor: torch.Tensor, dim: int) -> int:
    try:
        return int(tensor.size(dim))
    except Exception:
        return -1


def named_specs(found: list[tuple[str, torch.Tensor]]) -> tuple[NamedSpec, ...]:
    """Describe the leaves of a nested value."""
    return tuple(NamedSpec(path, spec_of(tensor)) for path, tensor in found)
