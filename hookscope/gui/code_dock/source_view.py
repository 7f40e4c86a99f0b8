"""The text of a source file with line numbers, and one line marked."""

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from hookscope.gui.cells import fixed_font
from hookscope.gui.theme import theme_of
from hookscope.gui.timeline.shapes import draw_arrow
from hookscope.protocol.events import SourceReady

_TINT = 38
"""Of 255: how much of the colour of the line at hand shines through behind it."""


class SourceView(QPlainTextEdit):
    """Shows a file, and the line in it that is being run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first = 1
        self._line = 0
        self._numbers = _Numbers(self)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(fixed_font(self.font()))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.setAccessibleName(self.tr("Source"))
        self.setMinimumHeight(4 * self.fontMetrics().lineSpacing())
        self.updateRequest.connect(self._scroll_numbers)

    @property
    def line(self) -> int:
        """Number of the marked line; 0 when none is."""
        return self._line

    @property
    def first_line(self) -> int:
        """Number of the first line of the text."""
        return self._first

    def show_source(self, source: SourceReady) -> None:
        """Show a file and mark its line."""
        self._first, self._line = source.first_line, source.line
        self.setPlainText("\n".join(source.lines))
        self._numbers.fit(self._first + len(source.lines))
        self._mark()

    def show_message(self, text: str) -> None:
        """Show why there is no source."""
        self._line = 0
        self.clear()
        self.setExtraSelections([])
        self._numbers.fit(0)
        self.setPlaceholderText(text)

    def _mark(self) -> None:
        block = self.document().findBlockByNumber(self._line - self._first)
        if not block.isValid():
            self.setExtraSelections([])
            return
        cursor = QTextCursor(block)
        ground = QColor(theme_of(self.palette()).at_hand)
        ground.setAlpha(_TINT)
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        selection.format.setBackground(ground)
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([selection])
        self.setTextCursor(cursor)
        self.centerCursor()
        self.horizontalScrollBar().setValue(0)

    @Slot(QRect, int)
    def _scroll_numbers(self, area: QRect, moved: int) -> None:
        if moved:
            self._numbers.scroll(0, moved)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())

    def paint_numbers(self, painter: QPainter, area: QRect, width: int) -> None:
        """Draw the numbers beside the lines in sight, and the arrow at the marked one."""
        theme = theme_of(self.palette())
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height, side = self.fontMetrics().height(), self.fontMetrics().ascent()
        while block.isValid() and top <= area.bottom():
            number = self._first + block.blockNumber()
            is_marked = number == self._line
            painter.setPen(QColor(theme.at_hand if is_marked else theme.quiet))
            row = QRectF(0, top, width - side * 0.6, height)
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))
            if is_marked:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                square = QRectF(2, top + (height - side) / 2 + 1, side - 2, side - 2)
                draw_arrow(painter, square, QColor(theme.at_hand))
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def set_margin(self, width: int) -> None:
        """Leave room for the numbers."""
        self.setViewportMargins(width, 0, 0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the numbers as high as the text, and the marked line in sight."""
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(area.left(), area.top(), self._numbers.width(), area.height())
        if self._line and event.oldSize().height() != event.size().height():
            self.centerCursor()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._line:
            self._mark()


class _Numbers(QWidget):
    """The strip with the line numbers."""

    def __init__(self, view: SourceView) -> None:
        super().__init__(view)
        self._view = view
        self.resize(0, 0)

    def fit(self, last: int) -> None:
        """Be as wide as the numbers up to `last` need, and not there for 0."""
        metrics = self._view.fontMetrics()
        width = metrics.horizontalAdvance("0") * len(str(last)) + 2 * metrics.ascent() if last else 0
        self.resize(width, self._view.contentsRect().height())
        self._view.set_margin(width)

    def sizeHint(self) -> QSize:
        """Return the size that it has."""
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers."""
        painter = QPainter(self)
        try:
            self._view.paint_numbers(painter, event.rect(), self.width())
        finally:
            painter.end()
