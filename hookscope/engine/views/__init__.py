"""Views: the small results that panels draw, one builder for each kind of request.

A new kind is a request and a result in `protocol.views`, a builder file here, and a row in the table below.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

import torch

from hookscope.engine.convert import Unreadable, dense, quiet
from hookscope.engine.views.curve import build_curve
from hookscope.engine.views.grid import build_grid
from hookscope.engine.views.heatmap import build_heatmap
from hookscope.engine.views.histogram import build_histogram
from hookscope.engine.views.kernels import build_kernels
from hookscope.engine.views.planes import WrongRank
from hookscope.engine.views.statistics import build_statistics
from hookscope.engine.views.table import build_table
from hookscope.protocol.views import (
    CurveRequest,
    GridRequest,
    HeatmapRequest,
    HistogramRequest,
    KernelRequest,
    NoPicture,
    NoPictureReason,
    StatisticsRequest,
    TableRequest,
    ViewRequest,
    ViewResult,
)

_log = logging.getLogger(__name__)

# Each takes a plain dense tensor, which it must not write to, and a request of its row's class.
Builder = Callable[[torch.Tensor, Any], ViewResult]

BUILDERS: Mapping[type[ViewRequest], Builder] = {
    StatisticsRequest: build_statistics,
    HistogramRequest: build_histogram,
    HeatmapRequest: build_heatmap,
    GridRequest: build_grid,
    KernelRequest: build_kernels,
    CurveRequest: build_curve,
    TableRequest: build_table,
}


def build_view(tensor: torch.Tensor, request: ViewRequest) -> ViewResult:
    """Make the view of a tensor that a request asks for, or a `NoPicture` that says why there is none.

    Never raises an `Exception`, never changes the tensor, and reduces it on its own device; only the result is copied
    to the CPU. May be called from any thread, as long as nothing writes to the tensor meanwhile.
    """
    try:
        with quiet(tensor):
            plain = dense(tensor)
            if plain.numel() == 0 and not isinstance(request, StatisticsRequest):
                return NoPicture(NoPictureReason.EMPTY)
            return BUILDERS[type(request)](plain, request)
    except Unreadable as error:
        return NoPicture(NoPictureReason.NO_DATA, str(error))
    except WrongRank as error:
        return NoPicture(NoPictureReason.WRONG_RANK, str(error))
    except Exception as error:  # a panel without a picture is better than a debuggee without a view thread
        _log.debug("no view for %r", request, exc_info=True)
        return NoPicture(NoPictureReason.FAILED, f"{type(error).__name__}: {error}")
