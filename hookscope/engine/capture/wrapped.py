"""Tensors that stand for another one: those of `torch.func` transforms, and sharded ones."""

import torch

from hookscope.engine.compat import functorch_value, is_functorch_wrapped
from hookscope.protocol.tensors import Badge, BadgeKind


def plain_value(tensor: torch.Tensor) -> tuple[torch.Tensor, Badge]:
    """Return the tensor that has the values, detached, and what a reader must know about it.

    Args:
        tensor: A tensor wrapped by `vmap`, `grad` or `jvp` (the value may have further batch dims), or a DTensor (the
            value is this rank's part).
    """
    if is_functorch_wrapped(tensor):
        return functorch_value(tensor).detach(), Badge(BadgeKind.FUNCTORCH)
    local = tensor.to_local()  # type: ignore[attr-defined]
    return local.detach(), Badge(BadgeKind.SHARDED, " × ".join(map(str, tensor.shape)))
