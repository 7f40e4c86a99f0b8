"""What every view of a tensor has in common."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QGraphicsView, QWidget

from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Target, ViewRequest

if TYPE_CHECKING:
    from hookscope.gui.panels.long_question import LongQuestion
    from hookscope.gui.panels.picker import Ask
    from hookscope.gui.panels.subject import Subject
    from hookscope.gui.panels.tensor_memory import TensorMemory


class TensorView(QWidget):
    """One way of showing a tensor: knows what to ask for and how to draw the answer; everything else is the panel's.

    Subclasses keep their items and give them new data; nothing is cleared and built again.

    Attributes:
        corner: A small control that the panel puts at the end of its bottom line, if any.

    Signals:
        request_changed: The person chose something that needs another answer (a page, a sample, a part of a table).
        pointed: Text about what is under the pointer; empty when it left.
        remarks_changed: `remarks` are others now, without a new picture.
    """

    request_changed = Signal()
    pointed = Signal(str)
    remarks_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.corner: QWidget | None = None

    def use(self, memory: "TensorMemory", ask: "Ask") -> None:
        """Take what a panel lends its views: the choices of its window, and questions to the debuggee; called once."""

    def count_with(self, counter: "LongQuestion") -> None:
        """Take what has all elements looked at, where else a sample would do; called once."""

    def aim(self, subject: "Subject") -> None:
        """Get ready for a tensor before its first answer, and again whenever its spec is another one."""

    def request(self) -> ViewRequest:
        """Return what to ask for now."""
        raise NotImplementedError

    def draw(self, answer: ViewReady) -> None:
        """Draw an answer to `request`; it is never a `NoPicture`."""
        raise NotImplementedError

    def note_sight(self, is_seen: bool) -> None:
        """Learn whether a person can see the panel; told when it may have gone behind a tab or come out."""

    @property
    def has_elements(self) -> bool:
        """Whether single elements are shown, which a person can go to."""
        return False

    def ask_for_index(self) -> None:
        """Ask a person for an index, and go to that element; for views that have elements."""
        raise NotImplementedError

    def look_for(self, what: Target) -> None:
        """Go to the largest, the smallest or the first value that is not finite; for views that have elements."""
        raise NotImplementedError

    def remarks(self) -> str:
        """Return what the picture itself cannot say: counts of what is not finite, what was left out."""
        return ""

    def summary(self) -> str:
        """Return the picture in words, for a screen reader."""
        return self.remarks()

    def plot(self) -> QGraphicsView | None:
        """Return the view to write as SVG, if there is one."""
        return None

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours; called once at the start and after every change of the palette."""

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette, which pyqtgraph does not do by itself."""
        if event.type() == QEvent.Type.PaletteChange:
            self.apply_theme(theme_of(self.palette()))
        super().changeEvent(event)


def fixed_font(size: float = 1.0) -> QFont:
    """Return the fixed-width face for numbers, `size` times as large as the system's."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * size)
    return font
