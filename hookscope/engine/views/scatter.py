"""The values of two tensors against each other."""

import torch

from hookscope.engine.views.refusal import Refusal
from hookscope.engine.views.sampling import every, odd_stride, send
from hookscope.protocol.views import NoPictureReason, Points, ScatterRequest

MAX_POINTS = 1 << 20


def build_scatter(tensor: torch.Tensor, request: ScatterRequest, other: torch.Tensor) -> Points:
    """Pair the elements of two tensors in the order of the flattened tensors, or every so many-th of them.

    Raises:
        Refusal: They have not equally many elements.
        Unreadable: See `as_real`.
    """
    if tensor.numel() != other.numel():
        detail = f"one has {tensor.numel():,} elements, the other {other.numel():,}"
        raise Refusal(NoPictureReason.MISMATCH, detail)
    stride = odd_stride(tensor.numel(), min(request.max_points, MAX_POINTS))
    x = every(tensor, stride).to(torch.float64)
    y = every(other, stride).to(torch.float64).to(x.device)
    finite = x.isfinite() & y.isfinite()
    places = torch.arange(0, tensor.numel(), stride, device=x.device)
    return Points(
        x=send(x[finite]),
        y=send(y[finite]),
        places=send(places[finite]),
        count=tensor.numel(),
        stride=stride,
        non_finite=x.numel() - int(torch.count_nonzero(finite)),
        shape=tuple(tensor.shape),
        seen=x.numel(),
        elements=tensor.numel(),
    )
