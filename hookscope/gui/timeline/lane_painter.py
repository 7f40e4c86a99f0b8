"""Draws lanes: labels at the left, bars over time, marks, the moment at hand, and the time below.

Only what is in sight is drawn, and of what is too narrow to be seen one bar for each pixel, so that thousands of calls
cost no more than the pixels that they take.
"""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from hookscope.figures.lane_rows import LaneRow, TimedSpans, pixel_bars
from hookscope.figures.lanes import Span
from hookscope.gui.theme import Theme
from hookscope.gui.timeline.lane_scene import LaneGeometry, LaneScene, label_parts
from hookscope.gui.timeline.names import translate
from hookscope.gui.timeline.time_window import time_ticks
from hookscope.protocol.stops import EventKind

LEAST_BAR_PX = 2.0
"""Width of a bar that is shorter."""

_OPENED_ALPHA = 0.42
"""Of the bar of a container whose inside is shown below it."""
_RADIUS = 2.0
_OUTLINED_PX = 4.0
"""A narrower bar of what has yet to come is one line."""
_AT_HAND_PX = 6.0
"""Least width of the bar of the event at hand, which has often only begun."""
_TICK_CHARS = 12


class LanePainter:
    """Draws one scene once.

    Args:
        painter: On the widget; is left with another pen, brush and clip.
        scene: What to draw.
        geometry: Where.
        theme: In which colours.
    """

    def __init__(self, painter: QPainter, scene: LaneScene, geometry: LaneGeometry, theme: Theme) -> None:
        self._painter = painter
        self._scene = scene
        self._geometry = geometry
        self._theme = theme
        self._colors = {False: QColor(theme.forward), True: QColor(theme.backward)}

    def draw(self) -> None:
        """Draw everything."""
        geometry, scene = self._geometry, self._scene
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first = max(0, geometry.scroll // geometry.row_height)
        last = min(len(scene.rows), (geometry.scroll + geometry.height) // geometry.row_height + 1)
        painter.setClipRect(QRect(0, 0, geometry.width, geometry.height))
        for number in range(first, last):
            self._draw_label(scene.rows[number], number)
        painter.setClipRect(QRect(geometry.label_width, 0, geometry.bars_width, geometry.height))
        self._draw_marks()
        for number in range(first, last):
            self._draw_row(scene.rows[number], geometry.area_of(number))
        self._draw_moments()
        painter.setClipping(False)
        if geometry.axis_height:
            self._draw_axis()

    def _draw_label(self, row: LaneRow, number: int) -> None:
        painter, geometry, theme = self._painter, self._geometry, self._theme
        metrics = painter.fontMetrics()
        left = row.depth * geometry.indent
        top = number * geometry.row_height - geometry.scroll
        if row.has_inner:
            self._draw_triangle(
                left + 0.42 * geometry.indent, top + geometry.row_height / 2, row.path in self._scene.opened
            )
        area = QRect(left + geometry.indent, top, geometry.label_width - left - geometry.indent, geometry.row_height)
        is_at_hand = row.path == self._scene.at_hand_path
        name, class_name = label_parts(row, self._scene.names)
        colors = (theme.at_hand if is_at_hand else theme.text, theme.quiet)
        for text, color in zip((name, class_name), colors, strict=True):
            room = area.width() - metrics.averageCharWidth()
            if room < 2 * metrics.averageCharWidth():
                return
            painter.setPen(QColor(color))
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
            area.setLeft(area.left() + metrics.horizontalAdvance(elided + " "))

    def _draw_triangle(self, x: float, y: float, is_open: bool) -> None:
        side = 0.28 * self._painter.fontMetrics().height()
        right = ((-0.6, -1.0), (0.8, 0.0), (-0.6, 1.0))
        points = [(b, a) for a, b in right] if is_open else right
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._theme.quiet))
        self._painter.drawPolygon(QPolygonF([QPointF(x + a * side, y + b * side) for a, b in points]))

    def _draw_row(self, row: LaneRow, area: QRectF) -> None:
        alpha = _OPENED_ALPHA if row.path in self._scene.opened and row.has_inner else 1.0
        for is_backward, color in self._colors.items():
            shade = QColor(color)
            shade.setAlphaF(alpha)
            self._draw_spans(self._scene.tree.timed(row, is_backward=is_backward), area, shade)
        self._draw_coming(row, area)
        at_hand = self._scene.span_at(self._scene.at_hand)
        if at_hand is not None and row.path == self._scene.at_hand_path:
            self._draw_at_hand(self._shown_for(at_hand, row), area)
        for span in (self._scene.span_at(self._scene.current), self._scene.hovered):
            if span is not None and span.path == row.path and span is not at_hand:
                self._outline(span, area)

    def _draw_spans(self, timed: TimedSpans, area: QRectF, color: QColor) -> None:
        window, width = self._scene.window, self._geometry.bars_width
        bars = pixel_bars(timed.begin_s, timed.end_s, window.from_s, window.to_s, width, LEAST_BAR_PX)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(color)
        for left, width in zip(bars.left.tolist(), bars.width.tolist(), strict=True):
            self._draw_bar(QRectF(area.left() + left, area.top(), width, area.height()))

    def _draw_bar(self, bar: QRectF) -> None:
        radius = min(_RADIUS, bar.width() / 4)
        self._painter.drawRoundedRect(bar, radius, radius)

    def _draw_coming(self, row: LaneRow, area: QRectF) -> None:
        color = QColor(self._theme.quiet)
        for coming in row.coming:
            pen = QPen(color, 1.0)
            if not coming.is_pending:
                pen.setDashPattern((3, 3))
            self._painter.setPen(pen)
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            bar = self._bar_of(coming.begin_s, coming.end_s, area).adjusted(0.5, 0.5, -0.5, -0.5)
            if bar.width() < _OUTLINED_PX:
                self._painter.drawLine(bar.topLeft(), bar.bottomLeft())
            else:
                self._draw_bar(bar)

    def _draw_at_hand(self, span: Span, area: QRectF) -> None:
        bar = self._bar_of(span.begin_s, self._scene.trace.end_of(span), area)
        if bar.width() < _AT_HAND_PX:
            bar.setLeft(bar.right() - _AT_HAND_PX)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._theme.at_hand))
        self._draw_bar(bar)

    def _outline(self, span: Span, area: QRectF) -> None:
        self._painter.setPen(QPen(QColor(self._theme.text), 1.2))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._draw_bar(self._bar_of(span.begin_s, self._scene.trace.end_of(span), area).adjusted(-0.5, -0.5, 0.5, 0.5))

    def _bar_of(self, begin_s: float, end_s: float, area: QRectF) -> QRectF:
        window, geometry = self._scene.window, self._geometry
        left = max(geometry.x_of(begin_s, window), area.left() - 4)
        right = min(geometry.x_of(end_s, window), area.right() + 4)
        return QRectF(left, area.top(), max(right - left, LEAST_BAR_PX), area.height())

    @staticmethod
    def _shown_for(span: Span, row: LaneRow) -> Span:
        """Return a span, or the one around it that has the row when its own is hidden in a closed container."""
        around: Span | None = span
        while around is not None and around.path != row.path:
            around = around.parent
        return around if around is not None else span

    def _draw_marks(self) -> None:
        self._painter.setPen(QPen(QColor(self._theme.line), 1.0))
        for mark in self._scene.trace.marks:
            self._draw_line(self._scene.trace.time_of(mark))

    def _draw_moments(self) -> None:
        scene, theme = self._scene, self._theme
        events = scene.trace.events
        if scene.current is not None and scene.current < len(events) and scene.current != scene.at_hand:
            self._painter.setPen(QPen(QColor(theme.quiet), 1.0, Qt.PenStyle.DashLine))
            self._draw_line(scene.trace.time_of(events[scene.current]))
        if scene.at_hand is not None and scene.at_hand < len(events):
            color = QColor(theme.at_hand)
            self._painter.setPen(QPen(color, 1.5))
            x = self._draw_line(scene.trace.time_of(events[scene.at_hand]))
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(color)
            half = 0.28 * self._painter.fontMetrics().height()
            self._painter.drawPolygon(QPolygonF([QPointF(x - half, 0), QPointF(x + half, 0), QPointF(x, 1.4 * half)]))

    def _draw_line(self, time_s: float) -> float:
        x = self._geometry.x_of(time_s, self._scene.window)
        self._painter.drawLine(QPointF(x, 0), QPointF(x, self._geometry.height))
        return x

    def _draw_axis(self) -> None:
        """Write times below the rows, and what the marks are; what would run into another text is left out."""
        painter, geometry, window, trace = self._painter, self._geometry, self._scene.window, self._scene.trace
        metrics = painter.fontMetrics()
        named = [
            (trace.time_of(mark), translate("loss") if mark.kind is EventKind.LOSS else translate("optimizer"))
            for mark in trace.marks
        ]
        begin_s = trace.begin_s
        most = geometry.bars_width // (_TICK_CHARS * metrics.averageCharWidth())
        ticks = time_ticks(window.from_s - begin_s, window.to_s - begin_s, most)
        taken: list[tuple[float, float]] = []
        for time_s, text in [*named, *((time_s + begin_s, text) for time_s, text in ticks)]:
            half = metrics.horizontalAdvance(text) / 2
            x = geometry.x_of(time_s, window)
            middle = min(max(x, geometry.label_width + half), geometry.width - half - 2)
            is_free = all(middle + half + 6 < left or middle - half - 6 > right for left, right in taken)
            if not geometry.label_width <= x <= geometry.width or not is_free:
                continue
            taken.append((middle - half, middle + half))
            area = QRectF(middle - half - 1, geometry.height, 2 * half + 3, geometry.axis_height)
            painter.setPen(QColor(self._theme.quiet))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
