"""Content that may be higher than there is room."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class TallContent(QScrollArea):
    """Scrolls up and down, and is always as wide as its content needs.

    Args:
        content: What is scrolled.
        least_height: What is kept of it at least, in pixels.
    """

    def __init__(self, content: QWidget, least_height: int) -> None:
        super().__init__()
        self._content = content
        self._least_height = least_height
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)
        for part in (self.viewport(), content):
            part.setAutoFillBackground(False)
        content.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the content with its scroll bar."""
        width = self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, self._least_height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for another width when the content does."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
