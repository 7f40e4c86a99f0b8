"""How alike the rows of a plane are."""

import math

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.planes import pick, to_pixels
from hookscope.engine.views.refusal import wrong_rank
from hookscope.engine.views.sampling import FULL_ELEMENTS, thinned
from hookscope.protocol.views import CosineRequest, Image

MAX_ROWS = 1024


def build_cosine(tensor: torch.Tensor, request: CosineRequest) -> Image:
    """Draw the cosine between each two rows, from -1 to 1; of very long rows, that of a sample of their values.

    Both sides of the picture are the entries of `axes.rows`. A row of zeros has no direction, and one with a value that
    is not finite neither: their pixels are NaN.

    Raises:
        Refusal: The tensor has fewer than two dims.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 2:
        raise wrong_rank("a similarity of rows needs 2 dims or more", tensor.dim())
    axes = request.axes.resolved(tensor.shape)
    plane = pick(tensor, axes)
    stride = math.ceil(plane.size(0) / min(max(request.max_rows, 1), MAX_ROWS))
    rows = as_real(thinned(plane[::stride], FULL_ELEMENTS, keep=(0,))).to(torch.float64).contiguous()
    peaks = rows.abs().amax(dim=1, keepdim=True)
    # Divided by the peak first, so that no square overflows or vanishes. 0 / 0 and NaN end as NaN.
    units = rows / peaks
    units = units / torch.linalg.vector_norm(units, dim=1, keepdim=True)
    pixels = to_pixels((units @ units.T).clamp(-1.0, 1.0))
    return Image(
        pixels=pixels.values,
        mask=pixels.mask,
        low=pixels.low,
        high=pixels.high,
        rows=plane.size(0),
        columns=plane.size(0),
        row_stride=stride,
        column_stride=stride,
        shape=tuple(tensor.shape),
        axes=axes,
        seen=rows.numel(),
        count=plane.numel(),
    )
