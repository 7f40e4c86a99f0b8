"""Three channels as colours."""

import math

import numpy as np
import numpy.typing as npt
import torch
from msgspec import structs

from hookscope.engine.convert import as_real
from hookscope.engine.views.planes import clamp, pick, side_strides, to_pixels
from hookscope.engine.views.refusal import wrong_rank
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import RgbImage, RgbRequest

_BRIGHTEST = 255
_MIDDLE = 128


def build_rgb(tensor: torch.Tensor, request: RgbRequest) -> RgbImage:
    """Draw three entries of a dim as red, green and blue, all three between the same two values.

    Entries that are not there become the nearest ones. When both ends are equal, values there are mid-grey.

    Raises:
        Refusal: The tensor has fewer than three dims.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 3:
        raise wrong_rank("a picture in colours needs 3 dims or more", tensor.dim())
    axes = structs.replace(request.axes, tiles=request.channels).resolved(tensor.shape, with_tiles=True)
    planes = pick(tensor, axes)
    red, green, blue = (clamp(entry, planes.size(0)) for entry in request.picks)
    row_stride, column_stride = side_strides(planes, request.max_side)
    thin = planes[:, ::row_stride, ::column_stride]
    shown = torch.stack([as_real(thin[entry]).to(torch.float64) for entry in (red, green, blue)], dim=-1)
    pixels = to_pixels(shown)
    values = shown.cpu().numpy()
    low, high = _ends(request, values)
    return RgbImage(
        pixels=Array.from_numpy(_shade(values, low, high)),
        mask=Array.from_numpy(_first_not_finite(pixels.mask.to_numpy())) if pixels.mask is not None else None,
        low=low,
        high=high,
        rows=planes.size(1),
        columns=planes.size(2),
        row_stride=row_stride,
        column_stride=column_stride,
        shape=tuple(tensor.shape),
        axes=axes,
        picks=(red, green, blue),
        seen=shown.numel(),
        count=planes[0].numel() * 3,
    )


def _ends(request: RgbRequest, values: npt.NDArray[np.float64]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    if request.low is not None and math.isfinite(request.low):
        low = request.low
    if request.high is not None and math.isfinite(request.high):
        high = request.high
    return low, high


def _shade(values: npt.NDArray[np.float64], low: float, high: float) -> npt.NDArray[np.uint8]:
    finite = np.isfinite(values)
    known = np.where(finite, values, low)
    # In halves, since the distance between the ends may be more than a float64 can hold.
    width = high / 2 - low / 2
    if width > 0:
        # Cut before, so that no quotient overflows.
        shades = np.rint((known.clip(low, high) / 2 - low / 2) / width * _BRIGHTEST)
    else:
        shades = np.where(known < high, 0, np.where(known > low, _BRIGHTEST, _MIDDLE))
    return np.where(finite, shades, 0).astype(np.uint8)


def _first_not_finite(mask: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return, of the three masks of each pixel, the first that is not 0."""
    first = (mask != 0).argmax(axis=-1)
    return np.take_along_axis(mask, first[..., None], axis=-1)[..., 0]
