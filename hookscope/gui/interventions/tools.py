"""The row of small buttons above a list, and how list and form share the room."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QSplitter, QToolButton, QWidget

from hookscope.gui.assets import icon
from hookscope.gui.elided_label import ElidedLabel
from hookscope.gui.panels.adaptive_row import NEVER, AdaptiveRow

_FORM_SHARE = 0.6
_FIRST = 99
"""Rank of what gives up its room before anything else."""


class ToolRow(AdaptiveRow):
    """Buttons beside each other, tinted by the theme; where it is narrow they lose their texts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons: dict[QToolButton, str] = {}
        self._layout.setSpacing(2)

    def add_button(self, icon_name: str, text: str, tip: str, *, drop: int = NEVER, shrink: int = NEVER) -> QToolButton:
        """Add a button; without a text it is the icon alone. For the ranks see `AdaptiveRow`."""
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        button.setAccessibleDescription(tip)
        button.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon if text else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        button.setIcon(icon(icon_name))
        self._icons[button] = icon_name
        self.add(button, drop=drop, shrink=shrink)
        return button

    def add_message(self) -> "Message":
        """Add a line of text that takes the room that is left, and pushes what follows to the far end."""
        message = Message(self)
        self.add(message, shrink=_FIRST)
        return message

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            for button, name in self._icons.items():
                button.setIcon(icon(name))


class Message(ElidedLabel):
    """Says something quietly, or that something is wrong."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("quiet", True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setIndent(self.fontMetrics().averageCharWidth())

    @property
    def is_trouble(self) -> bool:
        """Whether it says that something is wrong."""
        return bool(self.property("trouble"))

    def tell(self, text: str, *, is_trouble: bool = False) -> None:
        """Say something; `""` is nothing."""
        self.setText(text)
        self.setProperty("quiet", not is_trouble)
        self.setProperty("trouble", is_trouble)
        self.style().polish(self)


def side_by_side(splitter: QSplitter, size: QSize) -> None:
    """Lay list and form beside each other where it is wide, and below each other where it is high."""
    orientation = Qt.Orientation.Horizontal if size.width() > size.height() else Qt.Orientation.Vertical
    if orientation != splitter.orientation() or not splitter.property("placed"):
        splitter.setOrientation(orientation)
        splitter.setProperty("placed", True)
        room = size.width() if orientation is Qt.Orientation.Horizontal else size.height()
        splitter.setSizes([round(room * (1 - _FORM_SHARE)), round(room * _FORM_SHARE)])
