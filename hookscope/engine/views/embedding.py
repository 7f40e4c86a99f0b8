"""Entries of a dim as points: principal components."""

import math

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.refusal import wrong_rank
from hookscope.engine.views.sampling import send, thinned
from hookscope.protocol.views import EmbeddingRequest, Points

MAX_POINTS = 2048
MAX_FEATURES = 4096

_LARGEST = torch.finfo(torch.float64).max


def build_embedding(tensor: torch.Tensor, request: EmbeddingRequest) -> Points:
    """Put every entry of a dim, or every so many-th, in the plane of the two principal components.

    Every component points to where its largest coordinate is, so that the same tensor has the same picture.

    Raises:
        Refusal: The tensor has fewer than two dims.
        Unreadable: See `as_real`.
    """
    if tensor.dim() < 2:
        raise wrong_rank("an embedding needs 2 dims or more", tensor.dim())
    dim = request.dim if 0 <= request.dim < tensor.dim() else 0
    entries = tensor.movedim(dim, 0)
    stride = math.ceil(entries.size(0) / min(max(request.max_points, 1), MAX_POINTS))
    shown = entries[::stride]
    features = min(max(request.max_features, 1), MAX_FEATURES)
    thin = as_real(thinned(shown, shown.size(0) * features, keep=(0,))).to(torch.float64)
    rows = thin.reshape(thin.size(0), -1).contiguous()
    finite = rows.isfinite().all(dim=1)
    coordinates, explained = _principal(rows[finite])
    places = torch.arange(0, entries.size(0), stride, device=rows.device)
    return Points(
        x=send(coordinates[:, 0]),
        y=send(coordinates[:, 1]),
        places=send(places[finite]),
        count=entries.size(0),
        stride=stride,
        non_finite=rows.size(0) - int(torch.count_nonzero(finite)),
        shape=tuple(tensor.shape),
        dim=dim,
        explained=explained,
        seen=rows.numel(),
        elements=tensor.numel(),
    )


def _principal(rows: torch.Tensor) -> tuple[torch.Tensor, tuple[float, float]]:
    """Return the `(rows, 2)` coordinates, and the shares of the variance that they explain."""
    points = rows.new_zeros(rows.size(0), 2)
    if rows.numel() == 0:
        return points, (0.0, 0.0)
    peak = rows.abs().amax()
    centred = rows / peak
    centred = centred - centred.mean(dim=0)
    spread = centred.abs().amax()
    # Not `> 0`: what is left of equal rows is the rounding of their mean. A peak of 0 makes it NaN.
    if not spread > torch.finfo(torch.float64).eps * rows.size(0):
        return points, (0.0, 0.0)
    centred = centred / spread
    # Of the two products the smaller one; both have the same eigenvalues.
    by_rows = rows.size(0) <= rows.size(1)
    product = centred @ centred.T if by_rows else centred.T @ centred
    strengths, directions = torch.linalg.eigh(product)
    strengths, directions = strengths.clamp(min=0.0).flip(0)[:2], directions.flip(1)[:, :2]
    found = directions * strengths.sqrt() if by_rows else centred @ directions
    largest = found.gather(0, found.abs().argmax(dim=0, keepdim=True))
    found = found * torch.where(largest < 0, -1.0, 1.0)
    points[:, : found.size(1)] = (found * spread * peak).clamp(-_LARGEST, _LARGEST)
    shares = (strengths / product.trace()).clamp(max=1.0).tolist()
    return points, (shares[0], shares[1] if len(shares) > 1 else 0.0)
