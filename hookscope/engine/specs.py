"""What a live tensor is, without reading its values. Safe for every kind of tensor that torch has."""

import torch
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter

from hookscope.protocol.tensors import NamedSpec, TensorSpec


def dtype_name(dtype: torch.dtype) -> str:
    """Return `float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """Describe a tensor. A strided nested tensor has no one shape: it gets that of its dim 0."""
    if tensor.is_nested:
        try:
            shape = tuple(int(size) for size in tensor.shape)
        except (RuntimeError, TypeError):
            shape = (int(tensor.size(0)),)
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


def named_specs(found: list[tuple[str, torch.Tensor]]) -> tuple[NamedSpec, ...]:
    """Describe the leaves of a nested value."""
    return tuple(NamedSpec(path, spec_of(tensor)) for path, tensor in found)
