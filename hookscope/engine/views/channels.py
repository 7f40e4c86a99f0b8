"""A number for each channel."""

import math
from dataclasses import dataclass

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.census import scale_for
from hookscope.engine.views.sampling import FULL_ELEMENTS, send, thinned
from hookscope.protocol.views import Bars, ChannelsRequest, ChannelStatistic

MAX_BARS = 4096
"""Bars, whatever is asked for."""


@dataclass(frozen=True)
class Channels:
    """The channels that are shown, with as many of their values as can be looked at at once.

    Attributes:
        values: `(channels, values)`, contiguous float64.
        dim: The dim of the channels.
        count: Channels of the tensor.
        stride: Every how many-th is here.
        elements: Elements of these channels, of which `values` may be a sample.
    """

    values: torch.Tensor
    dim: int
    count: int
    stride: int
    elements: int


def take_channels(tensor: torch.Tensor, dim: int | None, max_bars: int) -> Channels:
    """Take the channels along a dim; `None`, or one that is not there, is that before the last two, or the last one.

    Raises:
        Unreadable: See `as_real`.
    """
    lines = tensor if tensor.dim() else tensor[None]
    if dim is None or not 0 <= dim < lines.dim():
        dim = lines.dim() - 3 if lines.dim() > 2 else lines.dim() - 1
    channels = lines.movedim(dim, 0)
    stride = math.ceil(channels.size(0) / min(max(max_bars, 1), MAX_BARS))
    shown = channels[::stride]
    values = as_real(thinned(shown, FULL_ELEMENTS, keep=(0,))).to(torch.float64)
    # In one order whatever the memory's, so that sums are the same.
    values = values.reshape(values.size(0), -1).contiguous()
    return Channels(values, dim, channels.size(0), stride, shown.numel())


def build_channels(tensor: torch.Tensor, request: ChannelsRequest) -> Bars:
    """Measure every channel; of very large ones, a sample of their values.

    Raises:
        Unreadable: See `as_real`.
    """
    channels = take_channels(tensor, request.dim, request.max_bars)
    return Bars(
        values=send(_measure(channels.values, request.statistic)),
        dim=channels.dim,
        count=channels.count,
        stride=channels.stride,
        statistic=request.statistic,
        shape=tuple(tensor.shape),
        seen=channels.values.numel(),
        elements=channels.elements,
    )


def share_of(mask: torch.Tensor) -> torch.Tensor:
    """Return which share of each row is set, from 0 to 1."""
    return mask.to(torch.float64).mean(dim=1)


def _measure(values: torch.Tensor, statistic: ChannelStatistic) -> torch.Tensor:
    match statistic:
        case ChannelStatistic.ZEROS:
            return share_of(values == 0)
        case ChannelStatistic.NAN:
            return share_of(values.isnan())
        case ChannelStatistic.MAXIMUM:
            return _known(values.where(values.isfinite(), -torch.inf).amax(dim=1))
        case ChannelStatistic.MINIMUM:
            return _known(values.where(values.isfinite(), torch.inf).amin(dim=1))
        case _:
            return _moment(values, statistic)


def _known(ends: torch.Tensor) -> torch.Tensor:
    return ends.where(ends.isfinite(), torch.nan)


def _moment(values: torch.Tensor, statistic: ChannelStatistic) -> torch.Tensor:
    finite = values.isfinite()
    counts = finite.sum(dim=1).to(torch.float64)
    known = values.where(finite, 0.0)
    scale = scale_for(known.abs().amax().item())
    known = known / scale
    mean = known.sum(dim=1) / counts
    if statistic is ChannelStatistic.MEAN:
        return mean * scale
    if statistic is ChannelStatistic.NORM:
        return _norms(known).where(counts > 0, torch.nan) * scale
    return _norms((known - mean[:, None]).where(finite, 0.0)) / counts.sqrt() * scale


def _norms(rows: torch.Tensor) -> torch.Tensor:
    norms: torch.Tensor = torch.linalg.vector_norm(rows, dim=1)
    return norms
