"""Models on which PyTorch's own backward hooks do harm, or none; loaded by `tests.engine.preflight_models:NAME`."""

import torch
from torch import nn

from hookscope import Workload

made: list[nn.Module] = []


def workload(model: nn.Module, *inputs: torch.Tensor, loss: object = "sum") -> Workload:
    made.append(model)
    return Workload(model, inputs, loss=loss)


def rows() -> torch.Tensor:
    return torch.arange(6.0).reshape(2, 3)


def calm() -> Workload:
    return workload(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1)), rows())


def in_place() -> Workload:
    return workload(nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3), nn.Linear(3, 1)), rows())


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Linear(3, 3)
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        out = self.branch(x)
        out += x
        return self.last(out)


def residual() -> Workload:
    return workload(Residual(), rows())


class Doubling(nn.Module):
    def forward(self, x):
        x.mul_(2)
        return x.exp()


def writes_to_input() -> Workload:
    return workload(nn.Sequential(nn.Linear(3, 3), Doubling()), rows())


class Largest(nn.Module):
    def forward(self, x):
        return x.max(1)


class OfLargest(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.largest = Largest()

    def forward(self, x):
        return self.largest(self.layer(x)).values


def structseq() -> Workload:
    return workload(OfLargest(), rows())


class Boxing(nn.Module):
    def forward(self, x):
        return iter([x])


class OfBox(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.boxing = Boxing()

    def forward(self, x):
        return next(self.boxing(self.layer(x)))


def no_tensor() -> Workload:
    return workload(OfBox(), rows())


class First(nn.Module):
    def forward(self, a, b):
        return a * 2


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(3, 1)
        self.other = nn.Linear(3, 1)
        self.first = First()

    def forward(self, x):
        return self.first(self.one(x), self.other(x))


def unused() -> Workload:
    return workload(Unused(), rows())


class Transformed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return torch.func.vmap(self.layer)(x)


def transformed() -> Workload:
    return workload(Transformed(), rows())


class Forgetful(nn.Module):
    """Counts its calls in a place that nobody puts back."""

    calls = 0

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        Forgetful.calls += 1
        return self.layer(x) * Forgetful.calls


def forgetful() -> Workload:
    return workload(Forgetful(), rows())


def lazy() -> Workload:
    return workload(nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 1)), rows())


class Picky(nn.Module):
    def forward(self, x):
        if x.grad_fn is not None and x.grad_fn.name().startswith("BackwardHook"):
            raise ValueError("no hooks, please")
        return x * 2


def picky() -> Workload:
    return workload(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), Picky(), nn.Linear(3, 1)), rows())


class Broken(nn.Module):
    def forward(self, x):
        raise ValueError("broken")


def broken() -> Workload:
    return workload(Broken(), rows())
