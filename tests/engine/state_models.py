"""Models whose steps leave traces, loaded by `tests.engine.state_models:NAME`; those made are in `made`."""

import random

import numpy as np
import torch
from torch import nn

from hookscope import Workload

made: list[Workload] = []


def _kept(workload: Workload) -> Workload:
    made.append(workload)
    return workload


def normed() -> Workload:
    """BatchNorm and Dropout in train mode, no optimizer."""
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1)).train()
    return _kept(Workload(model, torch.randn(4, 8), loss="sum"))


def trained() -> Workload:
    """The same with an optimizer that has a state."""
    workload = normed()
    workload.optimizer = torch.optim.Adam(workload.model.parameters(), lr=0.1)
    return workload


class Drawing(nn.Module):
    """Draws from every generator, counts its calls, and remembers what it saw."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.calls = 0
        self.seen: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.seen.append(x)
        return self.layer(x) * random.random() * float(np.random.rand()) * torch.rand(())


def drawing() -> Workload:
    return _kept(Workload(Drawing(), torch.ones(1, 2), loss="sum"))


class Momentum(nn.Module):
    """Writes to a parameter in its forward pass, as a momentum encoder does."""

    def __init__(self) -> None:
        super().__init__()
        self.online = nn.Linear(2, 1)
        self.target = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.target.weight.mul_(0.5)
        return self.online(x) + self.target(x)


def momentum() -> Workload:
    return _kept(Workload(Momentum(), torch.ones(1, 2), loss="sum"))


class Breaking(nn.Module):
    """Changes what it can reach, then raises."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.norm(x)
        self.eval()
        torch.rand(3)
        raise RuntimeError("half way")


def breaking() -> Workload:
    return _kept(Workload(Breaking(), torch.ones(3, 2), loss="sum"))


class Doubling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def wide() -> Workload:
    """Three modules without parameters; each doubles 64 numbers, and none of their gradients is wanted."""
    return _kept(Workload(nn.Sequential(Doubling(), Doubling(), Doubling()), torch.ones(8, 8), loss=_with_gradient))


def _with_gradient(output: torch.Tensor) -> torch.Tensor:
    return output.sum() * torch.ones((), requires_grad=True)
