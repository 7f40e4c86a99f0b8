"""Observers for trying hook modes out: they put the hooks of a mode on modules, look on, and record nothing."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch import nn

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.hooks import (
    Arguments,
    Gradients,
    Handle,
    hook_forward,
    hook_legacy,
    hook_native,
    hook_replacing,
)
from hookscope.engine.compat import is_functorch_wrapped
from hookscope.engine.failure_report import type_words
from hookscope.engine.modes.aliasing import Aliases
from hookscope.engine.modes.legacy_hooks import first_tensor
from hookscope.engine.tensor_tree import argument_leaves, leaves
from hookscope.protocol.hooks import HookMode

if TYPE_CHECKING:
    from torch.autograd.graph import Node

_IN_TRANSFORM = "it runs inside a torch.func transform, where PyTorch's full backward hook raises"


class Nobody:
    """An observer whom nothing is told."""

    def entered(self, _path: str, _args: tuple[Any, ...], _kwargs: Mapping[str, Any], /) -> Call | None:
        """Nobody listens."""
        return None

    def left(self, _path: str, _output: object, /) -> None:
        """Nobody listens."""


class Looker:
    """Looks at a run without the hooks of some modes for what cannot be with them.

    Args:
        modes: The modes by module path.

    Attributes:
        refused: What cannot be: module path -> why.
    """

    def __init__(self, modes: Mapping[str, HookMode]) -> None:
        self.refused: dict[str, str] = {}
        self._modes = modes

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put forward hooks on. See `hooks.Hooker`."""
        return hook_forward(path, module, self)

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """Look at the inputs. See `hooks.Observer`."""
        if self._modes[path] is HookMode.NATIVE and any(
            is_functorch_wrapped(tensor) for _, tensor in argument_leaves(args, kwargs)
        ):
            self.refused[path] = _IN_TRANSFORM
        return None

    def left(self, path: str, output: object) -> None:
        """Look at the output. See `hooks.Observer`."""
        mode, kind = self._modes[path], type(output)
        if mode is HookMode.LEGACY and first_tensor(output) is None:
            self.refused[path] = f"its output is {type_words(output)}, in which PyTorch finds no tensor for this hook"
        if mode is HookMode.NATIVE and isinstance(output, tuple) and kind is not tuple and not hasattr(kind, "_fields"):
            self.refused[path] = f"its output is {type_words(output)}, a tuple that PyTorch's hook cannot make anew"


class TrialHooker:
    """Puts the hooks of each module's mode on.

    Args:
        modes: The modes by module path.

    Attributes:
        made_by: Graph nodes that made outputs, and the module whose output it is; of a parent and a child, the parent.
    """

    def __init__(self, modes: Mapping[str, HookMode]) -> None:
        self.made_by: dict[Node | None, str] = {}
        self._modes = modes
        self._aliases: dict[str, list[Aliases]] = {}

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put the hooks on. See `hooks.Hooker`."""
        match self._modes[path]:
            case HookMode.NATIVE:
                return hook_native(path, module, self)
            case HookMode.LEGACY:
                return hook_legacy(path, module, self)
            case HookMode.ALIAS:
                return hook_replacing(path, module, self)
            case HookMode.EXACT:
                return hook_forward(path, module, self)

    def entered(self, _path: str, _args: tuple[Any, ...], _kwargs: Mapping[str, Any], /) -> Call | None:
        """Nothing is recorded."""
        return None

    def replaced(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Let the module run on views. See `hooks.InputObserver`."""
        aliases = Aliases(args, kwargs)
        self._aliases.setdefault(path, []).append(aliases)
        return aliases.args, aliases.kwargs

    def left(self, path: str, output: object) -> None:
        """Note what made the output, and end what `replaced` began. See `hooks.Observer`."""
        self.made_by |= {tensor.grad_fn: path for _, tensor in leaves(output, "out") if tensor.grad_fn is not None}
        if self._aliases.get(path):
            self._aliases[path].pop().write_back()

    def outputs_delivered(self, _call: Call, _grad_output: Gradients, /) -> None:
        """Nothing is recorded."""

    def delivered(self, _call: Call, _grad_input: Gradients, _grad_output: Gradients, /) -> None:
        """Nothing is recorded."""
