"""A fault to find: the loss falls and nothing is wrong at first sight, but one of two branches never learns.

Planted: what the branch `outline` returns is detached, a line that came along from code that drew it. The values stay
the same, so the forward pass shows nothing; backward, no gradient gets past it.

How it shows: the layers of `outline` have outputs, but neither grad_output nor gradients of their parameters, as those
of `strokes` beside it have. They are absent, not zero as behind a dead ReLU.
"""

import torch
from torch import nn

from hookscope.engine.workloads.examples.scans import load_scans
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


class Branch(nn.Module):
    """A convolution, a ReLU and a pooling: from `(N, 1, 8, 8)` to `(N, 8, 4, 4)`.

    Args:
        size: Side of the kernels, an odd number of pixels.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, size, padding=size // 2)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return features."""
        features: torch.Tensor = self.pool(self.relu(self.conv(digits)))
        return features


class TwoBranches(nn.Module):
    """Looks at digits of shape `(N, 1, 8, 8)` closely and from afar."""

    def __init__(self) -> None:
        super().__init__()
        self.strokes = Branch(3)
        self.outline = Branch(7)
        self.head = nn.Linear(2 * 8 * 4 * 4, 10)

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        strokes = self.strokes(digits)
        outline = self.outline(digits).detach()
        logits: torch.Tensor = self.head(torch.cat([strokes, outline], 1).flatten(1))
        return logits


def build() -> Workload:
    """Return the network, the scans with their labels, and an optimizer."""
    images, labels = load_scans()
    with seeded():
        model = TwoBranches()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return Workload(model, images, targets=labels, loss=nn.CrossEntropyLoss(), optimizer=optimizer)
