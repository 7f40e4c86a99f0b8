"""What is drawn of lanes, and where: rows, labels, and the way from seconds to pixels and back."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetrics

from hookscope.figures.lane_rows import LaneRow, LaneTree
from hookscope.figures.lanes import Span, StepTrace
from hookscope.gui.timeline.names import ModuleNames
from hookscope.gui.timeline.time_window import TimeWindow

_AXIS_FROM = 5.0
"""Times are written below the rows where there is a height of so many lines."""
_LABEL_SHARE = 0.34
"""Most that labels take of the width."""


@dataclass
class LaneScene:
    """All that is to be drawn.

    Attributes:
        trace: The step.
        tree: Its rows, and what was done in them.
        rows: The rows that show, from top to bottom.
        opened: Paths of those whose inside shows.
        names: What modules are called.
        window: Which time is in sight.
        label_width: What the labels of all rows take, in pixels.
        at_hand: Number of the event at which the step is stopped, or `None`.
        at_hand_path: The row that it is in.
        current: Number of the event that the window looks at, or `None`.
        hovered: The span under the pointer, or `None`.
    """

    trace: StepTrace
    tree: LaneTree
    rows: list[LaneRow]
    opened: set[str]
    names: ModuleNames
    window: TimeWindow
    label_width: int = 0
    at_hand: int | None = None
    at_hand_path: str | None = None
    current: int | None = None
    hovered: Span | None = None

    def span_at(self, number: int | None) -> Span | None:
        """Return the span of an event."""
        spans = self.trace.span_of
        return spans[number] if number is not None and 0 <= number < len(spans) else None


@dataclass(frozen=True)
class LaneGeometry:
    """Where things are, in pixels.

    Attributes:
        width: Width of everything.
        height: Height of the rows, without the times below.
        label_width: Width of the labels.
        row_height: Height of a row.
        indent: How far a row is moved in that is inside another.
        axis_height: Height of the times below.
        scroll: How far the rows are scrolled down.
    """

    width: int
    height: int
    label_width: int
    row_height: int
    indent: int
    axis_height: int
    scroll: int

    @property
    def bars_width(self) -> int:
        """Width of the part with bars."""
        return max(1, self.width - self.label_width)

    def x_of(self, time_s: float, window: TimeWindow) -> float:
        """Return where a moment is."""
        return self.label_width + (time_s - window.from_s) / window.length_s * self.bars_width

    def time_at(self, x: float, window: TimeWindow) -> float:
        """Return which moment a place is."""
        return window.from_s + (x - self.label_width) / self.bars_width * window.length_s

    def row_at(self, y: float, count: int) -> int | None:
        """Return which row a place is in."""
        row = int((y + self.scroll) // self.row_height)
        return row if 0 <= y < self.height and 0 <= row < count else None

    def area_of(self, row: int) -> QRectF:
        """Return the place of a row's bars."""
        pad = max(1.5, 0.12 * self.row_height)
        top = row * self.row_height - self.scroll + pad
        return QRectF(self.label_width, top, self.bars_width, self.row_height - 2 * pad)


def geometry_of(scene: LaneScene, width: int, height: int, font: QFont, scroll: int) -> LaneGeometry:
    """Lay out a scene: rows as high as fit, within reason, and labels as wide as they are."""
    metrics = QFontMetrics(font)
    axis_height = round(1.3 * metrics.height()) if height > _AXIS_FROM * metrics.height() else 0
    room = max(1, height - axis_height)
    row_height = min(
        max(room // max(1, len(scene.rows)), round(1.15 * metrics.height())), round(1.6 * metrics.height())
    )
    label_width = min(scene.label_width, round(_LABEL_SHARE * width))
    return LaneGeometry(width, room, label_width, row_height, indent_of(metrics), axis_height, scroll)


def widest_label(scene: LaneScene, font: QFont) -> int:
    """Return the width that the labels of all rows take."""
    metrics = QFontMetrics(font)
    widths = [
        (row.depth + 1) * indent_of(metrics) + metrics.horizontalAdvance("  ".join(label_parts(row, scene.names)))
        for row in scene.rows
    ]
    return max(widths, default=0) + 2 * metrics.averageCharWidth()


def indent_of(metrics: QFontMetrics) -> int:
    """Return how far a row is moved in that is inside another."""
    return round(0.9 * metrics.height())


def label_parts(row: LaneRow, names: ModuleNames) -> tuple[str, str]:
    """Return name and class of a row."""
    return names.within(row.path, row.parent), names.class_of(row.path)
