"""Values over the index, or the envelope of a long tensor."""

import math

import numpy as np
import numpy.typing as npt
import torch

from hookscope.engine.convert import CHUNK_ELEMENTS, as_real
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import Curve, CurveRequest


def build_curve(tensor: torch.Tensor, request: CurveRequest) -> Curve:
    """Take the smallest and the largest finite value of each run of equally many elements (the last may be shorter).

    Raises:
        Unreadable: See `as_real`.
    """
    flat = tensor.reshape(-1)
    count = flat.numel()
    stride = math.ceil(count / max(request.max_points, 1))
    if stride == 1:
        values = as_real(flat).to(torch.float64).cpu().numpy()
        finite = np.isfinite(values)
        points = Array.from_numpy(np.where(finite, values, np.nan))
        return Curve(points, points, 1, count, int(np.count_nonzero(~finite)))
    # Whole runs to a chunk, so that no run is cut in two.
    size = max(1, CHUNK_ELEMENTS // stride) * stride
    parts = [_envelope(as_real(chunk), stride) for chunk in torch.split(flat, size)]
    low, high = (torch.cat(ends).cpu().numpy() for ends in zip(*(part[:2] for part in parts), strict=True))
    return Curve(_known(low), _known(high), stride, count, sum(part[2] for part in parts))


def _envelope(values: torch.Tensor, stride: int) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Return the ends of each run, float64 and infinite where a run has no finite value, and the values left out."""
    short = -values.numel() % stride
    # The last value once more changes no end.
    runs = torch.cat((values, values[-1:].expand(short))).view(-1, stride)
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
