"""What can be told of a module before it runs, and why hooks may be blind to it."""

import torch
from torch import nn

from hookscope.engine.state.eager import is_compiled
from hookscope.protocol.tensors import Badge, BadgeKind


def is_scripted(module: nn.Module) -> bool:
    """Whether TorchScript compiled or traced the module: hooks on it are refused, or see only its root."""
    return isinstance(module, torch.jit.ScriptModule)


def is_exported(module: nn.Module) -> bool:
    """Whether it is the flat graph of `torch.export`: its children exist, but are never called."""
    return any(parent.__name__ == "_StatefulGraphModule" for parent in type(module).__mro__)


def is_sharded(module: nn.Module) -> bool:
    """Whether FSDP shards its parameters."""
    return any(parent.__name__ in {"FSDPModule", "FullyShardedDataParallel"} for parent in type(module).__mro__)


def bypasses_call(module: nn.Module) -> bool:
    """Whether a class of the user's overrides `__call__`; if that does not go on to `nn.Module`'s, hooks never run."""
    for parent in type(module).__mro__:
        if "__call__" in vars(parent):
            return parent is not nn.Module and not parent.__module__.startswith("torch.")
    return False


_TRAITS = (
    (is_compiled, BadgeKind.COMPILED),
    (is_scripted, BadgeKind.SCRIPTED),
    (is_exported, BadgeKind.EXPORTED),
    (is_sharded, BadgeKind.SHARDED),
    (bypasses_call, BadgeKind.BYPASSES_CALL),
)


def static_badges(module: nn.Module) -> tuple[Badge, ...]:
    """Return what is known of a module before a step."""
    return tuple(Badge(kind) for applies, kind in _TRAITS if applies(module))


_INHERITED = {BadgeKind.COMPILED, BadgeKind.SCRIPTED, BadgeKind.EXPORTED}


def inherited(badges: tuple[Badge, ...]) -> tuple[Badge, ...]:
    """Return the badges that hold for a module's children too: they run inside of it, or not at all."""
    return tuple(badge for badge in badges if badge.kind in _INHERITED)
