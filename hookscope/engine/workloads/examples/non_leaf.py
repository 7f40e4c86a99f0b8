"""Three leaves and two tensors in between, whose gradients only hooks can see."""

import torch

from hookscope.engine.workloads.workload import Workload


def weighted_sum(a: torch.Tensor, b: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
    """Return the sum of `(a + b) * d`."""
    c = a + b
    e = c * d
    o = e.sum()
    return o  # noqa: RET504 - the lesson calls it o


def build() -> Workload:
    """Return the function at `a = [1, 2]`, `b = [3, 4]`, `d = [2]`: the gradient is 2 at `c` and 1 at `e`."""
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    d = torch.tensor([2.0], requires_grad=True)
    return Workload(weighted_sum, {"a": a, "b": b, "d": d})
