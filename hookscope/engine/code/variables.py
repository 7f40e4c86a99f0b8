"""Local variables in words, for the frames of a stopped step.

Reading a variable must not change what the user's program does next. So nothing is iterated but Python's own
containers, by their own methods, and any other `repr` gets a time limit.
"""

import re
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from hookscope.engine.code.tensor_words import range_words, shape_words, spec_words
from hookscope.engine.code.timed_repr import timed_repr
from hookscope.engine.convert import Unreadable, quiet
from hookscope.engine.specs import spec_of
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.stops import Variable
from hookscope.protocol.tensors import TensorSpec

MAX_TEXT = 120
"""Characters of a text."""

MAX_ELEMENT_TEXT = 40
"""Characters of an element of a container."""

SHOWN_ELEMENTS = 3

MAX_INTEGER_BITS = 256
"""Python refuses to write very long integers."""

MAX_RANGE_ELEMENTS = 1 << 23
"""Elements that are looked at for the ranges of one stack, all tensors together: ten to forty milliseconds on a CPU."""

_LINE_BREAK = re.compile(r"\s*\n\s*")
_LEFT_OUT = (ModuleType, FunctionType, BuiltinFunctionType, MethodType, type)


def is_shown(name: str, value: object) -> bool:
    """Whether a person looks for this among variables: no module, function or class, and no name of Python's own."""
    is_private = name.startswith("__") and name.endswith("__")
    # A comprehension calls its iterator `.0`. And not isinstance, which a proxy of the user's answers for itself.
    return not is_private and name.isidentifier() and not issubclass(type(value), _LEFT_OUT)


class Describer:
    """Puts the variables of one call stack into words.

    It remembers the range of a tensor by its `id`, and how much it has looked at; so it is made anew for each stack,
    and used while all the stack's variables are alive.

    Args:
        paths: `id` of a module -> its path in the model.
    """

    def __init__(self, paths: Mapping[int, str] = MappingProxyType({})) -> None:
        self._paths = paths
        self._elements_left = MAX_RANGE_ELEMENTS
        self._ranges: dict[int, str] = {}
        self._slow: set[type] = set()

    def describe(self, name: str, value: object, ref: TensorRef | None = None) -> Variable:
        """Describe one variable. Raises no `Exception`, whatever the value does.

        A tensor's text is `2 × 3 float32 cpu: -1.5 … 2, 1 NaN`: sizes, dtype, device, range of the finite values (of
        complex ones, of their magnitude), and how many are not finite. The range is left out when too much would have
        to be looked at.

        Args:
            name: Its name.
            value: Its value.
            ref: What names the tensor for a view.
        """
        try:
            return Variable(name, type(value).__name__, _cut(self._text(value), MAX_TEXT), ref)
        except Exception as error:
            return Variable(name, type(value).__name__, f"<{type(error).__name__}>", ref)

    def _text(self, value: object) -> str:
        for kind in type(value).__mro__:
            if (words := _WORDS.get(kind)) is not None:
                return words(self, value)
        fields = _dataclass_fields(value)
        return self._repr(value) if fields is None else self._fields(value, fields)

    def _element(self, value: object) -> str:
        """Describe something within a container, where a nested container's elements are not told."""
        for kind in type(value).__mro__:
            if kind in _BRIEFLY:
                return _cut(_BRIEFLY[kind](self, value), MAX_ELEMENT_TEXT)
        return type(value).__name__

    # -- by type ------------------------------------------------------------------------------------------------

    def _tensor(self, tensor: torch.Tensor) -> str:
        # An operation mode of the user's, or of ours, would take what is done here for the model's.
        with torch._C.DisableTorchFunction(), quiet(tensor):
            spec = spec_of(tensor)
            if id(tensor) not in self._ranges:
                self._ranges[id(tensor)] = self._range(tensor, spec)
            found = self._ranges[id(tensor)]
        return spec_words(spec) + (f": {found}" if found else "")

    def _range(self, tensor: torch.Tensor, spec: TensorSpec) -> str:
        if spec.count > self._elements_left:
            return ""
        self._elements_left -= spec.count
        try:
            return range_words(tensor)
        except Unreadable as error:
            return str(error)

    def _tensor_briefly(self, tensor: torch.Tensor) -> str:
        with torch._C.DisableTorchFunction(), quiet(tensor):
            return spec_words(spec_of(tensor))

    def _module(self, module: nn.Module) -> str:
        return f"{type(module).__name__} {self._paths.get(id(module), '')}".rstrip()

    def _array(self, values: "np.ndarray[Any, Any]") -> str:
        return f"{shape_words(values.shape)} {values.dtype}"

    def _as_written(self, value: object) -> str:
        return repr(value)

    def _integer(self, value: int) -> str:
        bits = int.bit_length(value)
        if bits > MAX_INTEGER_BITS:
            return f"<an integer of {bits:,} bits>"
        return bool.__repr__(value) if isinstance(value, bool) else int.__repr__(value)

    def _float(self, value: float) -> str:
        return float.__repr__(value)

    def _string(self, value: str) -> str:
        return repr(str.__getitem__(value, slice(MAX_TEXT)))

    def _bytes(self, value: bytes | bytearray) -> str:
        return repr(bytes(memoryview(value)[:MAX_TEXT]))

    def _collection(self, values: Any) -> str:
        kind, length = _own_kind(values), _own_length(values)
        return _listed(type(values).__name__, length, map(self._element, islice(kind.__iter__(values), SHOWN_ELEMENTS)))

    def _dict(self, values: dict[Any, Any]) -> str:
        items = islice(dict.items(values), SHOWN_ELEMENTS)
        texts = (f"{self._element(key)}: {self._element(value)}" for key, value in items)
        return _listed(type(values).__name__, dict.__len__(values), texts)

    def _length(self, values: Any) -> str:
        return f"{type(values).__name__}({_own_length(values)})"

    def _fields(self, value: object, names: tuple[str, ...]) -> str:
        shown = names[:SHOWN_ELEMENTS]
        texts = (f"{name}={self._field(value, name)}" for name in shown)
        return _listed(type(value).__name__, len(names), texts)

    def _field(self, value: object, name: str) -> str:
        try:
            return self._element(object.__getattribute__(value, name))
        except AttributeError:
            return "<not set>"

    def _repr(self, value: object) -> str:
        kind = type(value)
        if kind.__repr__ is object.__repr__:
            return f"{kind.__module__}.{kind.__qualname__}"
        found = None if kind in self._slow else timed_repr(value)
        if found is None:
            self._slow.add(kind)
            return "<its repr takes too long>"
        return found


