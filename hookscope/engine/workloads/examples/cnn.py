"""A small CNN with random weights on one picture: kernels, feature maps and gradients to look at."""

import torch
from torch import nn

from hookscope.engine.workloads.examples.picture import draw_picture
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


class SmallCnn(nn.Module):
    """Two convolutions and two fully connected layers, for pictures of shape `(N, 3, 32, 32)` and 10 classes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(6, 9, 3, padding=1)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(576, 120)
        self.relu3 = nn.ReLU()
        self.fc2 = nn.Linear(120, 10)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        hidden: torch.Tensor = self.pool1(self.relu1(self.conv1(picture)))
        hidden = self.pool2(self.relu2(self.conv2(hidden)))
        logits: torch.Tensor = self.fc2(self.relu3(self.fc1(hidden.flatten(1))))
        return logits


def build() -> Workload:
    """Return the network on one drawn picture, with class 0 as its target."""
    with seeded():
        model = SmallCnn()
    return Workload(model, draw_picture(), targets=torch.tensor([0]), loss=nn.CrossEntropyLoss())
