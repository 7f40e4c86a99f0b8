"""The marks of the timeline: a shape of its own for every kind of event, so that colour is never the only sign.

A triangle points the way of the pass, to the right in forward and to the left in backward; a bar behind its tip says
that the call is done. Filled is what happened, hollow what is pending, dashed what was not reached.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from hookscope.gui.theme import Theme
from hookscope.protocol.stops import EventKind

_LINE = 0.11
"""Width of a line, in sides of the square that a mark is drawn in."""
_DASH = (1.6, 1.4)

_Points = tuple[tuple[float, float], ...]
_RIGHT: _Points = ((0.18, 0.08), (0.92, 0.5), (0.18, 0.92))
_RIGHT_TO_BAR: _Points = ((0.08, 0.12), (0.72, 0.5), (0.08, 0.88))
_DIAMOND: _Points = ((0.5, 0.12), (0.86, 0.5), (0.5, 0.88), (0.14, 0.5))
_HEXAGON: _Points = ((0.5, 0.04), (0.9, 0.27), (0.9, 0.73), (0.5, 0.96), (0.1, 0.73), (0.1, 0.27))
_CIRCLE: _Points = ()
_BAR_AT = 0.84


def _mirrored(points: _Points) -> _Points:
    return tuple((1 - x, y) for x, y in points)


SHAPES: dict[EventKind, tuple[_Points, float | None]] = {
    EventKind.FORWARD_ENTER: (_RIGHT, None),
    EventKind.FORWARD_LEAVE: (_RIGHT_TO_BAR, _BAR_AT),
    EventKind.LOSS: (_CIRCLE, None),
    EventKind.BACKWARD_ENTER: (_mirrored(_RIGHT), None),
    EventKind.BACKWARD_LEAVE: (_mirrored(_RIGHT_TO_BAR), 1 - _BAR_AT),
    EventKind.PARAMETER_GRADIENT: (_DIAMOND, None),
    EventKind.OPTIMIZER: (_HEXAGON, None),
}
"""Outline in a unit square (no points: a circle), and where a bar stands beside it."""

_COLORS: dict[EventKind, str] = {
    EventKind.FORWARD_ENTER: "forward",
    EventKind.FORWARD_LEAVE: "forward",
    EventKind.LOSS: "text",
    EventKind.BACKWARD_ENTER: "backward",
    EventKind.BACKWARD_LEAVE: "backward",
    EventKind.PARAMETER_GRADIENT: "backward",
    EventKind.OPTIMIZER: "good",
}
"""Which colour of the theme each kind has."""


def color_of(kind: EventKind, theme: Theme) -> QColor:
    """Return the colour of a kind of event."""
    return QColor(getattr(theme, _COLORS[kind]))


def draw_mark(painter: QPainter, square: QRectF, kind: EventKind, color: QColor) -> None:
    """Draw the mark of an event that has happened."""
    side = square.width()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    points, bar = SHAPES[kind]
    _draw_outline(painter, square, points)
    if bar is not None:
        painter.drawRect(
            QRectF(square.left() + (bar - _LINE / 2) * side, square.top() + 0.1 * side, 0.14 * side, 0.8 * side)
        )


def draw_coming(painter: QPainter, square: QRectF, kind: EventKind, color: QColor, *, is_pending: bool) -> None:
    """Draw the mark of an event that has not happened: hollow when it is pending, dashed when it was not reached."""
    pen = QPen(color, _LINE * square.width())
    if not is_pending:
        pen.setDashPattern(_DASH)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _draw_outline(painter, square, SHAPES[kind][0])


def draw_arrow(painter: QPainter, square: QRectF, color: QColor) -> None:
    """Draw the arrow that points at the event at hand."""
    left, top, side = square.left(), square.top(), square.width()
    points = ((0, 0.34), (0.48, 0.34), (0.48, 0.08), (1, 0.5), (0.48, 0.92), (0.48, 0.66), (0, 0.66))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([QPointF(left + x * side, top + y * side) for x, y in points]))


def _draw_outline(painter: QPainter, square: QRectF, points: _Points) -> None:
    side = square.width()
    if points:
        place = square.topLeft()
        painter.drawPolygon(QPolygonF([place + QPointF(x * side, y * side) for x, y in points]))
    else:
        margin = 0.14 * side
        painter.drawEllipse(square.adjusted(margin, margin, -margin, -margin))