_Words = Callable[[Describer, Any], str]

_WRITTEN_SHORT = (type(None), complex, range, slice, np.generic, torch.Size, torch.dtype, torch.device)
_NOTHING: dict[str, str] = {}
_VIEWS = (type(_NOTHING.keys()), type(_NOTHING.values()), type(_NOTHING.items()))
_COLLECTIONS = (list, tuple, set, frozenset, deque, array, *_VIEWS)

_PLAIN: Mapping[type, _Words] = {
    nn.Module: Describer._module,
    np.ndarray: Describer._array,
    int: Describer._integer,
    float: Describer._float,
    str: Describer._string,
    bytes: Describer._bytes,
    bytearray: Describer._bytes,
    **dict.fromkeys(_WRITTEN_SHORT, Describer._as_written),
}

_WORDS: Mapping[type, _Words] = {
    torch.Tensor: Describer._tensor,
    **_PLAIN,
    **dict.fromkeys(_COLLECTIONS, Describer._collection),
    dict: Describer._dict,
}
"""Class -> words for its instances and those of its subclasses; anything else is asked for its `repr`."""

_BRIEFLY: Mapping[type, _Words] = {
    torch.Tensor: Describer._tensor_briefly,
    **_PLAIN,
    **dict.fromkeys((*_COLLECTIONS, dict), Describer._length),
}


def _cut(text: str, limit: int) -> str:
    # Half of a surrogate pair, which a repr may have, cannot be sent.
    line = _LINE_BREAK.sub(" ", text[: 4 * limit]).encode(errors="backslashreplace").decode()
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _own_kind(values: object) -> Any:
    """Return the container class of Python's own that a value is made of, whatever a subclass has overridden."""
    return next(kind for kind in type(values).__mro__ if kind in _BRIEFLY)


def _own_length(values: object) -> int:
    return int(_own_kind(values).__len__(values))


def _listed(name: str, length: int, elements: Iterator[str]) -> str:
    texts = [*elements, *(["…"] if length > SHOWN_ELEMENTS else [])]
    return f"{name}({length}): {', '.join(texts)}" if texts else f"{name}({length})"


def _dataclass_fields(value: object) -> tuple[str, ...] | None:
    for kind in type(value).__mro__:
        if "__dataclass_fields__" in vars(kind):
            return tuple(vars(kind)["__dataclass_fields__"])
    return None
