"""A line over a picture in which an index is typed."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from hookscope.gui.panels.base import fixed_font
from hookscope.gui.panels.picker import parse_index

_CHARS = 28


class GoToLine(QLineEdit):
    """Opens at the top of its parent, and closes with Enter, Esc and the loss of the focus.

    Signals:
        chosen: The index that was typed (`tuple`).
        closed: It is closed again.
        refused: Words: what is wrong with the text.
    """

    chosen = Signal(object)
    closed = Signal()
    refused = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._shape: tuple[int, ...] = ()
        self.setFont(fixed_font())
        self.setAccessibleName(self.tr("Index to go to"))
        self.hide()
        self.returnPressed.connect(self._choose)
        self.textEdited.connect(self._calm_down)

    def open(self, shape: Sequence[int], names: Sequence[str], index: Sequence[int] | None) -> None:
        """Ask for an index of a shape, beginning with the one that is picked."""
        self._shape = tuple(shape)
        self.setPlaceholderText(self.tr("go to {names}").format(names=", ".join(names)))
        self.setToolTip(self.tr("An index: {names}").format(names=", ".join(names)))
        self.setText(", ".join(map(str, index)) if index is not None else "")
        self.selectAll()
        width = min(self.fontMetrics().averageCharWidth() * _CHARS, self._over.width() - 16)
        self.setGeometry((self._over.width() - width) // 2, 8, width, self.sizeHint().height())
        self._calm_down()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._close()
            event.accept()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Close when something else is used."""
        super().focusOutEvent(event)
        if self.isVisible():
            self.hide()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _mark(self, is_wrong: bool) -> None:
        if bool(self.property("trouble")) != is_wrong:
            self.setProperty("trouble", is_wrong)
            self.style().polish(self)

    @Slot()
    def _calm_down(self) -> None:
        self._mark(False)

    @Slot()
    def _choose(self) -> None:
        try:
            index = parse_index(self.text(), self._shape)
        except ValueError as error:
            self._mark(True)
            self.refused.emit(
                self.tr("Expected an index of {rank} dims: {detail}").format(rank=len(self._shape), detail=error)
            )
            return
        self._close()
        self.chosen.emit(index)
