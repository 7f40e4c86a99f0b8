"""Changes what operations give, and the gradients there. Runs inside a `TorchFunctionMode`, around those of others."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from hookscope.engine.capture.graph_walk import Edge
from hookscope.engine.compat import version_of
from hookscope.engine.intervening.applier import Applier
from hookscope.engine.intervening.module_changes import ChangedCall, ModuleChanges, PlansOfModule, edges_of
from hookscope.engine.operations.operation_names import value_of
from hookscope.engine.operations.operation_scopes import Given, OperationScope, OperationScopes, holds_tensor
from hookscope.engine.tensor_tree import argument_leaves, leaves, with_leaves
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot


class _Scope(OperationScope):
    """A running call of a module whose operations are changed."""

    __slots__ = ("call", "plans")

    def __init__(self, call: ChangedCall, plans: PlansOfModule) -> None:
        super().__init__(call.path, call.index)
        self.call = call
        self.plans = plans


class OperationChanges:
    """The interventions on operations. Without any, it puts nothing on the model.

    Args:
        applier: Makes the changes.
        modules: Knows the interventions and the running calls of the modules.

    Attributes:
        ran: Module path -> the operations that ran in this step.
    """

    def __init__(self, applier: Applier, modules: ModuleChanges) -> None:
        self._applier = applier
        self._modules = modules
        self._scopes = OperationScopes(self)
        self._wanted: dict[str, nn.Module] = {}
        self._hooked: dict[str, nn.Module] = {}
        self.ran: dict[str, dict[str, None]] = {}

    def set(self, modules: Mapping[str, nn.Module]) -> None:
        """Change operations of exactly these modules, from their next call on."""
        self._wanted = dict(modules)
        # A call that is running must be left as it was entered, so within a step no hook goes.
        self._hook({**self._hooked, **self._wanted} if self._applier.is_running else self._wanted)

    def begin_step(self) -> None:
        """Open a step."""
        self.ran.clear()
        self._scopes.begin()

    def end_step(self) -> None:
        """Leave nothing active, however the step ended."""
        self._scopes.end()
        self._hook(self._wanted)

    # -- in hooks and in the mode; see OperationChanger ---------------------------------------------------------

    def opened(self, path: str) -> OperationScope | None:
        """Want the operations of a call that has interventions on them."""
        call = self._modules.open_call(path)
        plans = self._modules.plans.get(path)
        if call is None or plans is None or not plans.has_operations or not self._applier.is_running:
            return None
        return _Scope(call, plans)

    def run(self, scope: OperationScope, name: str, function: Callable[..., Any], given: Given) -> object:
        """Run an operation, and change what it gives."""
        args, kwargs = given
        operation = OperationRef(scope.path, name, scope.number(name)).text
        if not isinstance(scope, _Scope) or not scope.plans.are_on(operation):
            result = function(*args, **kwargs)
            self._count(scope, name, operation, value_of(name, args, result))
            return result
        inputs = edges_of(dict(argument_leaves(args, kwargs)))
        target = _written_into(name, args, kwargs)
        if target is not None:
            # On a copy: the operation may save what it gives for backward, and that must stay as it is.
            value: object = target.clone()
            result = function(value, *args[1:], **kwargs)
            if _shape(value) != target.shape:
                function(*args, **kwargs)
        else:
            versions = [(tensor, version_of(tensor)) for tensor in (*args, *kwargs.values()) if _is_tensor(tensor)]
            result = function(*args, **kwargs)
            value = value_of(name, args, result)
            if isinstance(value, torch.Tensor):
                written = any(value is tensor and version_of(tensor) != version for tensor, version in versions)
                target, value = (value, value.clone()) if written else (None, value)
        if not self._count(scope, name, operation, value):
            return result
        with self._applier.blaming(scope.plans.plans):
            found = dict(leaves(value, "out"))
            new = self._modules.changed(scope.plans, scope.call, Slot.OUTPUT, found, operation)
            if target is None:
                new |= self._await_gradients(scope, {**found, **new}, inputs, operation)
                return with_leaves(result, "out", new) if new else result
            target.copy_(new["out"] if new else found["out"])
            self._await_gradients(scope, {"out": target}, inputs, operation)
            return None if result is None else target

    def _await_gradients(
        self, scope: _Scope, found: Mapping[str, torch.Tensor], inputs: Mapping[Edge, str], operation: str
    ) -> dict[str, torch.Tensor]:
        return self._modules.await_gradients(scope.plans, scope.call, found, inputs, operation)

    def _count(self, scope: OperationScope, name: str, operation: str, value: object) -> bool:
        """Count an operation if it holds a tensor; return whether it does."""
        if not holds_tensor(value):
            return False
        scope.next_number(name)
        self.ran.setdefault(scope.path, {})[operation] = None
        return True

    def _hook(self, modules: dict[str, nn.Module]) -> None:
        self._hooked = modules
        self._scopes.set(modules)


def _written_into(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> torch.Tensor | None:
    """Return the tensor that an operation will write into, as far as its name and its arguments tell."""
    writes = name == "setitem" or name.endswith("_") or kwargs.get("inplace") is True
    return args[0] if writes and args and _is_tensor(args[0]) else None


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _shape(value: object) -> torch.Size | None:
    return value.shape if isinstance(value, torch.Tensor) else None
