"""Models that tests load by `tests.engine.models:NAME`; what they share with a test is in module globals."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from hookscope import Workload
from hookscope.protocol.workload import RunSettings

made: list[nn.Module] = []
entered = threading.Event()
go_on = threading.Event()


def small() -> Workload:
    """Two layers, a ReLU in place, and an optimizer."""
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 1))
    made.append(model)
    return Workload(model, torch.ones(2, 3), loss="mean", optimizer=torch.optim.SGD(model.parameters(), lr=0.5))


class Waiting(nn.Module):
    """Waits in its forward until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        entered.set()
        assert go_on.wait(20)
        return self.second(x)


def waiting() -> Workload:
    entered.clear()
    go_on.clear()
    model = Waiting()
    made.append(model)
    return Workload(model, torch.ones(1, 2), loss="sum")


LOOKING = RunSettings(optimizer=False, restore_state=True)
"""Steps that change nothing."""

TRAINING = RunSettings(optimizer=True)


class Stacked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def stacked() -> Workload:
    return Workload(Stacked(), torch.ones(1, 2), loss="sum")


class Threaded(nn.Module):
    """Calls two layers on two threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Linear(2, 2)
        self.right = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with ThreadPoolExecutor(2) as pool:
            made = [pool.submit(layer, x) for layer in (self.left, self.right)]
            return made[0].result() + made[1].result()


def threaded() -> Workload:
    return Workload(Threaded(), torch.ones(1, 2), loss="sum")


class Failing(nn.Module):
    def forward(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x @ scale


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.failing = Failing()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.failing(self.layer(x), scale=torch.ones(7, 7))


def failing() -> Workload:
    return Workload(Outer(), torch.ones(1, 2), loss="sum")


def no_loss() -> Workload:
    return Workload(nn.Linear(2, 3), torch.ones(4, 2))


def odd_module() -> nn.Module:
    """Nothing tells what this one takes."""
    return Failing()


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.layer = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.drop(x))


def dropping() -> Workload:
    return Workload(Dropping(), torch.ones(1, 64), loss="sum")


class BackwardRaising(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        raise RuntimeError("no way back")


class NoWayBack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return BackwardRaising.apply(self.layer(x))


def no_way_back() -> Workload:
    return Workload(NoWayBack(), torch.ones(1, 2), loss="sum")
