"""Leaves of nested inputs and outputs, by the paths under which the window shows them; other tensors in their place.

A container is made anew, of the same kind, only if there is a new leaf in it; all others are kept as they are.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

import torch

from hookscope.engine.value_words import CONTAINERS, PLAIN

MAX_DEPTH = 8

Rest = list[tuple[str, object]]
"""Leaves that are no tensors, with their paths. To be let go of within the hook: it refers to what is the user's."""


def leaves(value: object, path: str, rest: Rest | None = None) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield every tensor of a nested value with its path, in order.

    Mappings, lists, tuples (named ones and structseqs too) and dataclasses are entered; anything else is not, so that
    a generator still has all its items afterwards. A container that holds itself is entered once.

    Args:
        value: What a module was given or returned.
        path: Path of `value` itself, for example `out`.
        rest: Gets the leaves that are no tensors; a container of Python's own is one leaf if it holds nothing, or
            nothing that would be entered.
    """
    if isinstance(value, torch.Tensor):
        yield path, value
    else:
        yield from _inner(value, path, 0, set(), rest)


def _inner(
    value: object, path: str, depth: int, entered: set[int], rest: Rest | None
) -> Iterator[tuple[str, torch.Tensor]]:
    if id(value) in entered:
        return
    children = _children(value)
    if children is None or depth > MAX_DEPTH or not children:
        if rest is not None:
            rest.append((path, value))
        return
    if rest is not None and not isinstance(children[0][1], torch.Tensor) and _is_one_value(value, children):
        rest.append((path, value))
        return
    entered.add(id(value))
    for key, child in children:
        child_path = f"{path}.{key}"
        if isinstance(child, torch.Tensor):
            yield child_path, child
        else:
            yield from _inner(child, child_path, depth + 1, entered, rest)


def _is_one_value(value: object, children: list[tuple[object, object]]) -> bool:
    return type(value) in CONTAINERS and not any(_is_entered(child) for _, child in children)


def _is_entered(value: object) -> bool:
    return type(value) not in PLAIN and (isinstance(value, torch.Tensor) or _children(value) is not None)


def _children(value: object) -> list[tuple[object, object]] | None:
    if type(value) is tuple or type(value) is list:  # found sooner than by asking for a Mapping first
        return list(enumerate(value))
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return None


def argument_leaves(
    args: tuple[object, ...], kwargs: Mapping[str, object], rest: Rest | None = None
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of a call: `args.0`, ..., then `kwargs.NAME`, ...; `rest` gets what is neither that nor `None`.

    `rest` is as for `leaves`.
    """
    for index, value in enumerate(args):
        if isinstance(value, torch.Tensor):
            yield (_ARGUMENTS[index] if index < len(_ARGUMENTS) else f"args.{index}"), value
        elif value is not None:
            yield from _inner(value, f"args.{index}", 1, set(), rest)
    if not kwargs:
        return
    entered: set[int] = set()
    for name, value in kwargs.items():
        if isinstance(value, torch.Tensor):
            yield f"kwargs.{name}", value
        elif value is not None:
            yield from _inner(value, f"kwargs.{name}", 1, entered, rest)


_ARGUMENTS = tuple(f"args.{index}" for index in range(16))
"""Made once: most calls have few arguments, and there are many calls."""


def with_leaves(value: object, path: str, new: Mapping[str, torch.Tensor]) -> object:
    """Return a nested value with other tensors at some leaves.

    Args:
        value: What a module was given or returned.
        path: Path of `value` itself, for example `out`.
        new: The tensors by the paths that `leaves` gives.

    Raises:
        TypeError: One of them is in a container that cannot be made anew.
    """
    rebuilding = _Rebuilding(new)
    changed = rebuilding.value(value, path, 0)
    rebuilding.check()
    return changed


class RebuiltArguments:
    """What a module is called with, with other tensors at some leaves.

    A list, a mapping or a dataclass that the module then changes must be changed for its caller too: `write_back`.

    Args:
        args: What the module was called with.
        kwargs: Likewise.
        new: The tensors by leaves of these; a leaf that an immutable mapping has is passed over unless `strict`.
        strict: Whether all of them must find their place.

    Attributes:
        args: What it is to run with.
        kwargs: Likewise.

    Raises:
        TypeError: One of them, being `strict`, is in a container that cannot be made anew.
    """

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        new: Mapping[str, torch.Tensor],
        *,
        strict: bool = True,
    ) -> None:
        self._rebuilding = _Rebuilding(new)
        self.args = tuple(self._rebuilding.value(value, f"args.{index}", 0) for index, value in enumerate(args))
        self.kwargs = {name: self._rebuilding.value(value, f"kwargs.{name}", 0) for name, value in kwargs.items()}
        if strict:
            self._rebuilding.check()

    def write_back(self) -> None:
        """Change the caller's containers as the module has changed those that it was given."""
        self._rebuilding.write_back()


class _Rebuilding:
    def __init__(self, new: Mapping[str, torch.Tensor]) -> None:
        self._new = new
        self._former: dict[int, torch.Tensor] = {}
        self._placed: set[str] = set()
        self._made: dict[int, Any] = {}
        self._changeable: list[tuple[Any, Any, list[tuple[Any, Any]]]] = []

    def value(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value, path)
        if depth > MAX_DEPTH or not _can_be_made_anew(value):
            return value
        key = id(value)
        if key not in self._made:
            self._made[key] = value  # what a container that holds itself finds inside
            self._made[key] = self._container(value, path, depth)
        return self._made[key]

    def check(self) -> None:
        missing = sorted(self._new.keys() - self._placed)
        if missing:
            raise TypeError(
                f"{', '.join(missing)} is in a container that cannot be made anew with another tensor in it"
            )

    def write_back(self) -> None:
        for value, made, before in self._changeable:
            after = _items(made)
            if [(key, id(item)) for key, item in after] != [(key, id(item)) for key, item in before]:
                _assign(value, [(key, self._former.get(id(item), item)) for key, item in after])

    def _tensor(self, tensor: torch.Tensor, path: str) -> torch.Tensor:
        new = self._new.get(path)
        if new is None:
            return tensor
        self._placed.add(path)
        self._former[id(new)] = tensor
        return new

    def _container(self, value: Any, path: str, depth: int) -> Any:
        items = [(key, item, self.value(item, f"{path}.{key}", depth + 1)) for key, item in _items(value)]
        if all(item is changed for _, item, changed in items):
            return value
        if isinstance(value, tuple):
            make: Callable[[Any], Any] = getattr(value, "_make", type(value))  # named tuples take items one by one
            return make([changed for *_, changed in items])
        made = copy.copy(value)
        _assign(made, [(key, changed) for key, _, changed in items])
        self._changeable.append((value, made, _items(made)))
        return made


def _can_be_made_anew(value: object) -> bool:
    if isinstance(value, (list, tuple, MutableMapping)):
        return True
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _items(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, MutableMapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    names = [field.name for field in dataclasses.fields(value)]
    return [(name, getattr(value, name)) for name in names if hasattr(value, name)]


def _assign(value: Any, items: list[tuple[Any, Any]]) -> None:
    """Make a list, a mapping or a dataclass hold exactly these items."""
    if isinstance(value, list):
        value[:] = [item for _, item in items]
    elif isinstance(value, MutableMapping):
        wanted = dict(items)
        for key in [key for key in value if key not in wanted]:
            del value[key]
        for key, item in items:
            value[key] = item
    else:
        for name, item in items:
            object.__setattr__(value, name, item)  # it may be frozen
