"""Containers of every kind: blocks that are called, lists that never are, and one layer that is called twice."""

import torch
from torch import nn

from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


class ResidualBlock(nn.Module):
    """A block whose input is added to what its inner layers make of it; features stay `(N, width)`."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        inner: torch.Tensor = self.body(features)
        return features + inner


class Containers(nn.Module):
    """Takes `(N, 8)`; the children of `blocks` and `heads` are called, `blocks` and `heads` themselves are not."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(8, 16)
        self.blocks = nn.ModuleList(ResidualBlock(16) for _ in range(2))
        self.shared = nn.Linear(16, 16)
        self.heads = nn.ModuleDict({"mean": nn.Linear(16, 4), "spread": nn.Linear(16, 4)})

    def forward(self, features: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return one tensor of shape `(N, 4)` a head."""
        hidden: torch.Tensor = self.stem(features)
        for block in self.blocks:
            hidden = block(hidden)
        hidden = self.shared(torch.tanh(self.shared(hidden)))
        return {name: head(hidden) for name, head in self.heads.items()}


def build() -> Workload:
    """Return the model on 4 rows of noise; the loss is the mean square of both heads."""
    with seeded():
        return Workload(Containers(), torch.randn(4, 8), loss="mean_square")
