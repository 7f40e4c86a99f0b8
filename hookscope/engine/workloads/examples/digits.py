"""A small CNN trained on scans of handwritten digits, on test images that it never saw; see `scripts/train_digits`."""

import torch
from torch import nn

from hookscope.engine.workloads.examples.scans import load_scans
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.resources import resource_path

WEIGHTS = "models/digits.pt"


class DigitsNet(nn.Module):
    """Takes digits of shape `(N, 1, 8, 8)` with ink in `[0, 1]`."""

    def __init__(self) -> None:
        super().__init__()
        # No biases here: the batch norms would take them away again.
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
            nn.Conv2d(16, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, digits: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        logits: torch.Tensor = self.classifier(self.features(digits))
        return logits


def build() -> Workload:
    """Return the trained network in training mode, 64 real test images with their labels, and an optimizer.

    Raises:
        FileNotFoundError: The weights or the images are not installed.
    """
    with seeded():
        model = DigitsNet()
    model.load_state_dict(torch.load(resource_path(WEIGHTS), map_location="cpu", weights_only=True))
    images, labels = load_scans()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return Workload(model, images, targets=labels, loss=nn.CrossEntropyLoss(), optimizer=optimizer)
