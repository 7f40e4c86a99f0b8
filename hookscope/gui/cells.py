"""What cells of trees and tables share: the fixed-width face, and check boxes that can be seen."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from hookscope.gui.theme import Theme, theme_of

FIXED_SIZE = 0.92
"""Size of the fixed-width face, in sizes of the font."""

ROW_HEIGHT = 1.5
"""Height of a row, in heights of the font."""

_Index = QModelIndex | QPersistentModelIndex


def fixed_font(like: QFont) -> QFont:
    """Return the system's fixed-width face, a little smaller than another font, beside which it looks as large."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if like.pointSizeF() > 0:
        font.setPointSizeF(FIXED_SIZE * like.pointSizeF())
    return font


def box_palette(palette: QPalette, theme: Theme) -> QPalette:
    """Return a palette for a check box: Fusion derives its outline from the window, which is too dark on dark."""
    palette = QPalette(palette)
    palette.setColor(QPalette.ColorRole.Window, QColor(theme.quiet))
    return palette


def row_height(metrics: QFontMetrics) -> int:
    """Return the height of a row in pixels."""
    return round(ROW_HEIGHT * metrics.height())


class BoxDelegate(QStyledItemDelegate):
    """Draws check boxes that can be seen on dark, too, and texts of another face on the base line of the row."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        """Take the palette of a visible box."""
        super().initStyleOption(option, index)
        option.palette = box_palette(option.palette, theme_of(option.palette))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a text of another face than the row's where the others of the row stand: centred, it would be lower."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        if cell.font == option.font or not cell.text:
            super().paint(painter, option, index)
            return
        text, cell.text = cell.text, ""
        style = cell.widget.style() if cell.widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, cell, cell.widget) + 1
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, cell, cell.widget)
        area.adjust(margin, 0, -margin, 0)
        is_selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if is_selected else QPalette.ColorRole.Text
        painter.save()
        painter.setFont(cell.font)
        painter.setPen(cell.palette.color(role))
        own, row = QFontMetrics(cell.font), QFontMetrics(option.font)
        line = area.top() + (area.height() - row.height()) // 2 + row.ascent()
        elided = own.elidedText(text, cell.textElideMode, area.width())
        across = cell.displayAlignment & Qt.AlignmentFlag.AlignHorizontal_Mask
        place = QRect(area.left(), line - own.ascent(), area.width(), own.height())
        painter.drawText(place, across | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine, elided)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Leave room between rows."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), row_height(option.fontMetrics)))
