"""Two leaves and three operations, in a function that is no module: PyTorch frees the gradients in between."""

import torch

from hookscope.engine.workloads.workload import Workload


def product(w: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return `(w + x) * (w + 1)`."""
    a = w + x
    b = w + 1
    y = a * b
    return y  # noqa: RET504 - the lesson calls it y


def build() -> Workload:
    """Return the function at `w = 1` and `x = 2`: `y` is 6, the gradient of `w` is 5, that of `x` is 2."""
    w = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([2.0], requires_grad=True)
    return Workload(product, {"w": w, "x": x})
