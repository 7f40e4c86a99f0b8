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
        if badges:
            self._draw_glyph(painter, area, LOOKS[badges[0].kind], theme)
            area.setRight(area.right() - _glyph_side(metrics) - _gap(metrics))
        # The class is cut short before the tag is.
        reserved = _gap(metrics) + metrics.horizontalAdvance(tag.text) if tag is not None else 0
        for text, color, kept_free in ((name, theme.text, 0), (index.data(CLASS_ROLE), quiet, reserved)):
            _draw_text(painter, area.adjusted(0, 0, -kept_free, 0), text, color)
            width = min(metrics.horizontalAdvance(text), max(0, area.width() - kept_free)) if text else -_gap(metrics)
            area.setLeft(area.left() + width + _gap(metrics))
        if tag is not None:
            _draw_text(painter, area, tag.text, theme.trouble if tag.is_refused else quiet)
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
