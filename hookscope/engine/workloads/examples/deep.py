"""A deep network of which a person wants to see one layer, once."""

import torch
from torch import nn

from hookscope.engine.workloads.examples.picture import draw_picture
from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload

_WIDTHS = ((16, 16), (32, 32), (64, 64, 64), (96, 96, 96))


class DeepNet(nn.Module):
    """VGG's plan on a small scale: stages of 3x3 convolutions, each stage half as large as the one before.

    Takes pictures of shape `(N, 3, 32, 32)`.
    """

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        channels = 3
        for stage in _WIDTHS:
            for width in stage:
                layers.append(nn.Conv2d(channels, width, 3, padding=1, bias=False))
                layers += [nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
                channels = width
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(channels * 2 * 2, 128), nn.ReLU(inplace=True), nn.Linear(128, 10)
        )

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        """Return logits of shape `(N, 10)`."""
        logits: torch.Tensor = self.classifier(self.features(picture))
        return logits


def build() -> Workload:
    """Return the network on a drawn picture and its mirror image, with classes 0 and 1 as targets."""
    with seeded():
        model = DeepNet()
    picture = draw_picture()
    pictures = torch.cat([picture, picture.flip(-1)])
    return Workload(model, pictures, targets=torch.tensor([0, 1]), loss=nn.CrossEntropyLoss())
