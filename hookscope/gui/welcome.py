"""The page without a model: open one, drop one, or take an example or a recent one."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from hookscope.gui.assets import application_icon
from hookscope.gui.settings import Settings
from hookscope.protocol.examples import EXAMPLES, ExampleInfo

_RECENT_SHOWN = 5
_CARD_COLUMNS = 2


class WelcomePage(QScrollArea):
    """Offers what can be opened; opens nothing by itself.

    Signals:
        open_requested: Open was pressed.
        source_chosen: An example or a recent model was pressed: its source as text.
    """

    open_requested = Signal()
    source_chosen = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget(self)
        column = QWidget(page)
        column.setMaximumWidth(self.fontMetrics().averageCharWidth() * 110)
        outer = QHBoxLayout(page)
        outer.addStretch(1)
        outer.addWidget(column, 8)
        outer.addStretch(1)
        self._cards = QButtonGroup(self)
        self._cards.idClicked.connect(self._choose_example)
        self._links = QButtonGroup(self)
        self._links.idClicked.connect(self._choose_recent)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_title = _heading(self.tr("Recent"), column)
        layout = QVBoxLayout(column)
        layout.setSpacing(8)
        layout.addStretch(1)
        layout.addLayout(self._head(column))
        layout.addSpacing(16)
        layout.addWidget(_heading(self.tr("Examples"), column))
        layout.addLayout(self._example_cards(column))
        layout.addSpacing(8)
        layout.addWidget(self._recent_title)
        layout.addLayout(self._recent)
        layout.addStretch(2)
        self.setWidget(page)
        self.refresh_recent()

    def refresh_recent(self) -> None:
        """Show the recent models anew."""
        for button in self._links.buttons():
            self._links.removeButton(button)
            self._recent.removeWidget(button)
            button.deleteLater()
        recent = self._settings.recent[:_RECENT_SHOWN]
        for number, source in enumerate(recent):
            button = QPushButton(source.replace("&", "&&"), self)
            button.setFlat(True)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setAccessibleName(self.tr("Open {source}").format(source=source))
            self._links.addButton(button, number)
            self._recent.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)
        self._recent_title.setVisible(bool(recent))

    def example_button(self, name: str) -> QPushButton:
        """Return the card of an example."""
        number = next(number for number, example in enumerate(EXAMPLES) if example.name == name)
        button = self._cards.button(number)
        assert isinstance(button, QPushButton)
        return button

    def _head(self, parent: QWidget) -> QHBoxLayout:
        picture = QLabel(parent)
        side = self.fontMetrics().height() * 4
        picture.setPixmap(application_icon().pixmap(side, side))
        title = QLabel("hookscope", parent)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.9)
        font.setBold(True)
        title.setFont(font)
        subtitle = QLabel(self.tr("See what flows through a PyTorch model, forward and backward."), parent)
        subtitle.setProperty("quiet", True)
        subtitle.setWordWrap(True)
        self.open_button = QPushButton(self.tr("&Open model…"), parent)
        self.open_button.setProperty("primary", True)
        self.open_button.clicked.connect(self.open_requested)
        hint = QLabel(self.tr("or drop a .py file anywhere in this window"), parent)
        hint.setProperty("quiet", True)
        hint.setWordWrap(True)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(title)
        texts.addWidget(subtitle)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.open_button)
        row.addWidget(hint, 1)
        texts.addSpacing(10)
        texts.addLayout(row)
        head = QHBoxLayout()
        head.setSpacing(18)
        head.addWidget(picture, alignment=Qt.AlignmentFlag.AlignTop)
        head.addLayout(texts, 1)
        return head

    def _example_cards(self, parent: QWidget) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(8)
        for number, example in enumerate(EXAMPLES):
            card = ExampleCard(example, parent)
            self._cards.addButton(card, number)
            grid.addWidget(card, number // _CARD_COLUMNS, number % _CARD_COLUMNS)
        return grid

    @Slot(int)
    def _choose_example(self, number: int) -> None:
        self.source_chosen.emit(f"example:{EXAMPLES[number].name}")

    @Slot(int)
    def _choose_recent(self, number: int) -> None:
        self.source_chosen.emit(self._settings.recent[number])


class ExampleCard(QPushButton):
    """A button with a title and a quieter summary under it, as high as both need at the width there is."""

    def __init__(self, example: ExampleInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(example.title)
        self.setAccessibleDescription(example.summary)
        title = QLabel(example.title, self)
        title.setStyleSheet("font-weight: 600;")
        summary = QLabel(example.summary, self)
        summary.setProperty("quiet", True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(14, 9, 14, 10)
        self._column.setSpacing(2)
        for label in (title, summary):
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._column.addWidget(label)
        self._column.addStretch(1)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """Return the height at which nothing is cut off."""
        return self._column.totalHeightForWidth(width)

    def sizeHint(self) -> QSize:
        """Return the size of the texts, not that of an empty button."""
        return self._column.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size of the texts."""
        return self._column.totalMinimumSize()


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("quiet", True)
    label.setStyleSheet("font-weight: 600;")
    return label
