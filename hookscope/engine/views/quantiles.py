"""Quantiles of the finite values."""

import numpy as np
import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.census import take_census
from hookscope.engine.views.sampling import SAMPLE_ELEMENTS, thinned
from hookscope.protocol.views import Quantiles, QuantilesRequest


def build_quantiles(tensor: torch.Tensor, request: QuantilesRequest) -> Quantiles:
    """Look at the values, or of very many at a sample; extremes and non-finite counts are always of all elements.

    Levels outside 0 ... 1 become the nearer of the two, NaN the lower one.

    Raises:
        Unreadable: See `as_real`.
    """
    nan = pos_inf = neg_inf = 0
    lows: list[float] = []
    highs: list[float] = []
    for part in take_census(tensor):
        nan, pos_inf, neg_inf = nan + part.nan, pos_inf + part.pos_inf, neg_inf + part.neg_inf
        if part.low is not None and part.high is not None:
            lows.append(part.low)
            highs.append(part.high)
    seen = as_real(thinned(tensor, SAMPLE_ELEMENTS)).reshape(-1)
    finite = torch.masked_select(seen, seen.isfinite()) if nan or pos_inf or neg_inf else seen
    return Quantiles(
        levels=request.levels,
        values=_at(finite, request.levels) if finite.numel() else (),
        minimum=min(lows, default=None),
        maximum=max(highs, default=None),
        nan=nan,
        pos_inf=pos_inf,
        neg_inf=neg_inf,
        seen=seen.numel(),
        count=tensor.numel(),
    )


def _at(values: torch.Tensor, levels: tuple[float, ...]) -> tuple[float, ...]:
    last = values.numel() - 1
    wanted = torch.tensor(levels, dtype=torch.float64, device=values.device).nan_to_num(0.0).clamp(0.0, 1.0) * last
    below = wanted.floor().to(torch.int64)
    low, high = _in_order(values, torch.stack([below, (below + 1).clamp(max=last)])).to(torch.float64)
    share = wanted - below
    # Not `low + share * (high - low)`, whose difference may overflow; and equal neighbours are not to be rounded.
    between = low * (1.0 - share) + high * share
    return tuple(torch.where(low == high, low, between).tolist())


def _in_order(values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return the values that would stand at some places if all were sorted."""
    if values.device.type != "cpu":
        return values.sort().values[places]
    # Several times as fast as to sort all of them, and torch's own threads are left to the step that runs.
    parted = np.partition(values.numpy(), np.unique(places.numpy()))
    return torch.from_numpy(parted[places.numpy()])
