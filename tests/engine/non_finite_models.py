"""Models in which a NaN or an infinity is born at a known place."""

import torch
from torch import nn

from hookscope import Workload


class Forward(nn.Module):
    """`log` of zero, two modules before anyone looks."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.born = Log()
        self.after = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.after(self.born(self.layer(x)))


class Log(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        positive = x.abs()
        return torch.log(positive - positive)


def forward() -> Workload:
    return Workload(Forward(), torch.ones(1, 2), loss="sum")


class Root(nn.Module):
    """Finite forward and loss; the gradient of `sqrt` at zero is infinite, and zero times it is not a number."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2, bias=False)
        nn.init.zeros_(self.layer.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x).square().sqrt()


def backward() -> Workload:
    return Workload(Root(), torch.ones(1, 2), loss="sum")


class Masked(nn.Module):
    """A softmax over a row of which everything is masked; a mask that leaves something is no fault."""

    def __init__(self, last: float) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.last = last

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.layer(x)
        mask = torch.tensor([[True, self.last > 0]])
        return scores.masked_fill(mask, float("-inf")).softmax(-1)


def masked() -> Workload:
    return Workload(Masked(1.0), torch.ones(1, 2), loss="sum")


def partly_masked() -> Workload:
    return Workload(Masked(0.0), torch.ones(1, 2), loss=lambda output, _targets: output[:, 1].square().sum())


def bad_loss(output: torch.Tensor, _targets: object) -> torch.Tensor:
    zero = output.sum() * 0
    return zero / zero


def loss() -> Workload:
    return Workload(nn.Linear(2, 2), torch.ones(1, 2), loss=bad_loss)


def parameter() -> Workload:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    with torch.no_grad():
        model[1].bias.fill_(float("nan"))
    return Workload(model, torch.ones(1, 2), loss="sum")


def inputs() -> Workload:
    return Workload(nn.Linear(2, 2), torch.tensor([[1.0, float("inf")]]), loss="sum")


def healthy() -> Workload:
    return Workload(nn.Linear(2, 2), torch.ones(1, 2), loss="sum")
