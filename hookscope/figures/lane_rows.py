"""Lanes: a row for each module with a bar for each of its spans; a container can be closed into one bar."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hookscope.figures.forecast import Coming
from hookscope.figures.lanes import Span, StepTrace

Floats = npt.NDArray[np.float64]


@dataclass
class LaneRow:
    """The lane of one module.

    Attributes:
        path: The module.
        parent: The module that called it first, or the one around it; `None` for the root.
        depth: How many rows it is inside of.
        has_inner: Whether other rows are inside.
        spans: What it did, oldest first.
        coming: What it has yet to do.
    """

    path: str
    parent: str | None
    depth: int = 0
    has_inner: bool = False
    spans: list[Span] = field(default_factory=list)
    coming: list[Coming] = field(default_factory=list)


@dataclass(frozen=True)
class TimedSpans:
    """The spans of one module in one pass, oldest first.

    Attributes:
        spans: The spans.
        begin_s: When each began.
        end_s: When each ended.
    """

    spans: tuple[Span, ...]
    begin_s: Floats
    end_s: Floats


class LaneTree:
    """The rows of a step, in the order in which their modules were reached.

    Args:
        trace: The step.
        coming: What it has yet to do.

    Attributes:
        rows: All rows by path; outer ones before those inside them.
    """

    def __init__(self, trace: StepTrace, coming: Iterable[Coming] = ()) -> None:
        self.rows: dict[str, LaneRow] = {}
        self._trace = trace
        self._timed: dict[tuple[str, bool], TimedSpans] = {}
        self._inside: dict[str | None, list[LaneRow]] = {}
        for span in trace.spans.values():
            row = self.rows.get(span.path)
            if row is None:
                row = self._add(span.path, span.parent.path if span.parent is not None else None)
            row.spans.append(span)
        for future in coming:
            path = future.key[0]
            row = self.rows.get(path) or self._add(path, self._known_around(future))
            row.coming.append(future)

    def shown(self, opened: Collection[str]) -> list[LaneRow]:
        """Return the rows from top to bottom when these are open. A root with others inside has no row of its own."""
        rows: list[LaneRow] = []
        self._collect(self._outermost(), opened, rows)
        return rows

    def timed(self, row: LaneRow, *, is_backward: bool) -> TimedSpans:
        """Return what a row's module did in one pass, as it was known when the tree was made."""
        found = self._timed.get((row.path, is_backward))
        if found is None:
            spans = tuple(span for span in row.spans if span.is_backward is is_backward)
            begin_s = np.array([span.begin_s for span in spans], dtype=np.float64)
            end_s = np.array([self._trace.end_of(span) for span in spans], dtype=np.float64)
            found = self._timed[row.path, is_backward] = TimedSpans(spans, begin_s, end_s)
        return found

    def shown_around(self, path: str, rows: Sequence[LaneRow]) -> str | None:
        """Return a module, or the innermost one around it that has one of these rows."""
        paths = {row.path for row in rows}
        found: str | None = path
        while found is not None and found not in paths:
            row = self.rows.get(found)
            found = row.parent if row is not None else None
        return found

    def opened_within(self, limit: int) -> set[str]:
        """Return the rows to open so that about `limit` of them show, the outermost first."""
        level = self._outermost()
        opened: set[str] = set()
        count = len(level)
        while level:
            inner: list[LaneRow] = []
            for row in level:
                inside = self._inside.get(row.path, ())
                if inside and count + len(inside) <= limit:
                    opened.add(row.path)
                    count += len(inside)
                    inner.extend(inside)
            level = inner
        return opened

    def _outermost(self) -> list[LaneRow]:
        outermost = self._inside.get(None, [])
        return [row for root in outermost for row in (self._inside[""] if _is_hidden(root) else (root,))]

    def _collect(self, level: Iterable[LaneRow], opened: Collection[str], rows: list[LaneRow]) -> None:
        for row in level:
            rows.append(row)
            if row.path in opened:
                self._collect(self._inside.get(row.path, ()), opened, rows)

    def _known_around(self, future: Coming) -> str | None:
        path = future.key[0]
        if future.parent in self.rows:
            return future.parent
        while path:
            path = path.rpartition(".")[0]
            if path in self.rows:
                return path
        return None

    def _add(self, path: str, parent: str | None) -> LaneRow:
        outer = self.rows.get(parent) if parent is not None else None
        depth = 0
        if outer is not None:
            outer.has_inner = True
            depth = outer.depth + (not _is_hidden(outer))
        row = self.rows[path] = LaneRow(path, parent if outer is not None else None, depth)
        self._inside.setdefault(row.parent, []).append(row)
        return row


def _is_hidden(row: LaneRow) -> bool:
    return row.path == "" and row.has_inner


@dataclass(frozen=True)
class PixelBars:
    """Bars on a screen.

    Attributes:
        left: Left edges in pixels.
        width: Widths in pixels, none below the smallest that can be seen.
        index: Which span each bar is; of several within one pixel the first.
    """

    left: Floats
    width: Floats
    index: npt.NDArray[np.intp]


def pixel_bars(begin_s: Floats, end_s: Floats, from_s: float, to_s: float, width_px: int, least_px: float) -> PixelBars:
    """Return the bars to draw: those in sight, those that are hardly visible once for each pixel.

    Args:
        begin_s: When each begins, ascending.
        end_s: When each ends.
        from_s: Time at the left edge.
        to_s: Time at the right edge; later than `from_s`.
        width_px: Pixels in between.
        least_px: Width of the narrowest bar.
    """
    index = np.flatnonzero((end_s >= from_s) & (begin_s <= to_s))
    scale = width_px / (to_s - from_s)
    left = np.maximum((begin_s[index] - from_s) * scale, -least_px)
    width = np.minimum((end_s[index] - from_s) * scale, width_px + least_px) - left
    narrow = np.flatnonzero(width < least_px)
    _, firsts = np.unique(np.floor(left[narrow]), return_index=True)
    kept = np.ones(len(index), dtype=np.bool_)
    kept[narrow] = False
    kept[narrow[firsts]] = True
    return PixelBars(left[kept], np.maximum(width[kept], least_px), index[kept])
