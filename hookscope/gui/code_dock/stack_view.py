"""The frames of a stop, the innermost first; runs of library frames are folded into one row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import PurePath

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from hookscope.gui.cells import BoxDelegate
from hookscope.protocol.stops import StackFrame

_FRAME_ROLE = Qt.ItemDataRole.UserRole
_LINES = 5


class StackView(QTreeWidget):
    """Shows frames; the user's own innermost one is selected first.

    Signals:
        frame_selected: A frame (`StackFrame`) was chosen, by a person or as the first one.
        copy_requested: The place of a frame should be copied.
        editor_requested: A frame should be opened in an editor.
    """

    frame_selected = Signal(object)
    copy_requested = Signal(object)
    editor_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(BoxDelegate(self))
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setIndentation(self.fontMetrics().height())
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAccessibleName(self.tr("Call stack"))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setMinimumHeight(_LINES * self.fontMetrics().lineSpacing())
        self._menu = QMenu(self)
        self._menu.addAction(self.tr("Copy location"), self._copy)
        self._menu.addAction(self.tr("Open in editor"), self._edit)
        self.customContextMenuRequested.connect(self._open_menu)
        self.currentItemChanged.connect(self._choose)
        self.itemActivated.connect(self._open)
        self.itemClicked.connect(self._unfold)

    def show_frames(self, frames: Sequence[StackFrame]) -> None:
        """Show frames, given innermost last."""
        self.clear()
        users: list[QTreeWidgetItem] = []
        for is_user, run in groupby(reversed(frames), key=attrgetter("user")):
            items = list(_items(run))
            users += items if is_user else []
            self.addTopLevelItems(items if is_user else [self._folded(items)])
        for first in users[:1]:
            self.setCurrentItem(first, 0, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def selected_frame(self) -> StackFrame | None:
        """Return the chosen frame."""
        item = self.currentItem()
        return item.data(0, _FRAME_ROLE) if item is not None else None

    def _folded(self, items: list[QTreeWidgetItem]) -> QTreeWidgetItem:
        text = self.tr("1 library frame") if len(items) == 1 else self.tr("{count} library frames")
        item = QTreeWidgetItem([f"▸ {text.format(count=len(items))}", ""])
        item.setForeground(0, self.palette().placeholderText())
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.addChildren(items)
        return item

    @Slot(QTreeWidgetItem)
    def _unfold(self, item: QTreeWidgetItem) -> None:
        if item.childCount():
            item.setExpanded(not item.isExpanded())
            arrow = "▾" if item.isExpanded() else "▸"
            item.setText(0, f"{arrow} {item.text(0)[2:]}")

    @Slot()
    def _choose(self) -> None:
        frame = self.selected_frame()
        if frame is not None:
            self.frame_selected.emit(frame)

    @Slot(QTreeWidgetItem)
    def _open(self, item: QTreeWidgetItem) -> None:
        frame = item.data(0, _FRAME_ROLE)
        if frame is not None:
            self.editor_requested.emit(frame)

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        if self.selected_frame() is not None:
            self._menu.popup(self.viewport().mapToGlobal(place))

    @Slot()
    def _copy(self) -> None:
        self.copy_requested.emit(self.selected_frame())

    @Slot()
    def _edit(self) -> None:
        self.editor_requested.emit(self.selected_frame())


def location(frame: StackFrame) -> str:
    """Return a frame's place as tools take it, `file:line`."""
    return f"{frame.file}:{frame.line}"


def _items(frames: Iterable[StackFrame]) -> Iterator[QTreeWidgetItem]:
    for frame in frames:
        item = QTreeWidgetItem([frame.function, f"{PurePath(frame.file).name}:{frame.line}"])
        item.setData(0, _FRAME_ROLE, frame)
        for column in (0, 1):
            item.setToolTip(column, f"{location(frame)}\n{frame.text.strip()}")
        yield item
