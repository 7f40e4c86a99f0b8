"""A fault to find: the loss begins at `ln 10`, as if the digits were guessed, and hardly moves.

Planted: the classifier's prior, a bias of -4.6 by which detectors say "nothing is here" at first, was put on `hidden`.
All that this layer gives is negative, so `relu` makes zeros of it, whatever the picture.

How it shows: the output of `relu` is zero everywhere, and so are all gradients above it: grad_output of `hidden` and of
`conv`, and their parameters'. They are zeros and not absent, so nothing is cut off. Only `head.bias` learns.
"""

import torch
from torch import nn

from hookscope.engine.workloads.examples.scans import load_scans
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload

PRIOR = -4.6
"""`ln(0.01 / 0.99)`: a detector that starts from it says 1 % for every class."""


class Classifier(nn.Module):
    """Takes digits of shape `(N, 1, 8, 8)`.

    Args:
        prior: What the bias of `hidden` starts from.
    """

    def __init__(self, prior: float = PRIOR) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.hidden = nn.Linear(8 * 4 * 4, 32)
        self.relu = nn.ReLU()
        self.head = nn.Linear(32, 10)
        nn.init.constant_(self.hidden.bias, prior)

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        features = self.pool(self.conv(digits)).flatten(1)
        logits: torch.Tensor = self.head(self.relu(self.hidden(features)))
        return logits


def build() -> Workload:
    """Return the network, the scans with their labels, and an optimizer."""
    images, labels = load_scans()
    with seeded():
        model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return Workload(model, images, targets=labels, loss=nn.CrossEntropyLoss(), optimizer=optimizer)
