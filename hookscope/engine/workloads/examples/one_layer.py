"""One layer on which every number can be worked out in the head: 5 inputs of 1, weights of 2, a target of 0."""

import torch
from torch import nn

from hookscope.engine.workloads.examples.seeded import seeded
from hookscope.engine.workloads.workload import Workload


def build() -> Workload:
    """Return `Linear(5, 1)` on `ones(5)` without a batch dimension; the output is 10, and so is the L1 loss."""
    with seeded():
        model = nn.Linear(5, 1)
    nn.init.constant_(model.weight, 2.0)
    nn.init.zeros_(model.bias)
    return Workload(model, torch.ones(5), targets=torch.zeros(1), loss=nn.L1Loss())
