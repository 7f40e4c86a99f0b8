"""How the rows of the event list are drawn: a mark for the kind, the name, what is known about it, all on one line."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from hookscope.gui.assets import icon
from hookscope.gui.cells import fixed_font, row_height
from hookscope.gui.theme import Theme, theme_of
from hookscope.gui.timeline.event_model import LOOK_ROLE, Column, EventModel, RowLook
from hookscope.gui.timeline.shapes import color_of, draw_arrow, draw_coming, draw_mark

_MARK_SIDE = 0.62
"""Side of a mark, in heights of the font."""

AnyIndex = QModelIndex | QPersistentModelIndex


class EventDelegate(QStyledItemDelegate):
    """Draws rows of an `EventModel`.

    Args:
        model: The model.
        parent: The view.

    Attributes:
        at_hand: Number of the event at which the step is stopped, or `None`.
    """

    def __init__(self, model: EventModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.at_hand: int | None = None
        self._model = model
        self._fixed = QFont()
        self._fixed_like: QFont | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Leave room between rows; the width is that of the columns."""
        del index
        return QSize(0, row_height(QFontMetrics(option.font)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the background as the style does, and the rest as the look of the row says."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget is not None else QApplication.style()
        text, cell.text = cell.text, ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        theme, look = theme_of(cell.palette), index.data(LOOK_ROLE)
        painter.save()
        try:
            painter.setFont(cell.font)
            match index.column():
                case Column.NAME:
                    self._draw_name(painter, cell.rect, look, theme, is_selected=_is_selected(cell))
                case Column.NUMBER:
                    self._draw_number(painter, cell.rect, text, theme, is_at_hand=self._is_at_hand(look))
                case _:
                    self._draw_right(painter, cell.rect, text, theme.quiet)
        finally:
            painter.restore()

    def _is_at_hand(self, look: RowLook) -> bool:
        return self.at_hand is not None and look.number == self.at_hand

    def _draw_name(self, painter: QPainter, area: QRect, look: RowLook, theme: Theme, *, is_selected: bool) -> None:
        metrics = painter.fontMetrics()
        side = _MARK_SIDE * metrics.height()
        square = QRectF(area.left() + 1, area.center().y() - side / 2 + 0.5, side, side)
        is_bracket = bool(look.note) or look.is_coming
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if look.is_coming:
            draw_coming(painter, square, look.kind, QColor(theme.quiet), is_pending=look.is_pending)
        else:
            color = QColor(theme.at_hand) if self._is_at_hand(look) else color_of(look.kind, theme)
            draw_mark(painter, square, look.kind, color)
        gap = metrics.averageCharWidth()
        area = area.adjusted(round(side) + gap, 0, 0, 0)
        if look.number in self._model.bookmarked:
            glyph = round(side * 1.3)
            place = QRect(area.right() - glyph, area.center().y() - glyph // 2, glyph, glyph)
            icon("msc.bookmark", theme.accent).paint(painter, place)
            area.setRight(place.left() - gap)
        quiet = theme.text if is_selected else theme.quiet
        drawn = self._draw_left(painter, area, look.name, quiet if look.is_coming else theme.text)
        if is_bracket:
            self._draw_left(painter, area.adjusted(drawn + gap, 0, 0, 0), look.note, quiet)

    def _draw_number(self, painter: QPainter, area: QRect, text: str, theme: Theme, *, is_at_hand: bool) -> None:
        self._draw_right(painter, area, text, theme.at_hand if is_at_hand else theme.quiet)
        if is_at_hand:
            side = _MARK_SIDE * painter.fontMetrics().height()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_arrow(
                painter, QRectF(area.left() + 3, area.center().y() - side / 2 + 0.5, side, side), QColor(theme.at_hand)
            )

    def _draw_left(self, painter: QPainter, area: QRect, text: str, color: str) -> int:
        """Draw a text and return its width."""
        metrics = painter.fontMetrics()
        if area.width() < 2 * metrics.averageCharWidth():
            return max(0, area.width())
        painter.setPen(QColor(color))
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
        return metrics.horizontalAdvance(elided)

    def _draw_right(self, painter: QPainter, area: QRect, text: str, color: str) -> None:
        like = painter.font()
        if self._fixed_like != like:
            self._fixed, self._fixed_like = fixed_font(like), QFont(like)
        painter.setFont(self._fixed)
        painter.setPen(QColor(color))
        gap = painter.fontMetrics().averageCharWidth()
        painter.drawText(
            area.adjusted(0, 0, -gap, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text
        )


def _is_selected(cell: QStyleOptionViewItem) -> bool:
    return bool(cell.state & QStyle.StateFlag.State_Selected)
