"""Private copies of nested inputs on the model's device."""

import copy
import dataclasses
from collections.abc import Callable, Collection, Mapping, MutableMapping
from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence

_Copy = Callable[[Any], Any]


class Copier:
    """Copies values to a device. One tensor in two places stays one, and a container that holds itself still does.

    Args:
        device: Where the copies are made.
        wanted: Tensors (by `id`) whose copies require a gradient. Such a copy is no leaf of the graph, so that a model
            may change it in place.
    """

    def __init__(self, device: torch.device, wanted: Collection[int] = ()) -> None:
        self._device = device
        self._wanted = wanted
        self._made: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        """Copy a tensor, or a container (whose type is kept) with everything in it; other values are returned as is."""
        key = id(value)
        if key not in self._made:
            self._made[key] = value  # what a container that holds itself finds inside
            self._made[key] = self._tensor(value) if isinstance(value, torch.Tensor) else self._container(value)
        return self._made[key]

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        alias = tensor.detach()
        if id(tensor) in self._wanted:
            # An inference tensor cannot be told to require a gradient, a copy of it can.
            alias = (alias.clone() if alias.is_inference() else alias).requires_grad_()
        return alias.to(self._device, copy=True)

    def _container(self, value: Any) -> Any:
        for container, rebuild in _REBUILDERS:
            if isinstance(value, container):
                return rebuild(value, self.copy)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return _rebuild_dataclass(value, self.copy)
        return copy.copy(value).to(self._device) if moves_itself(value) else value


def moves_itself(value: object) -> bool:
    """Whether a value that is no tensor has a `to` of its own, as the graphs of graph libraries have."""
    return callable(getattr(value, "to", None)) and not isinstance(value, type)


def _rebuild_packed(value: PackedSequence, copied: _Copy) -> PackedSequence:
    # Its batch sizes stay on the CPU, wherever the model is.
    return value._replace(
        data=copied(value.data),
        sorted_indices=copied(value.sorted_indices),
        unsorted_indices=copied(value.unsorted_indices),
    )


def _rebuild_mapping(value: Mapping[Any, Any], copied: _Copy) -> Mapping[Any, Any]:
    items = {key: copied(item) for key, item in value.items()}
    if not isinstance(value, MutableMapping):
        return items
    made = copy.copy(value)
    made.update(items)
    return made


def _rebuild_list(value: list[Any], copied: _Copy) -> list[Any]:
    made = copy.copy(value)
    made[:] = [copied(item) for item in value]
    return made


def _rebuild_tuple(value: tuple[Any, ...], copied: _Copy) -> tuple[Any, ...]:
    make: Callable[[Any], tuple[Any, ...]] = getattr(value, "_make", type(value))  # named tuples take items one by one
    return make([copied(item) for item in value])


def _rebuild_dataclass(value: Any, copied: _Copy) -> Any:
    made = copy.copy(value)
    for field in dataclasses.fields(value):
        if hasattr(value, field.name):
            object.__setattr__(made, field.name, copied(getattr(value, field.name)))  # it may be frozen
    return made


_REBUILDERS: tuple[tuple[Any, Callable[[Any, _Copy], Any]], ...] = (
    (PackedSequence, _rebuild_packed),
    (Mapping, _rebuild_mapping),
    (list, _rebuild_list),
    (tuple, _rebuild_tuple),
)
