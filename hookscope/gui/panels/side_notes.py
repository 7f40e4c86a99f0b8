"""Short texts below each other, each with a quiet heading: as high as they are, and scrolled where that is too high."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

_LEAST_LINES = 3


class SideNotes(QScrollArea):
    """Sections of text, in the order in which their names are given.

    Args:
        names: What the sections are called by.
    """

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._sections = {name: (_label("quiet"), _label("trouble"), _label()) for name in names}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._inside = _Page()
        self._rows = QVBoxLayout(self._inside)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(2)
        for title, trouble, text in self._sections.values():
            for label in (title, trouble, text):
                self._rows.addWidget(label)
        self._rows.addStretch(1)
        self.setWidget(self._inside)
        # Otherwise the page has the window's colour of its own in some styles.
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        self._inside.installEventFilter(self)

    def show_section(self, name: str, title: str, text: str, *, trouble: str = "", tip: str = "") -> None:
        """Show a section; without any text it hides.

        Args:
            name: Which one.
            title: Its heading.
            text: One or more lines.
            trouble: What is wrong, above the text.
            tip: Tooltip of the heading.
        """
        heading, warning, body = self._sections[name]
        for label, words in ((heading, title), (warning, trouble), (body, text)):
            label.setText(words)
            label.setVisible(bool(words) and bool(text or trouble))
        heading.setToolTip(tip)

    def text(self, name: str) -> str:
        """Return all that a section says; `""` when it is hidden."""
        return "\n".join(label.text() for label in self._sections[name] if not label.isHidden())

    def sizeHint(self) -> QSize:
        """Return the height of the texts at the present width."""
        return QSize(super().sizeHint().width(), self._rows.totalHeightForWidth(self.viewport().width()))

    def minimumSizeHint(self) -> QSize:
        """Return the height of a few lines, or less when there are less."""
        return QSize(0, min(self.sizeHint().height(), _LEAST_LINES * self.fontMetrics().lineSpacing()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for another height when the texts or the width are others."""
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class _Page(QWidget):
    """Takes the height that its layout needs for its width; labels alone would ask for more than they need."""

    def minimumSizeHint(self) -> QSize:
        """Ask for nothing beyond that."""
        return QSize()


def _label(role: str = "") -> QLabel:
    label = QLabel()
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    label.hide()
    if role:
        label.setProperty(role, True)
    if role == "quiet":
        label.setContentsMargins(0, label.fontMetrics().height() // 3, 0, 0)
    return label
