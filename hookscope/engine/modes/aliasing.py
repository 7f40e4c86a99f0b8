"""Gives a module views of its inputs, in containers of the same kind, so that each leaf has a gradient edge of its own.

A container is made anew only if there is such a leaf in it. A list, a mapping or a dataclass that the module then
changes must be changed for its caller too: `write_back` does that.
"""

import copy
import dataclasses
from collections.abc import Callable, MutableMapping
from typing import Any

import torch

from hookscope.engine.compat import is_functorch_wrapped, version_of
from hookscope.engine.tensor_tree import MAX_DEPTH, argument_leaves

_Change = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class View:
    """A view of a tensor that a module runs on in its place; `version` is the in-place version that it had then."""

    tensor: torch.Tensor
    original: torch.Tensor
    version: int | None

    @property
    def is_void(self) -> bool:
        """Whether something has written to it, or to what it is a view of."""
        return version_of(self.tensor) != self.version


class Aliases:
    """The views that one call was given.

    Args:
        args: What the module was called with.
        kwargs: Likewise.

    Attributes:
        args: What it is to run with.
        kwargs: Likewise.
        views: By the leaves of these.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._views: dict[int, View] = {}
        self._made: dict[int, Any] = {}
        self._changeable: list[tuple[Any, Any, list[tuple[Any, Any]]]] = []
        self.args = tuple(self._changed(value, 0) for value in args)
        self.kwargs = {name: self._changed(value, 0) for name, value in kwargs.items()}
        given = argument_leaves(self.args, self.kwargs)
        self.views = {leaf: self._views[id(tensor)] for leaf, tensor in given if id(tensor) in self._views}

    def write_back(self) -> None:
        """Change the caller's containers as the module has changed those that it was given."""
        for value, made, before in self._changeable:
            after = _items(made)
            if [(key, id(item)) for key, item in after] != [(key, id(item)) for key, item in before]:
                _assign(value, [(key, self._former(item)) for key, item in after])

    def _former(self, item: Any) -> Any:
        view = self._views.get(id(item))
        return item if view is None else view.original

    def _changed(self, value: Any, depth: int) -> Any:
        if isinstance(value, torch.Tensor):
            return self._view(value)
        if depth > MAX_DEPTH or not _is_entered(value):
            return value
        key = id(value)
        if key not in self._made:
            self._made[key] = value  # what a container that holds itself finds inside
            self._made[key] = self._container(value, depth)
        return self._made[key]

    def _view(self, tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.requires_grad or tensor.layout is not torch.strided or tensor.is_nested:
            return tensor
        if is_functorch_wrapped(tensor):
            return tensor
        view = tensor.view_as(tensor)
        self._views[id(view)] = View(view, tensor, version_of(view))
        return view

    def _container(self, value: Any, depth: int) -> Any:
        items = [(key, item, self._changed(item, depth + 1)) for key, item in _items(value)]
        if all(item is changed for _, item, changed in items):
            return value
        if isinstance(value, tuple):
            make: Callable[[Any], Any] = getattr(value, "_make", type(value))  # named tuples take items one by one
            return make([changed for *_, changed in items])
        made = copy.copy(value)
        _assign(made, [(key, changed) for key, _, changed in items])
        self._changeable.append((value, made, _items(made)))
        return made


def _is_entered(value: object) -> bool:
    """Whether a value is a container that can be made anew."""
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
