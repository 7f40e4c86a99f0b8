"""What cells of trees and tables share: the fixed-width face, and check boxes that can be seen."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPalette
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from hookscope.gui.theme import Theme, theme_of

FIXED_SIZE = 0.92
"""Size of the fixed-width face, in sizes of the font."""

ROW_HEIGHT = 1.5
"""Height of a row, in heights of the font."""


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
    """Draws cells with check boxes that can be seen on dark, too."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Take the palette of a visible box."""
        super().initStyleOption(option, index)
        option.palette = box_palette(option.palette, theme_of(option.palette))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Leave room between rows."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), row_height(option.fontMetrics)))
