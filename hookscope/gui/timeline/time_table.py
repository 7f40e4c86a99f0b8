"""The table beside the flame view: modules by the time that they take themselves, and the memory that they allocate."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from hookscope.figures.flame import FlameNode
from hookscope.figures.text import format_duration
from hookscope.gui.cells import BoxDelegate
from hookscope.gui.timeline.names import ModuleNames, signed_bytes, translate

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass
class ModuleTime:
    """What one module took, wherever it was called.

    Attributes:
        path: The module.
        own_s: Seconds that nothing inside it accounts for.
        share: Its share of all.
        forward_s: Seconds of its forward passes.
        backward_s: Seconds of its backward passes.
        allocated_bytes: What its forward passes have allocated and not given back.
    """

    path: str
    own_s: float = 0.0
    share: float = 0.0
    forward_s: float = 0.0
    backward_s: float = 0.0
    allocated_bytes: int = 0


def times_of(nodes: tuple[FlameNode, ...]) -> list[ModuleTime]:
    """Add up the bars of each module."""
    times: dict[str, ModuleTime] = {}
    whole_s = sum(node.total_s for node in nodes if node.depth == 0) or 1.0
    for node in nodes:
        time = times.setdefault(node.path, ModuleTime(node.path))
        time.own_s += node.own_s
        time.share += node.own_s / whole_s
        time.forward_s += node.forward_s
        time.backward_s += node.backward_s
        time.allocated_bytes += node.allocated_bytes
    return list(times.values())


@dataclass(frozen=True)
class _Column:
    title: str
    tip: str
    chars: int
    value: Callable[[ModuleTime], Any]
    text: Callable[[Any], str] = str


def _share_text(share: float) -> str:
    return f"{100 * share:.1f} %"


_COLUMNS = (
    _Column("Module", "", 18, lambda time: time.path),
    _Column("Itself", "Forward and backward without what is inside", 10, lambda time: time.own_s, format_duration),
    _Column("Share", "Share of the step", 9, lambda time: time.share, _share_text),
    _Column("Forward", "With what is inside", 10, lambda time: time.forward_s, format_duration),
    _Column("Backward", "With what is inside", 11, lambda time: time.backward_s, format_duration),
    _Column("Memory", "Allocated in forward and not given back", 10, lambda time: time.allocated_bytes, signed_bytes),
)
_OWN = 1


class TimeTableModel(QAbstractTableModel):
    """One row a module. Memory has a column only where it is measured."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._times: list[ModuleTime] = []
        self._names = ModuleNames({})
        self._has_memory = False
        self._order = (_OWN, Qt.SortOrder.DescendingOrder)

    def show_times(self, times: list[ModuleTime], names: ModuleNames, *, has_memory: bool) -> None:
        """Show another step."""
        self.beginResetModel()
        self._times, self._names, self._has_memory = times, names, has_memory
        self._sort()
        self.endResetModel()

    def path_at(self, row: int) -> str:
        """Return the module of a row."""
        return self._times[row].path

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of modules."""
        return 0 if parent.isValid() else len(self._times)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(_COLUMNS) - (not self._has_memory)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title, and what it means."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            reason = "" if self._has_memory else translate("Memory is measured per module on CUDA devices only.")
            return "\n".join(filter(None, (translate(_COLUMNS[section].tip), reason)))
        return translate(_COLUMNS[section].title) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        column = _COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                path = self._times[index.row()].path
                is_name = index.column() == 0
                return (
                    self._names.within(path, None) if is_name else column.text(column.value(self._times[index.row()]))
                )
            case Qt.ItemDataRole.TextAlignmentRole if index.column():
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the rows into another order."""
        self.layoutAboutToBeChanged.emit()
        self._order = (column, order)
        self._sort()
        self.layoutChanged.emit()

    def _sort(self) -> None:
        column, order = self._order
        self._times.sort(key=_COLUMNS[column].value, reverse=order is Qt.SortOrder.DescendingOrder)


class TimeTable(QTreeView):
    """Shows a `TimeTableModel`, the slowest first.

    Signals:
        module_chosen: A person went to a row; the path of its module.
    """

    module_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.times = TimeTableModel(self)
        self._is_showing = False
        self.setModel(self.times)
        self.setItemDelegate(BoxDelegate(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setAccessibleName(self.tr("Time and memory of each module"))
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSortingEnabled(True)
        self.sortByColumn(_OWN, Qt.SortOrder.DescendingOrder)
        self.header().setStretchLastSection(False)
        self._size_columns()

    def show_times(self, times: list[ModuleTime], names: ModuleNames, *, has_memory: bool) -> None:
        """Show another step."""
        self.times.show_times(times, names, has_memory=has_memory)
        self._size_columns()

    def sizeHint(self) -> QSize:
        """Return room for all columns."""
        chars = sum(column.chars for column in _COLUMNS[: self.times.columnCount()])
        return QSize(chars * self.fontMetrics().averageCharWidth(), super().sizeHint().height())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell which module a person went to."""
        super().selectionChanged(selected, deselected)
        if not selected.isEmpty():
            self.module_chosen.emit(self.times.path_at(selected.indexes()[0].row()))

    def _size_columns(self) -> None:
        header, character = self.header(), self.fontMetrics().averageCharWidth()
        for section in range(self.times.columnCount()):
            header.resizeSection(section, _COLUMNS[section].chars * character)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
