"""How a cell of the module tree is drawn: the name first, the class behind it, everything else quiet."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from hookscope.gui.cells import box_palette, fixed_font, row_height
from hookscope.gui.module_tree.model import ABSENT_ROLE, CLASS_ROLE, Column
from hookscope.gui.theme import theme_of

_FIXED = frozenset({Column.OUTPUT, Column.PARAMETERS})
_RIGHT = frozenset({Column.PARAMETERS})
_Index = QModelIndex | QPersistentModelIndex


class ModuleDelegate(QStyledItemDelegate):
    """Draws the cells of a `ModuleTreeModel`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fixed = QFont()
        self._fixed_like: QFont | None = None

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
        """Leave room for the class, and between rows."""
        size = super().sizeHint(option, index)
        metrics = QFontMetrics(option.font)
        behind = index.data(CLASS_ROLE)
        width = size.width() + (_gap(metrics) + metrics.horizontalAdvance(behind) if behind else 0)
        return QSize(width, max(size.height(), row_height(metrics)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw other cells as the style does; of a module, draw name and class on one base line."""
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
        is_selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setFont(cell.font)
        area.adjust(margin, 0, -margin, 0)
        _draw_text(painter, area, name, theme.text)
        metrics = QFontMetrics(cell.font)
        area.setLeft(area.left() + metrics.horizontalAdvance(name) + _gap(metrics))
        _draw_text(painter, area, index.data(CLASS_ROLE), theme.text if is_selected else theme.quiet)
        painter.restore()

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


def _gap(metrics: QFontMetrics) -> int:
    return metrics.averageCharWidth()
