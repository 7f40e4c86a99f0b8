"""What a debuggee tells beside the steps: series, overviews, exports, and how far long work is."""

import msgspec

from hookscope.protocol.exports import ExportEnd, SkippedTensor
from hookscope.protocol.series import Layer, SeriesPoint


class SeriesPoints(msgspec.Struct, frozen=True, tag="series_points"):
    """Sent after finished steps, at most 30 times a second: a point, or a gap, per series and step, none left out.

    Attributes:
        points: The points, those of each series in the order of the steps.
        left_out: Series id -> how many points before these were dropped where nobody had taken them for very long; a
            debuggee drops none.
    """

    points: tuple[SeriesPoint, ...]
    left_out: dict[int, int] = {}


class OverviewReady(msgspec.Struct, frozen=True, tag="overview_ready"):
    """Sent after `RequestOverview`, the layers in the order of the forward pass; `step` is 0 when none is kept."""

    step: int
    layers: tuple[Layer, ...]


class ExportProgress(msgspec.Struct, frozen=True, tag="export_progress"):
    """Sent while an export runs, at most 10 times a second: `done` of `total` bytes are written."""

    number: int
    done: int
    total: int


class Exported(msgspec.Struct, frozen=True, tag="exported"):
    """Sent when an export has ended.

    Attributes:
        number: Which one.
        end: How.
        place: The file or the folder.
        files: Files that were written.
        size_bytes: Their size.
        skipped: Tensors of the step that have no values, or were not written.
        detail: What went wrong.
    """

    number: int
    end: ExportEnd
    place: str
    files: int = 0
    size_bytes: int = 0
    skipped: tuple[SkippedTensor, ...] = ()
    detail: str = ""


class ViewProgress(msgspec.Struct, frozen=True, tag="view_progress"):
    """Sent while a view of very many elements is made, at most 10 times a second: `done` of `total` were looked at."""

    panel: str
    number: int
    done: int
    total: int
