"""Values as they are now, to be put back into the very same objects later."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy


class KeptValues:
    """What containers hold and what is written in tensors. Whoever refers to one of them still does afterwards.

    Of other objects only the reference is kept, not what is inside. Belongs to one thread.

    Attributes:
        problems: In words, what could not be kept or put back.
    """

    def __init__(self) -> None:
        self._containers: list[tuple[Any, Any]] = []
        self._tensors: dict[int, tuple[torch.Tensor, torch.Tensor, str]] = {}
        self._passed_over: set[int] = set()
        self.problems: list[str] = []

    def keep_attributes(
        self, owner: object, depth: int, where: str, besides: Collection[str] = frozenset()
    ) -> dict[str, Any]:
        """Keep an object's attributes, and what is in those that are tensors or builtin containers.

        Parameters are passed over: they have `keep_tensor`. So is what `pass_over` was given.

        Args:
            owner: An object with a `__dict__`.
            depth: How many containers may be inside of each other.
            where: Whose they are, for `problems`.
            besides: Attributes whose contents are not kept.

        Returns:
            The copy of `__dict__` that will be put back; it may be edited until then.
        """
        attributes = vars(owner).copy()
        self._containers.append((vars(owner), attributes))
        for name, value in attributes.items():
            if type(value) not in _PLAIN and name not in besides:
                self._keep(value, depth, where)
        return attributes

    def keep_tensor(self, tensor: torch.Tensor, where: str) -> None:
        """Keep a tensor's values, once however often it is given; those of a lazy module have none yet."""
        if id(tensor) in self._tensors or is_lazy(tensor):
            return
        try:
            self._tensors[id(tensor)] = (tensor, tensor.detach().clone(), where)
        except Exception as error:
            self.problems.append(f"a tensor of {where} ({error})")

    def pass_over(self, tensor: torch.Tensor) -> None:
        """Keep nothing of a tensor where it is found, in spite of its class: a leaf that is used as a parameter."""
        self._passed_over.add(id(tensor))

    def put_back(self) -> None:
        """Write everything back; what cannot be is added to `problems`. May be called again when it was interrupted."""
        for now, then in self._containers:
            if now or then:
                _PUT_BACK[type(now)](now, then)
        for tensor, values, where in self._tensors.values():
            try:
                _write(tensor, values)
            except Exception as error:
                self.problems.append(f"a tensor of {where} ({error})")

    def _keep(self, value: Any, depth: int, where: str) -> None:
        kind = type(value)
        if kind in _PUT_BACK:
            if not value:
                self._containers.append((value, _EMPTY[kind]))
            elif depth:
                then = value.copy()
                self._containers.append((value, then))
                for inner in then.values() if isinstance(then, dict) else then:
                    self._keep(inner, depth - 1, where)
        elif isinstance(value, torch.Tensor) and not self._is_parameter(value):
            self.keep_tensor(value, where)

    def _is_parameter(self, tensor: torch.Tensor) -> bool:
        return isinstance(tensor, nn.Parameter) or id(tensor) in self._passed_over


def put_back_mapping(now: dict[Any, Any], then: Mapping[Any, Any]) -> None:
    """Give a dict the entries of another one, in their order."""
    if _same(now.values(), then.values()) and list(now) == list(then):
        return
    for key in [key for key in now if key not in then]:
        del now[key]
    for key, value in then.items():
        if key not in now or now[key] is not value:
            now[key] = value
    if list(now) != list(then):
        for key in then:
            now[key] = now.pop(key)


def _put_back_list(now: list[Any], then: list[Any]) -> None:
    if not _same(now, then):
        now[:] = then


def _put_back_set(now: set[Any], then: set[Any]) -> None:
    if now != then:
        now &= then
        now |= then


def _put_back_deque(now: deque[Any], then: deque[Any]) -> None:
    if not _same(now, then):
        now.clear()
        now.extend(then)


def _same(now: Collection[object], then: Collection[object]) -> bool:
    return len(now) == len(then) and list(map(id, now)) == list(map(id, then))


_PUT_BACK: Mapping[type, Callable[[Any, Any], None]] = {
    dict: put_back_mapping,
    OrderedDict: put_back_mapping,
    defaultdict: put_back_mapping,
    list: _put_back_list,
    set: _put_back_set,
    deque: _put_back_deque,
}
"""The containers whose contents are kept. Others (a subclass of the user's) may do more than hold when written to."""

_EMPTY: Mapping[type, Any] = {kind: kind() for kind in _PUT_BACK}

_PLAIN = frozenset({type(None), bool, int, float, str})
"""Types that most entries have, and of which there is nothing to keep."""


def _write(tensor: torch.Tensor, values: torch.Tensor) -> None:
    if tensor.is_inference():
        with torch.inference_mode():
            tensor.copy_(values)
    elif (tensor.shape, tensor.dtype, tensor.device) != (values.shape, values.dtype, values.device):
        tensor.data = values
    elif tensor.layout is not torch.strided:
        tensor.copy_(values)
    elif not _overlaps(tensor):
        tensor.detach().copy_(values)  # a detached alias: some views refuse to be written to
    elif not torch.equal(tensor, values):
        raise RuntimeError("several of its elements share one place in memory")


def _overlaps(tensor: torch.Tensor) -> bool:
    """Whether it is an expanded tensor, which cannot be written to."""
    if tensor.is_nested:
        return False
    return any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.size(), strict=True))
