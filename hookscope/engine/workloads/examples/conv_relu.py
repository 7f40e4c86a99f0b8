"""A convolution whose output the next layer overwrites."""

from collections import OrderedDict

import torch
from torch import nn

from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


def build() -> Workload:
    """Return the three layers on noise of shape `(1, 3, 32, 32)`; the loss is the mean of the output."""
    with seeded():
        model = nn.Sequential(
            OrderedDict(
                conv=nn.Conv2d(3, 64, 3, padding=1),
                relu=nn.ReLU(inplace=True),
                pool=nn.MaxPool2d(2),
            )
        )
        return Workload(model, torch.randn(1, 3, 32, 32), loss="mean")
