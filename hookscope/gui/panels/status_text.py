"""One line of text that changes often."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from hookscope.gui.theme import theme_of


class StatusText(QWidget):
    """Draws a text in the room that it has, and never asks for another one.

    A `QLabel` lets every layout above it work anew at each change, which is too dear thirty times a second.
    """

    def __init__(self, font: QFont, chars: int = 0) -> None:
        """Reserve room for `chars` characters, or take what is left over with 0."""
        super().__init__()
        self.setFont(font)
        self._chars = chars
        self._text = ""
        self._is_urgent = False
        policy = QSizePolicy.Policy.Fixed if chars else QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The text."""
        return self._text

    @property
    def is_urgent(self) -> bool:
        """Whether it is drawn as urgent."""
        return self._is_urgent

    def show_text(self, text: str, *, is_urgent: bool = False) -> None:
        """Show another text; an urgent one in the colour of what is at hand."""
        if (text, is_urgent) != (self._text, self._is_urgent):
            self._text, self._is_urgent = text, is_urgent
            self.setAccessibleName(text)
            self.update()

    def sizeHint(self) -> QSize:
        """Return the reserved room."""
        return QSize(self.fontMetrics().averageCharWidth() * self._chars, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the reserved room."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text."""
        del event
        theme = theme_of(self.palette())
        painter = QPainter(self)
        try:
            painter.setPen(QColor(theme.at_hand if self._is_urgent else theme.quiet))
            text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
            side = Qt.AlignmentFlag.AlignRight if self._chars else Qt.AlignmentFlag.AlignLeft
            painter.drawText(self.rect(), side | Qt.AlignmentFlag.AlignVCenter, text)
        finally:
            painter.end()
