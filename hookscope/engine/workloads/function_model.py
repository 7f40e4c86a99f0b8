"""Plain functions as models: the leaf tensors that a function is called with are the parameters of a module."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

Function = Callable[..., Any]


class FunctionModel(nn.Module):
    """A module whose forward is a plain function.

    Its parameters are the function's own leaf tensors, not copies of them, so an optimizer that was made of them works.

    Args:
        function: What a forward calls.
        names: The function's arguments in order, where they are known.
        leaves: Those of them that are parameters; a forward is given the others.
        by_name: Whether the function is called with keyword arguments.
    """

    def __init__(
        self, function: Function, names: tuple[str, ...], leaves: Mapping[str, torch.Tensor], *, by_name: bool
    ) -> None:
        super().__init__()
        self._function = function
        self._names = names
        self._by_name = by_name
        # Not register_parameter: that refuses names which modules have too, such as `type`, and plain tensors.
        self._parameters.update(leaves)  # type: ignore[arg-type]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with its leaves and these further arguments.

        Raises:
            TypeError: There are not as many further arguments as the function takes.
        """
        if not self._names:
            return self._function(*args, **kwargs)
        free = [name for name in self._names if name not in self._parameters]
        given = dict(zip(free, args, strict=False)) | kwargs
        if len(args) > len(free) or given.keys() != set(free):
            raise TypeError(f"{self.extra_repr()} needs {', '.join(free) or 'no argument'} besides its leaves")
        values = {name: self._parameters[name] if name in self._parameters else given[name] for name in self._names}
        return self._function(**values) if self._by_name else self._function(*values.values())

    def extra_repr(self) -> str:
        """Return the function as it is called."""
        return f"{_name_of(self._function)}({', '.join(self._names) or '...'})"


def model_of(function: Function, inputs: Any) -> tuple[FunctionModel, Any]:
    """Make a model of a function.

    Args:
        function: Any callable that is no module.
        inputs: As for a `Workload`. Of one batch that is used at every step, the tensors that are leaves and require a
            gradient become parameters, named by their arguments.

    Returns:
        The model, and what is left of the inputs.
    """
    if isinstance(inputs, Mapping):
        leaves = {name: value for name, value in inputs.items() if _is_leaf(value)}
        others = {name: value for name, value in inputs.items() if name not in leaves}
        return FunctionModel(function, tuple(inputs), leaves, by_name=True), others
    if isinstance(inputs, (torch.Tensor, tuple)):
        values = inputs if isinstance(inputs, tuple) else (inputs,)
        named = dict(zip(_argument_names(function, len(values)), values, strict=True))
        leaves = {name: value for name, value in named.items() if _is_leaf(value)}
        rest = tuple(value for name, value in named.items() if name not in leaves)
        return FunctionModel(function, tuple(named), leaves, by_name=False), rest
    return FunctionModel(function, (), {}, by_name=False), inputs


def _is_leaf(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad


def _argument_names(function: Function, count: int) -> list[str]:
    """Return what a function calls its positional arguments, or numbers where it does not tell."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a builtin
        parameters = []
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    names = [parameter.name for parameter in parameters if parameter.kind in positional][:count]
    return names + [f"argument_{index}" for index in range(len(names), count)]


def _name_of(function: Function) -> str:
    return getattr(function, "__name__", type(function).__name__).strip("<>")
