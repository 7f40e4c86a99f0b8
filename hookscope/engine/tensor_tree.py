"""Leaves of nested inputs and outputs, by the paths under which the window shows them."""

import dataclasses
from collections.abc import Iterator, Mapping

import torch

MAX_DEPTH = 8


def leaves(value: object, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield every tensor of a nested value with its path, in order.

    Mappings, lists, tuples (named ones and structseqs too) and dataclasses are entered; anything else is not, so that
    a generator still has all its items afterwards. A container that holds itself is entered once.

    Args:
        value: What a module was given or returned.
        path: Path of `value` itself, for example `out`.
    """
    if isinstance(value, torch.Tensor):
        yield path, value
    else:
        yield from _inner(value, path, 0, set())


def _inner(value: object, path: str, depth: int, entered: set[int]) -> Iterator[tuple[str, torch.Tensor]]:
    children = _children(value)
    if children is None or depth > MAX_DEPTH or id(value) in entered:
        return
    entered.add(id(value))
    for key, child in children:
        child_path = f"{path}.{key}"
        if isinstance(child, torch.Tensor):
            yield child_path, child
        else:
            yield from _inner(child, child_path, depth + 1, entered)


def _children(value: object) -> list[tuple[object, object]] | None:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return None


def argument_leaves(args: tuple[object, ...], kwargs: Mapping[str, object]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of a call: `args.0`, ..., then `kwargs.NAME`, ..."""
    for index, value in enumerate(args):
        if isinstance(value, torch.Tensor):
            yield (_ARGUMENTS[index] if index < len(_ARGUMENTS) else f"args.{index}"), value
        elif value is not None:
            yield from _inner(value, f"args.{index}", 1, set())
    if kwargs:
        yield from leaves(kwargs, "kwargs")


_ARGUMENTS = tuple(f"args.{index}" for index in range(16))
"""Made once: most calls have few arguments, and there are many calls."""
