"""A card of text in a panel: what there is, where it has no picture."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QMargins, Qt
from PySide6.QtGui import QColor, QFont, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.theme import theme_of

_GAP = 4


@dataclass(frozen=True)
class CardWords:
    """What a card says.

    Attributes:
        what: What it is: of a tensor its shape, dtype and device, of anything else its name and type.
        value: Its value, or a row for each of its parts.
        sentence: Why there is no picture.
    """

    what: str
    value: str
    sentence: str

    @property
    def text(self) -> str:
        """All of it, for a place that has no card."""
        return "\n\n".join(filter(None, (self.what, self.value, self.sentence)))


class TextCard(QTextEdit):
    """Shows the words in the middle, wrapped anywhere, and scrolls when there is no room for them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = CardWords("", "", "")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Much text must not keep a panel from getting small.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.document().setDocumentMargin(0)
        self.setStyleSheet("background: transparent")  # a part of its panel, and no field

    @property
    def words(self) -> CardWords:
        """What it says."""
        return self._words

    def show_words(self, words: CardWords) -> None:
        """Say something; what is selected stays when it is the same as before."""
        if words != self._words:
            self._words = words
            self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the words in the middle."""
        super().resizeEvent(event)
        self._center()

    def changeEvent(self, event: QEvent) -> None:
        """Write again in another theme's colours, or another font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange}:
            self._write()

    def _write(self) -> None:
        theme = theme_of(self.palette())
        self.clear()
        blocks = (
            (self._words.what, theme.text, self.font()),
            (self._words.value, theme.text, fixed_font()),
            (self._words.sentence, theme.quiet, self.font()),
        )
        cursor = self.textCursor()
        for text, color, font in blocks:
            if text:
                gap = 0 if self.document().isEmpty() else _GAP
                if gap:
                    cursor.insertBlock()
                cursor.setBlockFormat(_block_format(gap))
                cursor.insertText(text, _char_format(color, font))
        self.setAccessibleName(self._words.text)
        self._center()

    def _center(self) -> None:
        room = self.contentsRect().height() - round(self.document().size().height())
        margins = QMargins(0, max(room // 2, 0), 0, 0)
        if margins != self.viewportMargins():
            self.setViewportMargins(margins)


def _block_format(gap: int) -> QTextBlockFormat:
    block = QTextBlockFormat()
    block.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    block.setTopMargin(gap)
    return block


def _char_format(color: str, font: QFont) -> QTextCharFormat:
    letters = QTextCharFormat()
    letters.setFont(font)
    letters.setForeground(QColor(color))
    return letters
