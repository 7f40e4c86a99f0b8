"""Bookmarks on events, each with a note if a person wants one: a row of small buttons."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QMenu, QSizePolicy, QToolButton, QWidget

from hookscope.gui.assets import icon
from hookscope.gui.theme import theme_of

SHORTCUTS = 9
"""The first bookmarks have a key of their own, Ctrl+1 to Ctrl+9."""

_LABEL_CHARS = 24


@dataclass(frozen=True)
class Bookmark:
    """An event that a person wants to come back to.

    Attributes:
        step: Its step.
        number: Its number in the step.
        label: What it is called.
        note: What a person wrote about it.
    """

    step: int
    number: int
    label: str
    note: str = ""


class BookmarkBar(QWidget):
    """Keeps bookmarks in their order and shows a button for each; without any it is hidden.

    Signals:
        changed: Bookmarks were added, removed or given another note.
        chosen: The button of a bookmark (its index) was clicked.
    """

    changed = Signal()
    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bookmarks: list[Bookmark] = []
        self._buttons: list[QToolButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Bookmarks"))
        self.hide()

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """All bookmarks, oldest first."""
        return tuple(self._bookmarks)

    def numbers_of(self, step: int) -> frozenset[int]:
        """Return the numbers of the events of a step that have one."""
        return frozenset(bookmark.number for bookmark in self._bookmarks if bookmark.step == step)

    def toggle(self, bookmark: Bookmark) -> None:
        """Set a bookmark on an event, or take away the one that is there."""
        place = (bookmark.step, bookmark.number)
        others = [other for other in self._bookmarks if (other.step, other.number) != place]
        self._set(others if len(others) < len(self._bookmarks) else [*others, bookmark])

    def remove(self, index: int) -> None:
        """Take a bookmark away."""
        self._set(self._bookmarks[:index] + self._bookmarks[index + 1 :])

    def write_note(self, index: int, note: str) -> None:
        """Give a bookmark another note."""
        changed = replace(self._bookmarks[index], note=note.strip())
        self._set([*self._bookmarks[:index], changed, *self._bookmarks[index + 1 :]])

    def clear(self) -> None:
        """Take all away: they are of another model."""
        self._set([])

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons again when the theme has changed."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()

    def _set(self, bookmarks: list[Bookmark]) -> None:
        if bookmarks == self._bookmarks:
            return
        self._bookmarks = bookmarks
        while len(self._buttons) < len(bookmarks):
            self._add_button()
        for index, button in enumerate(self._buttons):
            button.setVisible(index < len(bookmarks))
            if index < len(bookmarks):
                self._describe(button, index, bookmarks[index])
        self.setVisible(bool(bookmarks))
        self.changed.emit()

    def _add_button(self) -> None:
        button = QToolButton(self)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        button.setProperty("index", len(self._buttons))
        button.clicked.connect(self._choose)
        button.customContextMenuRequested.connect(self._open_menu)
        self._row.insertWidget(len(self._buttons), button)
        self._buttons.append(button)
        self._tint()

    def _describe(self, button: QToolButton, index: int, bookmark: Bookmark) -> None:
        text = bookmark.note or bookmark.label
        elided = button.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, _LABEL_CHARS * button.fontMetrics().averageCharWidth()
        )
        button.setText(elided)
        where = self.tr("Step {step}, event {number}: {event}").format(
            step=bookmark.step, number=bookmark.number, event=bookmark.label
        )
        key = f"Ctrl+{index + 1}" if index < SHORTCUTS else ""
        button.setToolTip("\n".join(filter(None, (where, bookmark.note, key))))
        button.setAccessibleName(self.tr("Bookmark {text}").format(text=text))
        button.setAccessibleDescription(where)

    def _tint(self) -> None:
        side = self.fontMetrics().ascent()
        for button in self._buttons:
            button.setIcon(icon("msc.bookmark", theme_of(self.palette()).accent))
            button.setIconSize(QSize(side, side))

    @Slot()
    def _choose(self) -> None:
        self.chosen.emit(self.sender().property("index"))

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        button = self.sender()
        assert isinstance(button, QToolButton)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, slot in ((self.tr("Edit &note…"), self._edit_note), (self.tr("&Remove bookmark"), self._remove)):
            action = menu.addAction(text)
            action.setData(button.property("index"))
            action.triggered.connect(slot)
        menu.popup(button.mapToGlobal(place))

    @Slot()
    def _edit_note(self) -> None:
        index = self._index_of_action()
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setProperty("index", index)
        dialog.setWindowTitle(self.tr("Note"))
        dialog.setLabelText(self.tr("Note on event {number}:").format(number=self._bookmarks[index].number))
        dialog.setTextValue(self._bookmarks[index].note)
        dialog.textValueSelected.connect(self._take_note)
        dialog.open()

    @Slot(str)
    def _take_note(self, note: str) -> None:
        self.write_note(self.sender().property("index"), note)

    @Slot()
    def _remove(self) -> None:
        self.remove(self._index_of_action())

    def _index_of_action(self) -> int:
        action = self.sender()
        assert isinstance(action, QAction)
        return int(action.data())
