"""How full the memory for captures is: a figure and a small bar."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontDatabase, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from hookscope.figures.text import format_bytes
from hookscope.gui.theme import theme_of

NEARLY_FULL = 0.9
"""From this share on the bar has the colour of what is at hand."""

_BAR_CHARS = 8
_BAR_HEIGHT = 0.35
"""Height of the bar, in heights of the font."""


class CaptureMeter(QWidget):
    """Shows what captures hold of what they may."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._held = self._budget = 0
        self._text = ""
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        """The figure."""
        return self._text

    @property
    def share(self) -> float:
        """How full it is, from 0 to 1; 0 when that is not known."""
        return min(1.0, self._held / self._budget) if self._budget else 0.0

    @property
    def is_nearly_full(self) -> bool:
        """Whether it is drawn in the colour of what is at hand."""
        return self.share > NEARLY_FULL

    def show_bytes(self, held: int, budget: int) -> None:
        """Show other sizes, in bytes.

        Args:
            held: What captures hold.
            budget: What they may hold; 0 when that is not known.
        """
        self._held, self._budget = held, budget
        words = self.tr("captures {held} of {budget}") if budget else self.tr("captures {held}")
        text = words.format(held=format_bytes(held), budget=format_bytes(budget))
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            explained = self.tr(
                "Memory that the captures of the newest steps take, of what they may take. When it is full, the oldest "
                "step leaves first. How much it is can be set in the preferences."
            )
            self.setToolTip(f"{text}\n{explained}")
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the figure and the bar."""
        metrics = self.fontMetrics()
        return QSize(self.minimumSizeHint().width() + metrics.horizontalAdvance(self._text) + 1, metrics.height())

    def minimumSizeHint(self) -> QSize:
        """Return room for the bar; in a narrow window the figure is cut short."""
        metrics = self.fontMetrics()
        return QSize((_BAR_CHARS + 1) * metrics.averageCharWidth() if self._budget else 0, metrics.height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar, and the figure behind it."""
        del event
        theme, metrics, area = theme_of(self.palette()), self.fontMetrics(), self.rect()
        painter = QPainter(self)
        try:
            if self._budget:
                width, height = _BAR_CHARS * metrics.averageCharWidth(), round(_BAR_HEIGHT * metrics.height())
                bar = QRectF(0, (area.height() - height) / 2, width, height)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.line))
                painter.drawRoundedRect(bar, height / 2, height / 2)
                painter.setClipRect(bar.adjusted(0, 0, bar.width() * (self.share - 1), 0))
                painter.setBrush(QColor(theme.at_hand if self.is_nearly_full else theme.accent))
                painter.drawRoundedRect(bar, height / 2, height / 2)
                painter.setClipping(False)
                area.setLeft(width + metrics.averageCharWidth())
            painter.setPen(QColor(theme.at_hand if self.is_nearly_full else theme.text))
            text = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        finally:
            painter.end()
