"""Views: what a panel asks for, and the small result that it draws.

A request names the kind by its class; the result is small whatever the tensor's size. Of very large tensors only a
sample may have been looked at: results that can be of a sample say how many elements they have `seen`, see `is_sample`.
"""

from enum import StrEnum

import msgspec

from hookscope.protocol.view_axes import Axes, Part
from hookscope.protocol.view_numbers import (
    Bars,
    Curve,
    Histogram,
    Place,
    Points,
    Quantiles,
    Spectrum,
    Statistics,
    Table,
    TableText,
    Value,
)
from hookscope.protocol.view_pictures import Image, Pixel, RgbImage, Tiles
from hookscope.protocol.view_requests import (
    AttentionRequest,
    ChannelsRequest,
    ChannelStatistic,
    CosineRequest,
    CurveRequest,
    EmbeddingRequest,
    GridRequest,
    HeatmapRequest,
    HistogramRequest,
    KernelRequest,
    PlaceRequest,
    QuantilesRequest,
    RgbRequest,
    ScatterRequest,
    SingularValuesRequest,
    SparsityRequest,
    StatisticsRequest,
    TableRequest,
    Target,
    TextForm,
    TextRequest,
    TileOrder,
    ValueRequest,
)

__all__ = [
    "AttentionRequest",
    "Axes",
    "Bars",
    "ChannelStatistic",
    "ChannelsRequest",
    "CosineRequest",
    "Curve",
    "CurveRequest",
    "EmbeddingRequest",
    "GridRequest",
    "HeatmapRequest",
    "Histogram",
    "HistogramRequest",
    "Image",
    "KernelRequest",
    "NoPicture",
    "NoPictureReason",
    "Part",
    "Pixel",
    "Place",
    "PlaceRequest",
    "Points",
    "Quantiles",
    "QuantilesRequest",
    "RgbImage",
    "RgbRequest",
    "ScatterRequest",
    "SingularValuesRequest",
    "SparsityRequest",
    "Spectrum",
    "Statistics",
    "StatisticsRequest",
    "Table",
    "TableRequest",
    "TableText",
    "Target",
    "TextForm",
    "TextRequest",
    "TileOrder",
    "Tiles",
    "Value",
    "ValueRequest",
    "ViewRequest",
    "ViewResult",
    "is_sample",
]


class NoPictureReason(StrEnum):
    """Why there is nothing to draw. The window words each one."""

    EMPTY = "empty"
    """The tensor has no elements."""
    NOT_CAPTURED = "not_captured"
    """No capture of that ref is kept (not checked, not run, or left the budget)."""
    STEP_GONE = "step_gone"
    """The step that was asked for is not kept any more: newer ones needed its room."""
    NO_DATA = "no_data"
    """A meta tensor or another one without readable values; `detail` says which."""
    WRONG_RANK = "wrong_rank"
    """The view needs another number of dims; `detail` says which."""
    MISMATCH = "mismatch"
    """The two tensors of the view do not go together; `detail` says why."""
    TOO_LARGE = "too_large"
    """It would take too long or be too long; `detail` says what the limit is."""
    NOT_FINITE = "not_finite"
    """The view needs finite values, and not all are; `detail` says how many."""
    NOT_FOUND = "not_found"
    """No element is what was looked for; `detail` says what."""
    CANCELLED = "cancelled"
    """It was given up, as it was not wanted any more."""
    FAILED = "failed"
    """Making the view raised; `detail` is the text."""


class NoPicture(msgspec.Struct, frozen=True, tag="no_picture"):
    """Answers any request that cannot be drawn.

    Attributes:
        reason: Why.
        detail: What only the engine knows of it.
        parts: Shapes of what a nested tensor is made of, the first of them.
    """

    reason: NoPictureReason
    detail: str = ""
    parts: tuple[tuple[int, ...], ...] = ()


ViewRequest = (
    StatisticsRequest
    | HistogramRequest
    | QuantilesRequest
    | HeatmapRequest
    | RgbRequest
    | GridRequest
    | KernelRequest
    | AttentionRequest
    | CosineRequest
    | CurveRequest
    | SingularValuesRequest
    | ChannelsRequest
    | SparsityRequest
    | ScatterRequest
    | EmbeddingRequest
    | TableRequest
    | TextRequest
    | ValueRequest
    | PlaceRequest
)

ViewResult = (
    Statistics
    | Histogram
    | Quantiles
    | Image
    | RgbImage
    | Tiles
    | Curve
    | Spectrum
    | Bars
    | Points
    | Table
    | TableText
    | Value
    | Place
    | NoPicture
)


def is_sample(result: Statistics | Histogram | Quantiles | Image | RgbImage | Tiles | Curve) -> bool:
    """Whether only some of the elements were looked at, so that a person must be told: `seen` of `count`."""
    return 0 < result.seen < result.count
