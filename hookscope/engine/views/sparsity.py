"""How much of each channel is zero, and how much is at the ends of a bounded activation."""

import torch

from hookscope.engine.views.channels import share_of, take_channels
from hookscope.engine.views.sampling import send
from hookscope.protocol.views import Bars, ChannelStatistic, SparsityRequest

_MARGIN = 0.01
"""Values this near to an end of the range are saturated."""


def build_sparsity(tensor: torch.Tensor, request: SparsityRequest) -> Bars:
    """Tell the share of zeros and, of a bounded activation, of saturated values; see the request for what that is.

    Raises:
        Unreadable: See `as_real`.
    """
    channels = take_channels(tensor, request.dim, request.max_bars)
    values = channels.values
    bounds = _bounds(values) if tensor.is_floating_point() else None
    return Bars(
        values=send(share_of(values == 0)),
        dim=channels.dim,
        count=channels.count,
        stride=channels.stride,
        statistic=ChannelStatistic.ZEROS,
        saturated=send(share_of(_is_saturated(values, bounds))) if bounds is not None else None,
        bounds=bounds,
        shape=tuple(tensor.shape),
        seen=values.numel(),
        elements=channels.elements,
    )


def _bounds(values: torch.Tensor) -> tuple[float, float] | None:
    """Return the ends of the range of a bounded activation; `None` for another one, and for nothing but zeros."""
    known = values.where(values.isfinite(), 0.0)
    low, high = torch.stack(known.aminmax()).tolist()
    if low == high == 0.0 or low < -1.0 or high > 1.0:
        return None
    return (-1.0, 1.0) if low < 0.0 else (0.0, 1.0)


def _is_saturated(values: torch.Tensor, bounds: tuple[float, float]) -> torch.Tensor:
    at_an_end = values.isfinite() & (values.abs() >= 1.0 - _MARGIN)
    return at_an_end | ((values > 0.0) & (values <= _MARGIN)) if bounds[0] == 0.0 else at_an_end
