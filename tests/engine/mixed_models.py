"""A model that tests load by `tests.engine.mixed_models:mixed`: what flows through it is not always a tensor."""

import torch
from torch import nn

from hookscope import Workload


class Counting(nn.Module):
    """Returns another int in each step."""

    calls = 0

    def forward(self, x: torch.Tensor, flag: bool = False, size: tuple[int, ...] = ()) -> int:
        Counting.calls += 1
        return Counting.calls


class Nesting(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)


class Shaping(nn.Module):
    """Returns a tensor of which there is only the shape."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.to("meta")


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.counting = Counting()
        self.nesting = Nesting()
        self.shaping = Shaping()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> tuple[None, torch.Tensor]:
        self.counting(x, True, size=(2, 3))
        self.nesting(x)
        self.shaping(x)
        return None, self.layer(x)


def mixed() -> Workload:
    return Workload(Mixed(), torch.ones(1, 2), loss=lambda output, _targets: output[1].sum())
