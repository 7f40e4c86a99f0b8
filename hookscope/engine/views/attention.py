"""Attention maps, recomputed from a query and a key."""

import math
from dataclasses import dataclass

import torch

from hookscope.engine.convert import as_real
from hookscope.engine.views.planes import clamp, equal_stride, to_pixels
from hookscope.engine.views.refusal import Refusal, wrong_rank
from hookscope.engine.views.sampling import FULL_ELEMENTS
from hookscope.protocol.views import AttentionRequest, Axes, NoPictureReason, Tiles

MAX_ELEMENTS = 1 << 24
"""Values in one head of the query or of the key: 131,072 positions of 128 features."""


@dataclass(frozen=True)
class _Heads:
    """One sample of a query or a key: `(heads, length, features)` of any dtype, and which sample of how many."""

    values: torch.Tensor
    sample: int = 0
    samples: int = 1


def build_attention(tensor: torch.Tensor, request: AttentionRequest, other: torch.Tensor) -> Tiles:
    """Draw the weights of each head of a page: rows are queries, columns keys.

    Of long sequences every so many-th query and key is shown; each row is still the softmax over all keys.

    Raises:
        Refusal: A tensor has not two to four dims, or query and key do not fit each other or the number of heads,
            or are too large.
        Unreadable: See `as_real`.
    """
    query = _split(tensor, request, None)
    key = _split(other, request, query.values.size(2))
    heads, length, _ = query.values.shape
    keys = key.values.size(1)
    if heads % key.values.size(0) or query.samples != key.samples:
        raise _mismatch(tensor, other, f"{heads} heads for {key.values.size(0)} of the key")
    if max(length, keys) * query.values.size(2) > MAX_ELEMENTS:
        detail = f"heads of {max(length, keys):,} × {query.values.size(2):,} values; {MAX_ELEMENTS:,} at most"
        raise Refusal(NoPictureReason.TOO_LARGE, detail)
    size = max(request.max_tiles, 1)
    pages = math.ceil(heads / size)
    page = clamp(request.page, pages)
    shown = range(page * size, min((page + 1) * size, heads))
    stride = equal_stride(len(shown), length, keys, request.max_pixels)
    shared_by = heads // key.values.size(0)
    maps = [
        _weights(query.values[head], key.values[head // shared_by], request.scale, request.causal, stride)
        for head in shown
    ]
    pixels = to_pixels(torch.stack(maps))
    shape = (query.samples, heads, length, keys)
    return Tiles(
        pixels=pixels.values,
        mask=pixels.mask,
        labels=tuple((head,) for head in shown),
        columns=0,
        low=pixels.low,
        high=pixels.high,
        page=page,
        pages=pages,
        total=heads,
        stride=stride,
        shape=shape,
        axes=Axes(index=(query.sample,)).resolved(shape, with_tiles=True),
        recomputed=True,
        seen=len(shown) * maps[0].numel(),
        count=len(shown) * length * keys,
    )


def _split(tensor: torch.Tensor, request: AttentionRequest, features: int | None) -> _Heads:
    """Take one sample apart into heads: of that many features, or into so many as the request says."""
    if not 2 <= tensor.dim() <= 4:
        raise wrong_rank("query and key have 2 to 4 dims", tensor.dim())
    if tensor.dim() == 2:
        batch = tensor[None]
    else:
        batch = tensor if tensor.dim() == 4 or request.batch_first else tensor.transpose(0, 1)
    sample = clamp(request.sample, batch.size(0))
    values = batch[sample]
    if values.dim() == 2:
        width = values.size(1)
        heads = max(request.heads, 1) if features is None else max(width // features, 1)
        if width % heads:
            raise Refusal(NoPictureReason.MISMATCH, f"{width} features are not {heads} equal heads")
        values = torch.unflatten(values, 1, (heads, -1)).transpose(0, 1)
    if features is not None and values.size(2) != features:
        raise Refusal(NoPictureReason.MISMATCH, f"heads of {features} features, and of {values.size(2)} in the key")
    return _Heads(values, sample, batch.size(0))


def _mismatch(query: torch.Tensor, key: torch.Tensor, remark: str) -> Refusal:
    detail = f"a query of shape {tuple(query.shape)} and a key of shape {tuple(key.shape)}: {remark}"
    return Refusal(NoPictureReason.MISMATCH, detail)


def _weights(query: torch.Tensor, key: torch.Tensor, scale: float | None, causal: bool, stride: int) -> torch.Tensor:
    """Return the `(queries, keys)` weights of one head, in float32 at least."""
    queries, keys = as_real(query[::stride]), as_real(key).to(query.device)
    if queries.dtype is not keys.dtype:
        queries, keys = queries.to(torch.float64), keys.to(torch.float64)
    queries = queries * (scale if scale is not None else 1.0 / math.sqrt(query.size(1)))
    # With more keys than queries, the last query is that of the last key.
    ahead = max(key.size(0) - query.size(0), 0)
    latest = torch.arange(0, query.size(0), stride, device=query.device) + ahead
    places = torch.arange(key.size(0), device=query.device)
    parts = []
    for some, last in zip(_rows(queries, key.size(0)), _rows(latest, key.size(0)), strict=True):
        scores = some @ keys.T
        if causal:
            scores = scores.masked_fill(places > last[:, None], -math.inf)
        parts.append(scores.softmax(dim=1)[:, ::stride].clone())
    return torch.cat(parts)


def _rows(values: torch.Tensor, keys: int) -> tuple[torch.Tensor, ...]:
    """Cut rows so that their scores are no more than can be held at once."""
    return tuple(torch.split(values, max(1, FULL_ELEMENTS // keys)))
