"""Small words for the acceptance cases: exact layers, and what an observation has seen, as lists."""

import pytest
import torch
from torch import nn

import hookscope
from hookscope.engine.observe import Observation

TWO = [[2.0, 0.0], [0.0, 2.0]]


def linear(weight: list[list[float]]) -> nn.Linear:
    """Return a Linear without bias and with this weight."""
    values = torch.tensor(weight)
    layer = nn.Linear(values.shape[1], values.shape[0], bias=False)
    with torch.no_grad():
        layer.weight.copy_(values)
    return layer


def leaf_tensor(values: object) -> torch.Tensor:
    """Return a float tensor that asks for a gradient, as a user's own input does."""
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def value(seen: Observation, path: str, slot: str, leaf: str | None = None, call: int = 0) -> object:
    return seen.tensor(path, slot, call, leaf).tolist()


def badges(seen: Observation, path: str, slot: str, leaf: str | None = None, call: int = 0) -> tuple[str, ...]:
    """Return the badges of the newest record of a slot (of a leaf)."""
    found = [
        record
        for record in seen.records()
        if (record.path, record.slot, record.call) == (path, slot, call) and leaf in {None, record.leaf}
    ]
    return found[-1].badges


def arrived(seen: Observation, path: str, slot: str) -> list[tuple[int, str]]:
    """Return call and leaf of what has a value, in the order in which it came."""
    return [
        (record.call, record.leaf)
        for record in seen.records()
        if (record.path, record.slot) == (path, slot) and record.shape is not None
    ]


def absence(seen: Observation, path: str, slot: str, leaf: str | None = None, call: int = 0) -> str:
    """Return the reason for which there is no value."""
    with pytest.raises(hookscope.NotCaptured) as caught:
        seen.tensor(path, slot, call, leaf)
    return str(caught.value)
