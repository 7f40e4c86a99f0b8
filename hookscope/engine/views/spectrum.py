"""Singular values of a matrix."""

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.refusal import Refusal, wrong_rank
from hookscope.engine.views.sampling import send
from hookscope.protocol.views import NoPictureReason, SingularValuesRequest, Spectrum

MAX_SIDE = 1024
"""The shorter side of a matrix, for which the values are there within about a second."""

MAX_SIDE_EXACT = 4096
"""The same when many seconds do not matter."""

MAX_ELEMENTS = 1 << 24


def build_spectrum(tensor: torch.Tensor, request: SingularValuesRequest) -> Spectrum:
    """Compute all singular values. There are none of a sample: those of some rows are not the matrix's own.

    Raises:
        Refusal: The tensor has fewer than two dims, is too large, or has values that are not finite.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 2:
        raise wrong_rank("singular values need 2 dims or more", tensor.dim())
    rows, columns = tensor.size(0), tensor.numel() // tensor.size(0)
    limit = MAX_SIDE_EXACT if request.exact else MAX_SIDE
    if min(rows, columns) > limit or tensor.numel() > MAX_ELEMENTS:
        detail = f"a matrix of {rows:,} × {columns:,}; up to {limit:,} on the shorter side, {MAX_ELEMENTS:,} elements"
        raise Refusal(NoPictureReason.TOO_LARGE, detail)
    flat = tensor.reshape(rows, columns)
    matrix = flat.to(torch.complex128) if flat.is_complex() else as_real(flat).to(torch.float64)
    non_finite = matrix.numel() - int(torch.count_nonzero(matrix.isfinite()))
    if non_finite:
        raise Refusal(NoPictureReason.NOT_FINITE, f"{non_finite:,} of {matrix.numel():,} values")
    # Upright, which LAPACK is several times as fast with.
    upright = matrix.contiguous() if rows >= columns else matrix.contiguous().mT
    values = torch.linalg.svdvals(upright)
    return Spectrum(
        values=send(values),
        rows=rows,
        columns=columns,
        rank=int(torch.count_nonzero(values > values[0] * max(rows, columns) * _spacing(tensor.dtype))),
        shape=tuple(tensor.shape),
        flattened=tensor.dim() > 2,
    )


def _spacing(dtype: torch.dtype) -> float:
    """Return the distance from 1 to the next number of the dtype; integers are exact, and computed in float64."""
    is_rounded = dtype.is_floating_point or dtype.is_complex
    return torch.finfo(dtype if is_rounded else torch.float64).eps
