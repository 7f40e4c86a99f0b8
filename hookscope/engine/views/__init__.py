"""Views: the small results that panels draw, one builder for each kind of request.

A new kind is a request and a result in `protocol.views`, a builder file here, and a row in one of the tables below.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

import torch

from hookscope.engine.convert import Unreadable, dense, quiet
from hookscope.engine.views.attention import build_attention
from hookscope.engine.views.channels import build_channels
from hookscope.engine.views.cosine import build_cosine
from hookscope.engine.views.curve import build_curve
from hookscope.engine.views.embedding import build_embedding
from hookscope.engine.views.grid import build_grid
from hookscope.engine.views.heatmap import build_heatmap
from hookscope.engine.views.histogram import build_histogram
from hookscope.engine.views.kernels import build_kernels
from hookscope.engine.views.place import build_place, build_value
from hookscope.engine.views.quantiles import build_quantiles
from hookscope.engine.views.refusal import Refusal
from hookscope.engine.views.rgb import build_rgb
from hookscope.engine.views.scatter import build_scatter
from hookscope.engine.views.sparsity import build_sparsity
from hookscope.engine.views.spectrum import build_spectrum
from hookscope.engine.views.statistics import build_statistics
from hookscope.engine.views.table import build_table
from hookscope.engine.views.text import build_text
from hookscope.protocol.views import (
    AttentionRequest,
    ChannelsRequest,
    CosineRequest,
    CurveRequest,
    EmbeddingRequest,
    GridRequest,
    HeatmapRequest,
    HistogramRequest,
    KernelRequest,
    NoPicture,
    NoPictureReason,
    PlaceRequest,
    QuantilesRequest,
    RgbRequest,
    ScatterRequest,
    SingularValuesRequest,
    SparsityRequest,
    StatisticsRequest,
    TableRequest,
    TextRequest,
    ValueRequest,
    ViewRequest,
    ViewResult,
)

_log = logging.getLogger(__name__)

# Each takes a plain dense tensor with elements, which it must not write to, and a request of its row's class.
Builder = Callable[[torch.Tensor, Any], ViewResult]

# The same, and the other tensor.
PairBuilder = Callable[[torch.Tensor, Any, torch.Tensor], ViewResult]

BUILDERS: Mapping[type[ViewRequest], Builder] = {
    StatisticsRequest: build_statistics,
    HistogramRequest: build_histogram,
    QuantilesRequest: build_quantiles,
    HeatmapRequest: build_heatmap,
    RgbRequest: build_rgb,
    GridRequest: build_grid,
    KernelRequest: build_kernels,
    CosineRequest: build_cosine,
    CurveRequest: build_curve,
    SingularValuesRequest: build_spectrum,
    ChannelsRequest: build_channels,
    SparsityRequest: build_sparsity,
    EmbeddingRequest: build_embedding,
    TableRequest: build_table,
    TextRequest: build_text,
    ValueRequest: build_value,
    PlaceRequest: build_place,
}

PAIR_BUILDERS: Mapping[type[ScatterRequest | AttentionRequest], PairBuilder] = {
    ScatterRequest: build_scatter,
    AttentionRequest: build_attention,
}
"""Views of two tensors: their requests name the second one as `other`."""


def build_view(tensor: torch.Tensor, request: ViewRequest, other: torch.Tensor | None = None) -> ViewResult:
    """Make the view of a tensor that a request asks for, or a `NoPicture` that says why there is none.

    Never raises an `Exception`, never changes a tensor, and reduces it on its own device; only the result is copied
    to the CPU. May be called from any thread, as long as nothing writes to the tensors meanwhile.

    Args:
        tensor: What is looked at.
        request: What is asked for.
        other: The tensor that the request names as `other`; `None` when there is no capture of it.
    """
    try:
        with quiet(tensor):
            plain = dense(tensor)
            if plain.numel() == 0 and not isinstance(request, StatisticsRequest):
                return NoPicture(NoPictureReason.EMPTY)
            if isinstance(request, (ScatterRequest, AttentionRequest)):
                return _build_pair(plain, request, other)
            return BUILDERS[type(request)](plain, request)
    except Unreadable as error:
        return NoPicture(NoPictureReason.NO_DATA, str(error), error.parts)
    except Refusal as refusal:
        return NoPicture(refusal.reason, refusal.detail)
    except Exception as error:  # a panel without a picture is better than a debuggee without a view thread
        _log.debug("no view for %r", request, exc_info=True)
        return NoPicture(NoPictureReason.FAILED, f"{type(error).__name__}: {error}")


def _build_pair(
    tensor: torch.Tensor, request: ScatterRequest | AttentionRequest, other: torch.Tensor | None
) -> ViewResult:
    if other is None:
        return NoPicture(NoPictureReason.NOT_CAPTURED, "the other tensor")
    second = dense(other)
    if second.numel() == 0:
        return NoPicture(NoPictureReason.EMPTY)
    return PAIR_BUILDERS[type(request)](tensor, request, second)
