"""How a cell of the module tree is drawn: the name first, the class behind it, everything else quiet."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from hookscope.gui.assets import icon
from hookscope.gui.badge_looks import LOOKS, BadgeLook
from hookscope.gui.cells import box_palette, fixed_font, row_height
from hookscope.gui.module_tree.model import ABSENT_ROLE, BADGES_ROLE, CLASS_ROLE, TAG_ROLE, Column
from hookscope.gui.theme import Theme, theme_of

_FIXED = frozenset({Column.OUTPUT, Column.PARAMETERS})
_RIGHT = frozenset({Column.PARAMETERS})
_Index = QModelIndex | QPersistentModelIndex


class ModuleDelegate(QStyledItemDelegate):
    """Draws the cells of a `ModuleTreeModel`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fixed = QFont()
        self._fixed_like: QFont | None = None
        self._icons: dict[tuple[str, BadgeLook], QIcon] = {}

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        """Make all but the name quiet, and numbers fixed-width."""
        super().initStyleOption(option, index)
        column = index.column()
        if column == Column.MODULE:
            return
        theme = theme_of(option.palette)
        palette = QPalette(option.palette)
        color = theme.at_hand if index.data(ABSENT_ROLE) else theme.quiet
        palette.setColor(QPalette.ColorRole.Text, QColor(color))
        option.palette = palette
        if column in _FIXED:
            option.font = self._fixed_font(option.font)
        if column in _RIGHT:
            option.displayAlignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Leave room for what stands behind the name, and between rows."""
        size = super().sizeHint(option, index)
        metrics, tag = QFontMetrics(option.font), index.data(TAG_ROLE)
        behind = filter(None, (index.data(CLASS_ROLE), tag.text if tag is not None else ""))
        width = size.width() + sum(_gap(metrics) + metrics.horizontalAdvance(text) for text in behind)
        if index.data(BADGES_ROLE):
            width += _gap(metrics) + _glyph_side(metrics)
        return QSize(width, max(size.height(), row_height(metrics)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw other cells as the style does; of a module, draw name, class and tag on one base line, glyph last."""
        if index.column() != Column.MODULE:
            super().paint(painter, option, index)
            return
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget is not None else QApplication.style()
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, cell, cell.widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, cell, cell.widget) + 1
        name, theme = cell.text, theme_of(cell.palette)
        cell.text = ""
        cell.palette = box_palette(cell.palette, theme)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        quiet = theme.text if cell.state & QStyle.StateFlag.State_Selected else theme.quiet
        metrics, tag, badges = QFontMetrics(cell.font), index.data(TAG_ROLE), index.data(BADGES_ROLE)
        painter.save()
        painter.setFont(cell.font)
        area.adjust(margin, 0, -margin, 0)
        glyph_room = _glyph_side(metrics) + _gap(metrics)
        if badges and area.width() >= _width(metrics, name) + glyph_room:
            self._draw_glyph(painter, area, LOOKS[badges[0].kind], theme)
            area.setRight(area.right() - glyph_room)
        texts = name, index.data(CLASS_ROLE), tag.text if tag is not None else ""
        colors = theme.text, quiet, theme.trouble if tag is not None and tag.is_refused else quiet
        widths = _share_out(area.width(), [_width(metrics, text) for text in texts], _gap(metrics))
        for text, color, width in zip(texts, colors, widths, strict=True):
            _draw_text(painter, QRect(area.left(), area.top(), width, area.height()), text, color)
            area.setLeft(area.left() + (width + _gap(metrics) if width else 0))
        painter.restore()

    def _draw_glyph(self, painter: QPainter, area: QRect, look: BadgeLook, theme: Theme) -> None:
        """Draw the glyph of a badge at the right end of an area."""
        key = theme.name, look
        if key not in self._icons:
            self._icons[key] = icon(look.icon, getattr(theme, look.color))
        side = _glyph_side(painter.fontMetrics())
        self._icons[key].paint(painter, area.right() - side + 1, area.center().y() - side // 2, side, side)

    def _fixed_font(self, like: QFont) -> QFont:
        if self._fixed_like != like:
            self._fixed, self._fixed_like = fixed_font(like), QFont(like)
        return self._fixed


def _width(metrics: QFontMetrics, text: str) -> int:
    return metrics.horizontalAdvance(text) + 1 if text else 0  # rounded down, it would cut the text short


def _share_out(room: int, wanted: list[int], gap: int) -> tuple[int, int, int]:
    """Return the widths of name, class and tag: the name is the last to be cut short, the class the first."""
    name, class_, tag = wanted
    name = min(name, room)
    room -= name + gap
    tag = max(0, min(tag, room))
    room -= tag + gap if tag else 0
    return name, max(0, min(class_, room)), tag


def _draw_text(painter: QPainter, area: QRect, text: str, color: str) -> None:
    metrics = painter.fontMetrics()
    if area.width() > metrics.averageCharWidth():
        painter.setPen(QColor(color))
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)


def _glyph_side(metrics: QFontMetrics) -> int:
    return metrics.ascent()


def _gap(metrics: QFontMetrics) -> int:
    return metrics.averageCharWidth()
