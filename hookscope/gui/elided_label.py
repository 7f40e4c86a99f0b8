"""A line of text that never asks for room: what does not fit is cut, and the whole of it is the tooltip."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidedLabel(QLabel):
    """Shows as much of its text as there is room for."""

    def __init__(self, parent: QWidget | None = None, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(parent)
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Show a text."""
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        """Ask for the height only."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the whole line is drawn
        """Draw what fits."""
        painter = QPainter(self)
        try:
            area = self.contentsRect().adjusted(self.margin(), 0, -self.margin(), 0)
            text = painter.fontMetrics().elidedText(self.text(), self._mode, area.width())
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            role = self.foregroundRole()
            self.style().drawItemText(painter, area, int(flags), self.palette(), self.isEnabled(), text, role)
        finally:
            painter.end()
