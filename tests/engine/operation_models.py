"""Models that tests of operations load by `tests.engine.operation_models:NAME`."""

import threading

import torch
from torch import nn
from torch.nn import functional

from hookscope import Workload

made: list[nn.Module] = []
entered = threading.Event()


def half_free() -> Workload:
    """A function of one leaf and one input."""
    return Workload(
        lambda w, x: w * x, {"w": torch.tensor([2.0], requires_grad=True), "x": torch.full((2,), 3.0)}, loss="sum"
    )


class Stateful(nn.Module):
    """Draws random numbers, counts its calls, and has running averages."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return functional.dropout(self.norm(x), 0.5) * self.calls


def stateful() -> Workload:
    made.append(Stateful())
    return Workload(made[-1], (torch.full((2, 2), float(number)) for number in (1, 2)), loss="sum")


class Endless(nn.Module):
    """Runs operations until it is stopped."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while True:
            x = x * 1
            entered.set()


def endless() -> Workload:
    entered.clear()
    made.append(Endless())
    return Workload(made[-1], torch.ones(1))
