"""The legend of a picture: what has a colour of its own, with its shape and its exact count."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPolygonF

from hookscope.figures.health import Health
from hookscope.figures.levels import Mark
from hookscope.gui.colormaps import MARK_COLORS
from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.status_text import StatusText
from hookscope.gui.theme import theme_of

_SHAPES: dict[Mark, tuple[tuple[float, float], ...]] = {
    Mark.POS_INF: ((0.5, 0.1), (0.95, 0.9), (0.05, 0.9)),
    Mark.NEG_INF: ((0.05, 0.1), (0.95, 0.1), (0.5, 0.9)),
}
"""Corners within a square: infinity points to its side. Everything else is a square."""
_SQUARE = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))


@dataclass(frozen=True)
class _Entry:
    text: str
    mark: Mark | None = None
    is_urgent: bool = False


class HealthLine(StatusText):
    """Six counts, and those of values outside the range while these are marked, in one line."""

    def __init__(self) -> None:
        super().__init__(fixed_font(0.9))
        self._entries: tuple[_Entry, ...] = ()

    def show_health(self, health: Health | None, *, marks_negative: bool, outside: tuple[int, int] | None) -> None:
        """Show counts.

        Args:
            health: The counts; `None` shows none.
            marks_negative: Whether values below zero are marked in the picture.
            outside: How many values of the picture are below and above the range, while these are marked.
        """
        self._entries = tuple(_entries(health, marks_negative=marks_negative, outside=outside)) if health else ()
        words = [entry.text for entry in self._entries]
        if health is not None and not health.is_whole:
            words.insert(0, self.tr("shown:"))
            self._entries = (_Entry(words[0]), *self._entries)
        text = "  ".join(words)
        if text != self.text:
            self.show_text(text)
            self.setToolTip(text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as many counts as there is room for, each behind its mark."""
        del event
        theme = theme_of(self.palette())
        metrics = self.fontMetrics()
        side, gap = metrics.ascent(), metrics.averageCharWidth()
        top = (self.height() - side) / 2
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            x = 0.0
            for entry in self._entries:
                width = metrics.horizontalAdvance(entry.text) + (side + gap / 2 if entry.mark else 0)
                if x + width > self.width():
                    painter.drawText(QPointF(x, top + side), "…")
                    break
                if entry.mark is not None:
                    painter.setPen(QColor(theme.quiet))
                    painter.setBrush(QColor(MARK_COLORS[entry.mark]))
                    painter.drawPolygon(_shape(entry.mark, QRectF(x, top, side, side)))
                    x += side + gap / 2
                painter.setPen(QColor(theme.trouble if entry.is_urgent else theme.quiet))
                rest = QRectF(x, 0, self.width() - x, self.height())
                painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.text)
                x += metrics.horizontalAdvance(entry.text) + 2 * gap
        finally:
            painter.end()


def _entries(health: Health, *, marks_negative: bool, outside: tuple[int, int] | None) -> list[_Entry]:
    entries = [
        _Entry(f"{health.nan:,} NaN", Mark.NAN, bool(health.nan)),
        _Entry(f"{health.pos_inf:,} +Inf", Mark.POS_INF, bool(health.pos_inf)),
        _Entry(f"{health.neg_inf:,} -Inf", Mark.NEG_INF, bool(health.neg_inf)),
        _Entry(f"{health.negative:,} < 0", Mark.NEGATIVE if marks_negative else None),
        _Entry(f"{health.zero:,} = 0"),
        _Entry(f"{health.positive:,} > 0"),
    ]
    if outside is not None:
        entries += [
            _Entry(
                QCoreApplication.translate("HealthLine", "{count} below range").format(count=f"{outside[0]:,}"),
                Mark.BELOW,
            ),
            _Entry(
                QCoreApplication.translate("HealthLine", "{count} above range").format(count=f"{outside[1]:,}"),
                Mark.ABOVE,
            ),
        ]
    return entries


def _shape(mark: Mark, square: QRectF) -> QPolygonF:
    corners = _SHAPES.get(mark, _SQUARE)
    return QPolygonF([QPointF(square.x() + x * square.width(), square.y() + y * square.height()) for x, y in corners])
