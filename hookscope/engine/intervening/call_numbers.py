"""Numbers the calls of modules; a call that backward runs again counts as the one that it repeats.

Checkpointing runs a segment a second time inside of backward. What was done to its first run must be done to the second
one too, or the gradients are those of another function. Which call of a module that is called several times is repeated
shows in what it is called with.
"""

import itertools
import threading
from collections.abc import Mapping
from typing import NamedTuple

import torch

from hookscope.engine.compat import inside_backward
from hookscope.engine.convert import Unreadable, dense, quiet

_SAMPLES = 256
"""Elements of an input that are compared, besides the sum of all."""


class Numbered(NamedTuple):
    """A call of a module within a step.

    Attributes:
        entry: Number of the entry into the module, as captures count them.
        number: Number of the call, which is that of the repeated one for a repetition.
    """

    entry: int
    number: int


class _Calls:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.entries = itertools.count()
        self.contents: list[object] = []
        self.repetitions: list[int] = []


class CallNumbers:
    """The calls of one step, by module."""

    def __init__(self) -> None:
        self._of: dict[str, _Calls] = {}

    def take(self, path: str, inputs: Mapping[str, torch.Tensor], *, compare: bool) -> Numbered:
        """Number a call that begins.

        Args:
            path: The module.
            inputs: What it is called with.
            compare: Whether it matters which call is repeated, should backward run one again.
        """
        calls = self._of.setdefault(path, _Calls())
        content = [_content(tensor) for tensor in inputs.values()] if compare else None
        with calls.lock:
            entry = next(calls.entries)
            if inside_backward() and calls.contents:
                number = _repeated(calls, content)
                calls.repetitions[number] += 1
            else:
                number = len(calls.contents)
                calls.contents.append(content)
                calls.repetitions.append(0)
        return Numbered(entry, number)

    def count(self, path: str) -> int:
        """Return how many calls a module had, without repetitions."""
        calls = self._of.get(path)
        return len(calls.contents) if calls is not None else 0


def _repeated(calls: _Calls, content: object) -> int:
    """Return which call is repeated: one of the same inputs; of several, the last that was repeated least."""
    numbers = range(len(calls.contents))
    same = [number for number in numbers if calls.contents[number] == content] or list(numbers)
    return min(same, key=lambda number: (calls.repetitions[number], -number))


def _content(tensor: torch.Tensor) -> tuple[object, ...]:
    """Return something that equal tensors have in common and others hardly do. Waits for a CUDA device."""
    kind = (tuple(tensor.shape), tensor.dtype) if not tensor.is_nested else (tensor.dtype,)
    try:
        values = dense(tensor)
        with quiet(values):
            flat = (torch.view_as_real(values.resolve_conj()) if values.is_complex() else values).reshape(-1)
            sample = flat[:: max(1, flat.numel() // _SAMPLES)].to(torch.float64)
            total = flat.sum(dtype=torch.float64).reshape(1)
            return (*kind, torch.cat([sample, total]).cpu().numpy().tobytes())
    except (Unreadable, RuntimeError):
        return kind
