"""Small models for trials and for changes at hand, with numbers that can be followed by hand."""

import threading

import torch
from torch import nn

from hookscope import Workload
from hookscope.protocol.workload import LossChoice, RunSettings

made: list[Workload] = []
entered = threading.Event()
go_on = threading.Event()

GRADIENTS_STAY = RunSettings(loss=LossChoice.SUM, requires_grad=("args.0",), restore_state=False)
"""The gradients of a step can be looked at on the model afterwards."""


def _made(workload: Workload) -> Workload:
    made.append(workload)
    return workload


def net() -> Workload:
    """`(1, 1)` gives `(3, 7)` and then 10; the ReLU works in place."""
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU(inplace=True), nn.Linear(2, 1, bias=False))
    model[0].weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    model[2].weight.data = torch.tensor([[1.0, 1.0]])
    return _made(Workload(model, torch.ones(1, 2), loss="sum"))


class Norms(nn.Module):
    """All that a step changes besides its result: buffers, random numbers, a counter."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(4, 1)
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.last(self.drop(self.norm(self.first(x))))


def training() -> Workload:
    """Other batches in each step, and an optimizer with a state."""
    torch.manual_seed(3)
    model = Norms()
    batches = [torch.randn(8, 4) for _ in range(5)]
    return _made(Workload(model, batches, loss="mean", optimizer=torch.optim.Adam(model.parameters(), lr=0.1)))


def plain_descent() -> Workload:
    model = nn.Linear(2, 1, bias=False)
    model.weight.data = torch.tensor([[1.0, 2.0]])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    return _made(Workload(model, torch.ones(1, 2), loss="sum", optimizer=optimizer))


class TwoParts(nn.Module):
    """Uses its input twice, so that its gradient is the sum of two parts; and both of its inputs in one operation."""

    def __init__(self) -> None:
        super().__init__()
        self.twice = Twice()
        self.product = Product()
        self.scale = nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scaled = x * self.scale
        return self.product(self.twice(scaled), scaled + 1)


class Twice(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.exp() + x.sin()


class Product(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b


def two_parts() -> Workload:
    return _made(Workload(TwoParts(), torch.ones(1, 2), loss="sum"))


class InPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(x)
        x += 1
        return x


def in_place() -> Workload:
    return _made(Workload(InPlace(), torch.ones(1, 2), loss="sum"))


class Suspicious(nn.Module):
    """Gives something else when it is hooked, which is no fault of its hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) * (2 if self._forward_hooks else 1)


def suspicious() -> Workload:
    return _made(Workload(Suspicious(), torch.ones(1, 2), loss="sum"))


class Unsteady(nn.Module):
    """Gives something else each time, from a source of randomness that nothing can restore."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self._generator = torch.Generator().manual_seed(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x) + torch.rand(2, generator=self._generator)


def unsteady() -> Workload:
    return _made(Workload(Unsteady(), torch.ones(1, 2), loss="sum"))


class Waiting(nn.Module):
    """Waits in its forward until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.middle = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        entered.set()
        assert go_on.wait(20)
        return self.second(self.middle(x))


def waiting() -> Workload:
    entered.clear()
    go_on.clear()
    return _made(Workload(Waiting(), torch.ones(1, 2), loss="sum"))
