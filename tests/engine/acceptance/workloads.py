"""Workloads that the acceptance cases load by name; what they share with a test is in module globals."""

import threading

import torch
from torch import nn

from hookscope import Workload
from tests.engine.acceptance.seeing import linear

made: list[nn.Module] = []
noted: list[object] = []
"""What a model saw of itself while it ran."""
held = threading.Event()
go_on = threading.Event()


class Held(nn.Sigmoid):
    """Waits in its backward until the test lets it go on, if the test asked for that."""

    wanted = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = super().forward(x)
        if Held.wanted:
            y.register_hook(_hold)
        return y


def _hold(_gradient: torch.Tensor) -> None:
    model = made[-1]
    noted.append({name: parameter.grad is not None for name, parameter in model.named_parameters()})
    held.set()
    assert go_on.wait(30)


def held_in_backward() -> Workload:
    held.clear()
    go_on.clear()
    noted.clear()
    model = nn.Sequential(linear([[2, 0], [0, 2]]), Held(), linear([[2, 0], [0, 2]]))
    made.append(model)
    return Workload(model, torch.ones(1, 2), loss="sum")


class Noting(nn.Module):
    """Notes how often the batch norm before it has run."""

    def __init__(self, norm: nn.BatchNorm1d) -> None:
        super().__init__()
        self.watched = [norm]  # in a list, so that it is not a child

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noted.append(int(self.watched[0].num_batches_tracked))
        return x


def with_state() -> Workload:
    noted.clear()
    norm = nn.BatchNorm1d(8)
    model = nn.Sequential(nn.Linear(4, 8), norm, Noting(norm), nn.Dropout(0.5))
    made.append(model)
    return Workload(model, torch.arange(24.0).reshape(6, 4), loss="sum")


def compiled() -> Workload:
    model = nn.Sequential(linear([[2, 0], [0, 2]]), nn.ReLU())
    runs = torch.compile(model, backend="eager")
    runs(torch.ones(1, 2)).sum().backward()
    made.append(model)
    return Workload(runs, torch.ones(1, 2), loss="sum")
