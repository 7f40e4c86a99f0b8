"""Which of torch's functions count as operations, and what a person calls them.

An operation gives a tensor, or writes into one. What only asks (`shape`, `dim`, `is_cuda`), reads a value out (`item`),
or sets a flag is none.
"""

from collections.abc import Callable
from typing import Any

_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "matmul": "matmul",
    "div": "div",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "invert": "bitwise_not",
    "neg": "neg",
    "pos": "positive",
    "abs": "abs",
    "eq": "eq",
    "ne": "ne",
    "lt": "lt",
    "le": "le",
    "gt": "gt",
    "ge": "ge",
    "getitem": "getitem",
    "setitem": "setitem",
}
"""Python's name of an operator -> PyTorch's name of what it does."""

_TENSOR_PROPERTIES = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
_FLAGS = frozenset({"requires_grad_"})
_WRITES_INTO_FIRST = "setitem"


def operation_name(function: Callable[..., Any]) -> str | None:
    """Return what a person calls a function that a `TorchFunctionMode` was told of; `None` when it is no operation.

    Operators have the name of their function, whichever side the tensor is on: `1 - x` is `sub`, `x += 1` is `add_`.
    """
    name = getattr(function, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(function, "__self__", None), "__name__", "")
        return name if name in _TENSOR_PROPERTIES else None
    if name.startswith("__") and name.endswith("__"):
        return _operator_name(name[2:-2])
    return name if name and name not in _FLAGS else None


def _operator_name(name: str) -> str | None:
    if name in _OPERATORS:
        return _OPERATORS[name]
    plain = _OPERATORS.get(name[1:])
    if plain is None:
        return None
    return {"r": plain, "i": f"{plain}_"}.get(name[0])


def value_of(name: str, arguments: tuple[Any, ...], result: object) -> object:
    """Return what an operation has made: its result, or the tensor that it wrote into when it returns nothing."""
    return arguments[0] if name == _WRITES_INTO_FIRST else result
