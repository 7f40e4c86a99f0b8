"""Compiled models, loaded by `tests.engine.compiled_models:NAME`; `graphs` has what the compiler captured."""

import torch
from torch import fx, nn

from hookscope import Workload

made: list[nn.Module] = []
graphs: list[fx.Graph] = []


def _remember(captured: fx.GraphModule, _inputs: list[torch.Tensor]) -> fx.GraphModule:
    graphs.append(captured.graph)
    return captured


def _workload(model: nn.Module) -> Workload:
    made.append(model)
    return Workload(model, torch.ones(3, 2), loss="sum")


def _plain() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 2), nn.ReLU())


def compiled_and_run() -> Workload:
    """Compiled and run before anything is checked."""
    model = torch.compile(_plain(), backend="eager")
    model(torch.ones(3, 2))
    return _workload(model)


def whole() -> Workload:
    """Wrapped as a whole; a break in its graph is an error."""
    return _workload(torch.compile(_plain(), backend=_remember, fullgraph=True))


def whole_in_place() -> Workload:
    model = _plain()
    model.compile(backend=_remember, fullgraph=True)
    return _workload(model)


class Outer(nn.Module):
    """A model of which a part is compiled."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.before = nn.Linear(2, 2)
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(self.before(x))


def part() -> Workload:
    return _workload(Outer(torch.compile(_plain(), backend=_remember, fullgraph=True)))


def part_in_place() -> Workload:
    inner = _plain()
    inner.compile(backend=_remember, fullgraph=True)
    return _workload(Outer(inner))


class Bypassing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.unused = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def bypassing() -> Workload:
    return _workload(torch.compile(Bypassing(), backend="eager"))
