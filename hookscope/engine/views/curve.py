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
    finite = values.isfinite()
    lows, highs = values.where(finite, math.inf), values.where(finite, -math.inf)
    short = -values.numel() % stride
    if short:
        lows, highs = (
            torch.nn.functional.pad(ends, (0, short), value=value)
            for ends, value in ((lows, math.inf), (highs, -math.inf))
        )
    ends = lows.view(-1, stride).amin(1), highs.view(-1, stride).amax(1)
    return ends[0].to(torch.float64), ends[1].to(torch.float64), int(torch.count_nonzero(~finite))


def _known(ends: npt.NDArray[np.float64]) -> Array:
    return Array.from_numpy(np.where(np.isinf(ends), np.nan, ends))
