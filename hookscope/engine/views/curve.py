"""Values over the index, or the envelope of a long tensor."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from hookscope.engine.convert import CHUNK_ELEMENTS, as_real
from hookscope.engine.progress import looked_at
from hookscope.engine.views.sampling import SAMPLE_ELEMENTS, every, odd_stride, parts_in_order
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Curve, CurveRequest

FULL_ELEMENTS = 1 << 26
"""Up to here all elements are looked at: to find the ends of runs takes little more than to read them."""


def build_curve(tensor: torch.Tensor, request: CurveRequest) -> Curve:
    """Take the smallest and the largest finite value of each run of equally many elements (the last may be shorter).

    Raises:
        Unreadable: See `as_real`.
    """
    count = tensor.numel()
    points = max(request.max_points, 1)
    if count <= points:
        values = as_real(tensor.reshape(-1)).to(torch.float64).cpu().numpy()
        finite = np.isfinite(values)
        packed = Array.from_numpy(np.where(finite, values, np.nan))
        return Curve(packed, packed, 1, count, int(np.count_nonzero(~finite)), count)
    gap = 1 if request.exact or count <= FULL_ELEMENTS else odd_stride(count, SAMPLE_ELEMENTS)
    seen = every(tensor, gap) if gap > 1 else tensor
    run = math.ceil(seen.numel() / points)
    parts = [_envelope(values, run) for values in _whole_runs(seen, run)]
    low, high = (torch.cat(ends).cpu().numpy() for ends in zip(*(part[:2] for part in parts), strict=True))
    left_out = sum(part[2] for part in parts)
    return Curve(_known(low), _known(high), run * gap, count, left_out, seen.numel())


def _whole_runs(tensor: torch.Tensor, run: int) -> Iterator[torch.Tensor]:
    """Yield the flattened tensor in parts that cut no run in two."""
    rest = as_real(tensor.new_empty(0))
    for part in parts_in_order(tensor, max(1, CHUNK_ELEMENTS // run) * run):
        values = as_real(part)
        looked_at(part.numel())
        if rest.numel():
            values = torch.cat((rest, values))
        whole = values.numel() // run * run
        if whole:
            yield values[:whole]
        rest = values[whole:]
    if rest.numel():
        yield rest


def _envelope(values: torch.Tensor, run: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return the ends of each run, float64 and infinite where a run has no finite value, and the values left out."""
    short = -values.numel() % run
    # The last value once more changes no end.
    runs = (torch.cat((values, values[-1:].expand(short))) if short else values).view(-1, run)
    lows, highs = runs.aminmax(dim=1)
    left_out = 0
    # Of a run with NaN both ends are NaN, so that the ends tell whether all is finite, as is usual.
    if not (lows.isfinite() & highs.isfinite()).all():
        finite = runs.isfinite()
        lows, highs = runs.where(finite, math.inf).amin(1), runs.where(finite, -math.inf).amax(1)
        left_out = int(torch.count_nonzero(~values.isfinite()))
    return lows.to(torch.float64), highs.to(torch.float64), left_out


def _known(ends: npt.NDArray[np.float64]) -> Array:
    return Array.from_numpy(np.where(np.isinf(ends), np.nan, ends))
