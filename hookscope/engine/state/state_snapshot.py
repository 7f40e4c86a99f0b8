"""What a step may change beside its result, taken before the step and put back after it.

Kept are, of the model, buffers, `.grad`, hooks, flags (`training`, `requires_grad`) and the plain attributes of its
modules (a counter, a cached tensor, a list); of the process, the random generators and torch's flags; when asked, the
values of parameters and the state of an optimizer. All of it is put back into the objects that are there. It is read
from the registries of modules alone: an attribute of a module may be a property that runs the user's code.

Not kept is what modules hold inside of objects of other classes (a cache class, a file), a lazy module's change of
class, and parameters when they were not asked for: `StateSnapshot.not_restored` says what is seen of it.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from hookscope.engine.compat import version_of
from hookscope.engine.state.kept_hooks import HOOK_DICTS, KeptHooks
from hookscope.engine.state.kept_values import KeptValues
from hookscope.engine.state.randomness import RandomState
from hookscope.engine.state.torch_flags import TorchFlags

_MODULE_DEPTH = 1
"""The tensors in a list or dict of a module, but no lists in it."""
_OPTIMIZER_DEPTH = 3
"""The state, that of a parameter, and a list in it."""


class StateSnapshot:
    """The state before a step. Made by `take`; used on the main thread, between steps."""

    def __init__(self, device: torch.device) -> None:
        self._random = RandomState()
        self._flags = TorchFlags(device)
        self._values = KeptValues()
        self._hooks: list[KeptHooks] = []
        self._parameters: dict[int, _KeptParameter] = {}
        self._scripted: list[tuple[nn.Module, bool]] = []
        self._lazy: list[tuple[nn.Module, str]] = []
        self._not_restored: tuple[str, ...] = ()

    @classmethod
    def take(
        cls,
        model: nn.Module,
        device: torch.device,
        *,
        parameters: bool,
        beside: Iterable[nn.Module] = (),
        optimizer: torch.optim.Optimizer | None = None,
    ) -> "StateSnapshot":
        """Take the state as it is now.

        Args:
            model: Whose state.
            device: Where it runs.
            parameters: Whether the values of parameters are kept too, which costs a copy of them.
            beside: Other modules that a step runs, a loss for example.
            optimizer: Whose state is kept too.
        """
        snapshot = cls(device)
        with _undisturbed():
            for part in (model, *beside):
                for path, module in part.named_modules():
                    snapshot._keep_module(module, path, parameters)
            if optimizer is not None:
                snapshot._values.keep_attributes(optimizer, _OPTIMIZER_DEPTH, "the optimizer")
        return snapshot

    def restore(self) -> None:
        """Put everything back.

        Raises:
            KeyboardInterrupt: The main thread was interrupted; everything is put back all the same.
        """
        try:
            self._restore()
        except KeyboardInterrupt:  # it was meant for the step; the state must not stay half restored
            self._restore()
            raise

    def not_restored(self) -> tuple[str, ...]:
        """Say, in words, what `restore` saw changed and could not put back."""
        return self._not_restored

    def _restore(self) -> None:
        with _undisturbed():
            for hooks in self._hooks:
                hooks.restore()
            self._values.put_back()
            for module, training in self._scripted:
                module.training = training
            written = list(self._restore_parameters())
        self._flags.restore()
        self._random.restore()
        initialized = [f"{where}: its parameters were made" for module, where in self._lazy if not _is_lazy(module)]
        self._not_restored = tuple(dict.fromkeys(self._values.problems + written + initialized))

    def _keep_module(self, module: nn.Module, path: str, with_parameters: bool) -> None:
        where = f"{path or 'the model'} ({type(module).__name__})"
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in self._parameters:
                self._keep_parameter(parameter, f"{path}.{name}".lstrip("."), with_parameters)
        if _is_lazy(module):  # its first call changes its class and hooks for good
            self._lazy.append((module, where))
            return
        attributes = self._values.keep_attributes(module, _MODULE_DEPTH, where, HOOK_DICTS)
        self._hooks.append(KeptHooks(module, attributes))
        if isinstance(module, torch.jit.ScriptModule):  # it has them in C++ and not in its attributes
            self._scripted.append((module, module.training))
            for buffer in module.buffers(recurse=False):
                self._values.keep_tensor(buffer, where)

    def _keep_parameter(self, parameter: nn.Parameter, name: str, with_values: bool) -> None:
        gradient = parameter.grad
        self._values.pass_over(parameter)
        if gradient is not None:
            self._values.keep_tensor(gradient, f"the gradient of {name}")
        if with_values:
            self._values.keep_tensor(parameter, name)
        version = None if with_values or is_lazy(parameter) else version_of(parameter)
        self._parameters[id(parameter)] = _KeptParameter(parameter, name, gradient, parameter.requires_grad, version)

    def _restore_parameters(self) -> Iterator[str]:
        """Put back what belongs to parameters, after the values; say of which ones the values are others now."""
        for kept in self._parameters.values():
            parameter = kept.parameter
            if parameter.grad is not kept.gradient:
                parameter.grad = kept.gradient
            if parameter.requires_grad != kept.requires_grad:
                parameter.requires_grad_(kept.requires_grad)
            if kept.version is not None and version_of(parameter) != kept.version:
                yield f"the parameter {kept.name}: the model wrote to it"


class _KeptParameter(NamedTuple):
    """A parameter, its gradient's object, and its version counter if its values are not kept."""

    parameter: nn.Parameter
    name: str
    gradient: torch.Tensor | None
    requires_grad: bool
    version: int | None


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Record no graph, and call no overrides of tensor subclasses."""
    with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
        yield


def _is_lazy(module: nn.Module) -> bool:
    for own in (module._parameters, module._buffers):
        for tensor in own.values():
            if tensor is not None and is_lazy(tensor):
                return True
    return False
