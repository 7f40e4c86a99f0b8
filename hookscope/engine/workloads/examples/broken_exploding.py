"""A fault to find: the loss begins at an ordinary number and leaps up from step to step.

Planted: the weights of the blocks are drawn with a spread of 1, which is what `nn.init.normal_` does when it is not
told any other. For 64 inputs it should be 0.125 (`1 / sqrt(64)`); then the network learns.

How it shows: forward there is little to see, `tanh` keeps what each block adds small. Backward, in the first step
already, the norm of grad_output grows at each of the sixteen blocks, from the last one, where it is 0.1, to the first,
and is above 1000 at `stem`. The gradients of the blocks' weights grow with it, and the optimizer follows them much too
far.
"""

import torch
from torch import nn

from hookscope.engine.workloads.examples.scans import load_scans
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload

WIDTH = 64
DEPTH = 16
SPREAD = 1.0


class Block(nn.Module):
    """Adds to features of shape `(N, 64)` what a fully connected layer makes of them."""

    def __init__(self, spread: float) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.tanh = nn.Tanh()
        nn.init.normal_(self.linear.weight, std=spread)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        added: torch.Tensor = self.tanh(self.linear(features))
        return features + added


class DeepClassifier(nn.Module):
    """Takes digits of shape `(N, 1, 8, 8)`.

    Args:
        spread: Standard deviation of the blocks' weights as they are drawn.
    """

    def __init__(self, spread: float = SPREAD) -> None:
        super().__init__()
        self.stem = nn.Linear(8 * 8, WIDTH)
        self.blocks = nn.Sequential(*(Block(spread) for _ in range(DEPTH)))
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        logits: torch.Tensor = self.head(self.blocks(self.stem(digits.flatten(1))))
        return logits


def build() -> Workload:
    """Return the network, the scans with their labels, and an optimizer."""
    images, labels = load_scans()
    with seeded():
        model = DeepClassifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    return Workload(model, images, targets=labels, loss=nn.CrossEntropyLoss(), optimizer=optimizer)
