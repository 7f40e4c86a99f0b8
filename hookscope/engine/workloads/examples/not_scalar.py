"""An output of two numbers: backward cannot start from it before something makes one number of them."""

import torch

from hookscope.engine.workloads.workload import Workload


def plus_two(x: torch.Tensor) -> torch.Tensor:
    """Return `x + 2`."""
    y = x + 2
    return y  # noqa: RET504 - the lesson calls it y


def build() -> Workload:
    """Return the function on ones of shape `(2, 1)`, without a loss.

    PyTorch refuses such a backward pass. To choose the sum as the loss is to start it from a gradient of ones.
    """
    return Workload(plus_two, torch.ones(2, 1, requires_grad=True))
