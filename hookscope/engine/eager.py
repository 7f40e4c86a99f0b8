"""Compiled modules: hooks in them fire only while they run eagerly."""

from torch import nn


def is_compiled(module: nn.Module) -> bool:
    """Whether `torch.compile` wrapped the module, or `Module.compile` compiled it in place. Imports no compiler."""
    return "_orig_mod" in module._modules or getattr(module, "_compiled_call_impl", None) is not None
