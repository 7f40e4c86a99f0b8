"""Values that are no tensors, in words. None of the user's code is run: not even a `repr`, or the `len` of a class.

It is called in hooks, where the model must not notice it. What is written out is of types of Python's, torch's and
numpy's own, exactly, for a class that inherits from one may do anything. Of everything else the type is told.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np
import torch

from hookscope.engine.code.tensor_words import shape_words

MAX_TEXT = 500
"""Characters of a value."""

MAX_VALUES = 32
"""Values of one slot that are told; of more, how many there are."""

_MAX_INTEGER_BITS = 256
"""Python refuses to write very long integers."""

_NUMPY_SCALARS = frozenset(kind for kind in np.sctypeDict.values() if issubclass(kind, (np.number, np.bool_)))


def _integer(value: int) -> str:
    bits = value.bit_length()
    return repr(value) if bits <= _MAX_INTEGER_BITS else f"an integer of {bits:,} bits"


def _text(value: str | bytes) -> str:
    return repr(value[:MAX_TEXT]) + ("…" if len(value) > MAX_TEXT else "")


def _array(values: "np.ndarray[Any, Any]") -> str:
    return f"{shape_words(values.shape)} {values.dtype}"


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    int: _integer,
    str: _text,
    bytes: _text,
    np.ndarray: _array,
    **dict.fromkeys((bool, float, complex, type(None), range, torch.dtype), repr),
    **dict.fromkeys((torch.device, *_NUMPY_SCALARS), str),
}

PLAIN = frozenset(_WRITERS)
"""Types, each exactly, of which the value is told; of an array, the sizes."""

_BRACKETS: Mapping[type, tuple[str, str]] = {
    list: ("[", "]"),
    torch.Size: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("{", "}"),
    dict: ("{", "}"),
}

CONTAINERS = frozenset(_BRACKETS)
"""Types, each exactly, of which the items are told."""


def describe(value: object) -> str:
    """Return what a value is: `int: 3`, `str: 'cls'`, `list of 2: [3, 4]`, `list: []`, `package.module.Cache`.

    The type stands before the first colon, and the value, if it is told, after it. Raises nothing.
    """
    name = "object"
    try:
        name = _name_of(type(value))
        told = _described(name, value)
    except Exception:  # numbers that Python refuses to write, or a type that is not as types are
        told = name
    return told.encode(errors="backslashreplace").decode()  # half of a surrogate pair cannot be sent


def describe_all(found: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    """Yield leaves with what they are, `MAX_VALUES` at most; if there are more, the last one says how many."""
    found = list(found)
    told = len(found) if len(found) <= MAX_VALUES else MAX_VALUES - 1
    for leaf, value in found[:told]:
        yield leaf, describe(value)
    for leaf, _ in found[told : told + 1]:
        yield leaf, f"{len(found) - told:,} more values"


def _described(name: str, value: object) -> str:
    kind = type(value)
    if value is None:
        return "None"
    if kind in PLAIN:
        return f"{name}: {_cut(_WRITERS[kind](value))}"
    if kind in _BRACKETS:
        return _container(name, value)
    if kind is slice:
        return f"{name}: {_slice(value)}"  # type: ignore[arg-type]
    if issubclass(kind, Enum):
        member = object.__getattribute__(value, "_name_")
        return f"{name}: {_cut(member)}" if type(member) is str else name
    return name


def _container(name: str, value: Any) -> str:
    if not len(value):
        return f"{name}: {value!r}"
    first, last = _BRACKETS[type(value)]
    if type(value) is dict:
        texts = [f"{_item(key)}: {_item(item)}" for key, item in islice(value.items(), MAX_TEXT)]
    else:
        texts = [_item(item) for item in islice(value, MAX_TEXT)]
    return f"{name} of {len(value):,}: {_cut(first + ', '.join(texts) + last)}"


def _slice(value: slice) -> str:
    return f"slice({', '.join(map(_item, (value.start, value.stop, value.step)))})"


def _item(value: object) -> str:
    kind = type(value)
    return _WRITERS[kind](value) if kind in PLAIN else _name_of(kind)


def _name_of(kind: type) -> str:
    """Return a type's full name; a metaclass is not asked, for it may answer with code of the user's."""
    module: object = type.__dict__["__module__"].__get__(kind)
    name = str(type.__dict__["__qualname__"].__get__(kind))
    return name if type(module) is not str or module == "builtins" else f"{module}.{name}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
