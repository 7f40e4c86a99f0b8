"""A fault to find: the first loss is an ordinary number, and every loss after it is NaN.

Planted: `distances` takes a bare square root. Each digit's distance to itself is `sqrt(0)`, which is fine forward; but
there the root's gradient is infinite, it meets a gradient of zero, and `0 * inf` is NaN. With a small number under the
root, or `torch.cdist`, it would not happen.

How it shows: in the first step all is finite forward, and so is grad_output of `distances`. Its grad_input is the
first thing with a NaN; the layers of `encoder` only pass it on. The optimizer then writes it into their weights.
"""

import torch
from torch import nn

from hookscope.engine.workloads.examples.scans import load_scans
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


class PairDistances(nn.Module):
    """Takes points of shape `(N, D)` and measures from each to each."""

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        """Return distances of shape `(N, N)`."""
        apart = points[:, None] - points[None]
        return torch.sqrt(apart.square().sum(-1))


class DigitMap(nn.Module):
    """Puts digits of shape `(N, 1, 8, 8)` on a map with 8 dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(16 * 4 * 4, 8),
        )
        self.distances = PairDistances()

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return the distances on the map, of shape `(N, N)`."""
        distances: torch.Tensor = self.distances(self.encoder(digits))
        return distances


def contrastive_loss(distances: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Draw equal digits together, and others apart until their distance is 1.

    Args:
        distances: From each to each, of shape `(N, N)`.
        labels: The digits, of shape `(N,)`.
    """
    equal = labels[:, None] == labels[None]
    return torch.where(equal, distances.square(), torch.relu(1 - distances).square()).mean()


def build() -> Workload:
    """Return the network, the scans with their labels, and an optimizer."""
    images, labels = load_scans()
    with seeded():
        model = DigitMap()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return Workload(model, images, targets=labels, loss=contrastive_loss, optimizer=optimizer)
