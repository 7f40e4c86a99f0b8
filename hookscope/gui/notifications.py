"""Toasts: short news at the bottom right of the window, which go away by themselves."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from hookscope.gui.assets import icon

SHOWN_MS = 4000
_MARGIN = 16


class Notifications(QFrame):
    """One toast over its parent; a newer one takes the place of an older one. It waits while the mouse is over it.

    Args:
        parent: The window's central widget.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._area = parent
        self.setObjectName("toast")
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.action_button = QPushButton(self)
        self.action_button.setFlat(True)
        self.action_button.clicked.connect(self._act)
        self._close = QToolButton(self)
        self._close.setAccessibleName(self.tr("Dismiss"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        for widget in (self._text, self.action_button, self._close):
            layout.addWidget(widget)
        self._action: Callable[[], None] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    @property
    def is_counting(self) -> bool:
        """Whether the time until it hides is running."""
        return self._timer.isActive()

    def show_text(self, text: str, button: str = "", action: Callable[[], None] | None = None) -> None:
        """Show a line of news for four seconds.

        Args:
            text: The news.
            button: Text of a button, `""` for none.
            action: What the button does.
        """
        self._text.setText(text)
        self.setAccessibleName(text)
        self.action_button.setText(button)
        self.action_button.setVisible(bool(button))
        self._close.setIcon(icon("msc.close"))
        self._action = action
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self._timer.start(SHOWN_MS)

    @Slot()
    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()

    def _place(self) -> None:
        area = self._area.rect()
        self.setMaximumWidth(max(1, area.width() - 2 * _MARGIN))
        self.move(area.width() - self.width() - _MARGIN, area.height() - self.height() - _MARGIN)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Wait while the mouse is over the toast."""
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Go on counting when it has left."""
        self._timer.start(SHOWN_MS)
        super().leaveEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner when the parent changes size."""
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)
