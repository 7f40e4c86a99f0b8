"""Models to measure with: many hooks on little work, and the other way round."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from hookscope import Workload


class Block(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += self.shortcut(x)
        return self.relu(y)


def resnet18() -> Workload:
    """The shape of ResNet-18 on 4 images of 224 x 224."""
    widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
    strides = [1, 1, 2, 1, 2, 1, 2, 1]
    blocks = [Block(a, b, stride) for a, b, stride in zip(widths, widths[1:], strides, strict=False)]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    model = nn.Sequential(*stem, *blocks, *head)
    return Workload(model, torch.randn(4, 3, 224, 224), torch.randint(1000, (4,)), functional.cross_entropy)


def transformer() -> Workload:
    """12 encoder layers of width 256 on 4 sequences of 64."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    return Workload(nn.TransformerEncoder(layer, 12, enable_nested_tensor=False), torch.randn(4, 64, 256), loss="mean")


def tiny_linears() -> Workload:
    """200 linear layers of 16 x 16: next to no work, so nearly all is the cost of hooks."""
    return Workload(nn.Sequential(*(nn.Linear(16, 16) for _ in range(200))), torch.randn(8, 16), loss="mean")


def large_tree() -> nn.Module:
    """10,000 modules in 100 blocks."""
    return nn.Sequential(*(nn.Sequential(*(nn.Linear(2, 2, bias=False) for _ in range(99))) for _ in range(100)))
