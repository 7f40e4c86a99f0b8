"""The Qt model of the module tree: a tree layout, the rows that the filter keeps, check marks, newest outputs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from hookscope.client.session import DebugSession
from hookscope.figures.text import format_number, format_shape, type_label
from hookscope.gui.badge_text import badge_label
from hookscope.gui.module_tree.changes import changes_of
from hookscope.gui.module_tree.checks import CheckMarks, Mark
from hookscope.gui.module_tree.layout import ROOT_PARENT, ShownRows, TreeLayout
from hookscope.gui.module_tree.mode_tag import ModeTag, tag_of
from hookscope.gui.module_tree.node_badges import node_badges
from hookscope.gui.module_tree.tooltip import module_tooltip
from hookscope.protocol.tensors import Badge, Record

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """The columns, from left to right."""

    MODULE = 0
    OUTPUT = 1
    DTYPE = 2
    PARAMETERS = 3
    DEVICE = 4


CLASS_ROLE = Qt.ItemDataRole.UserRole
"""Role of the class of a module and its remarks, which are drawn quietly behind its name."""
ABSENT_ROLE = Qt.ItemDataRole.UserRole + 1
"""Role that is true where a hook has something to say but no tensor to show."""
BADGES_ROLE = Qt.ItemDataRole.UserRole + 2
"""Role of the badges of a module, the most important first."""
TAG_ROLE = Qt.ItemDataRole.UserRole + 3
"""Role of the `ModeTag` of a module, or `None`."""
ABSENT = "–"

_STATES = {
    Mark.NONE: Qt.CheckState.Unchecked,
    Mark.SOME: Qt.CheckState.PartiallyChecked,
    Mark.ALL: Qt.CheckState.Checked,
}
_LEAF = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
_CONTAINER = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_CHECKABLE = Qt.ItemFlag.ItemIsUserCheckable
# By whether the module has rows inside and whether its box can be clicked; combining flags is slow for every row.
_FLAGS = {
    (False, False): _LEAF,
    (False, True): _LEAF | _CHECKABLE,
    (True, False): _CONTAINER,
    (True, True): _CONTAINER | _CHECKABLE,
}
_ANNOUNCED_ROWS = 64
"""For more changed rows than this, views are told to draw themselves anew: they look at every announced row."""


@dataclass(frozen=True)
class _Findings:
    """What the newest step told about a module: its first output, and what is to be known."""

    output: Record | None
    badges: tuple[Badge, ...]

    @property
    def look(self) -> object:
        """What the tree shows of it."""
        output = self.output
        return self.badges, None if output is None else (output.spec, output.badges)


class ModuleTreeModel(QAbstractItemModel):
    """Modules as rows; an index carries its module's index in the layout as internal id.

    Only another tree and another filter reset the model. Everything else is a `dataChanged` of what really changed.

    Args:
        session: Whose records are shown; read for the rows that are drawn and for no others.
        parent: The owner.

    Signals:
        check_requested: The whole set of paths (`tuple[str, ...]`) that should be checked after a click on a box.
        redraw_requested: So many rows changed that they were not announced one by one.
    """

    check_requested = Signal(object)
    redraw_requested = Signal()

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._layout = TreeLayout.of(None)
        self._marks = CheckMarks(self._layout)
        self._findings: dict[int, _Findings] = {}
        self._shown = ShownRows(self._layout)
        self._checkable = False
        self._readers: dict[int, Callable[[int, int], object]] = {
            Qt.ItemDataRole.DisplayRole: self._display,
            Qt.ItemDataRole.CheckStateRole: self._check_state,
            Qt.ItemDataRole.ToolTipRole: self._tooltip,
            Qt.ItemDataRole.AccessibleTextRole: self._accessible_text,
            CLASS_ROLE: self._class_text,
            ABSENT_ROLE: self._is_absent,
            BADGES_ROLE: self._badges,
            TAG_ROLE: self._tag,
        }

    @property
    def session(self) -> DebugSession:
        """The session whose model is shown."""
        return self._session

    @property
    def layout(self) -> TreeLayout:
        """The whole tree, whatever the filter keeps of it."""
        return self._layout

    @property
    def shown(self) -> ShownRows:
        """The rows that the filter keeps."""
        return self._shown

    @property
    def marks(self) -> CheckMarks:
        """The check marks shown."""
        return self._marks

    @property
    def is_checkable(self) -> bool:
        """Whether boxes can be clicked now."""
        return self._checkable

    def set_tree(self, layout: TreeLayout, marks: CheckMarks) -> None:
        """Take another tree, without outputs; no row is shown before `set_rows`."""
        self.beginResetModel()
        self._layout, self._marks = layout, marks
        self._findings.clear()
        self._shown = ShownRows(layout)
        self.endResetModel()

    def set_rows(self, kept: Iterable[int]) -> None:
        """Show these modules of the tree only; ancestors must be among them, and the order be the tree's."""
        self.beginResetModel()
        self._shown = ShownRows(self._layout, kept)
        self.endResetModel()

    def set_marks(self, marks: CheckMarks) -> None:
        """Show other check marks."""
        former, self._marks = self._marks, marks
        self._announce(former.differing(marks), Column.MODULE, Column.MODULE)

    def refresh_findings(self, paths: Iterable[str]) -> None:
        """Read what is known of these modules again; rows that look the same as before are not announced."""
        found = (self._layout.index_of.get(path) for path in paths)
        # What was never drawn has no findings yet and is read when it is.
        drawn = [index for index in found if index is not None and index in self._findings]
        changed = []
        for index in drawn:
            former, self._findings[index] = self._findings[index], self._read_findings(index)
            if former.look != self._findings[index].look:
                changed.append(index)
        self._announce(changed, Column.MODULE, Column.DTYPE)

    def forget_findings(self) -> None:
        """Read everything again when it is drawn."""
        self._findings.clear()
        self.redraw_requested.emit()

    def set_checkable(self, checkable: bool) -> None:
        """Say whether boxes can be clicked now."""
        if checkable != self._checkable:
            self._checkable = checkable
            self._announce(self._shown.row_of, Column.MODULE, Column.MODULE)

    def index_of(self, module: int) -> QModelIndex:
        """Return the first cell of a module, invalid when the filter hides it."""
        row = self._shown.row_of.get(module)
        return _ROOT if row is None else self.createIndex(row, Column.MODULE, module)

    def _announce(self, modules: Iterable[int], first: Column, last: Column) -> None:
        """Emit one `dataChanged` per parent, for it cannot span parents."""
        shown = [index for index in modules if index in self._shown.row_of]
        if len(shown) > _ANNOUNCED_ROWS:
            self.redraw_requested.emit()
            return
        spans: dict[int, tuple[int, int]] = {}
        for index in shown:
            parent, row = self._layout.modules[index].parent, self._shown.row_of[index]
            low, high = spans.get(parent, (row, row))
            spans[parent] = (min(low, row), max(high, row))
        for parent, (low, high) in spans.items():
            siblings = self._shown.inside[parent]
            self.dataChanged.emit(
                self.createIndex(low, first, siblings[low]), self.createIndex(high, last, siblings[high])
            )

    def _found(self, index: int) -> _Findings:
        if index not in self._findings:
            self._findings[index] = self._read_findings(index)
        return self._findings[index]

    def _read_findings(self, index: int) -> _Findings:
        module, records = self._layout.modules[index], self._session.records
        badges = node_badges(
            module,
            records.of(module.path),
            records.calls(module.path),
            run_eagerly=self._session.settings.run_eagerly,
            changes=changes_of(self._session.interventions, module),
        )
        return _Findings(records.output(module.path), badges)

    # What Qt asks for; called for every row that is laid out, so kept lean.

    def index(self, row: int, column: int, parent: AnyIndex = _ROOT) -> QModelIndex:
        """Return a cell."""
        siblings = self._shown.inside.get(parent.internalId() if parent.isValid() else ROOT_PARENT, ())
        if 0 <= row < len(siblings) and 0 <= column < len(Column):
            return self.createIndex(row, column, siblings[row])
        return QModelIndex()

    def parent(self, child: AnyIndex) -> QModelIndex:  # type: ignore[override]
        """Return the first cell of the row above."""
        if not child.isValid():
            return QModelIndex()
        above = self._layout.modules[child.internalId()].parent
        return QModelIndex() if above == ROOT_PARENT else self.createIndex(self._shown.row_of[above], 0, above)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of shown modules directly inside another."""
        if not parent.isValid():
            return len(self._shown.inside.get(ROOT_PARENT, ()))
        return len(self._shown.inside.get(parent.internalId(), ())) if parent.column() == 0 else 0

    def hasChildren(self, parent: AnyIndex = _ROOT) -> bool:
        """Return whether any module inside is shown."""
        return self.rowCount(parent) > 0

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:  # noqa: ARG002 - every row has the same columns
        """Return the number of columns."""
        return len(Column)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _FLAGS[index.internalId() in self._shown.inside, self._checkable and index.column() == 0]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title, right-aligned above numbers."""
        if role == Qt.ItemDataRole.TextAlignmentRole and section == Column.PARAMETERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        titles = (self.tr("Module"), self.tr("Output"), self.tr("dtype"), self.tr("Parameters"), self.tr("Device"))
        return titles[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        reader = self._readers.get(role)
        return reader(index.internalId(), index.column()) if reader is not None and index.isValid() else None

    def setData(self, index: AnyIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: ARG002
        """Ask for the toggled marks; whatever state Qt proposes, the box of a container decides itself."""
        if role != Qt.ItemDataRole.CheckStateRole or not self.flags(index) & _CHECKABLE:
            return False
        self.check_requested.emit(self._marks.toggled(index.internalId()))
        return True

    # One reader a role.

    def _display(self, index: int, column: int) -> str:
        module, output = self._layout.modules[index], self._found(index).output
        match column:
            case Column.MODULE:
                return module.name
            case Column.OUTPUT if output is not None:
                return _output_text(output)
            case Column.DTYPE if output is not None and output.spec is not None:
                return output.spec.dtype
            case Column.PARAMETERS if module.parameter_count:
                return format_number(module.parameter_count)
            case Column.DEVICE:
                return module.device
        return ""

    def _check_state(self, index: int, column: int) -> Qt.CheckState | None:
        return _STATES[self._marks.mark(index)] if column == Column.MODULE else None

    def _tooltip(self, index: int, column: int) -> str:  # noqa: ARG002 - the same for every column
        tag = self._tag(index, Column.MODULE)
        module = self._layout.modules[index]
        changes = changes_of(self._session.interventions, module)
        return module_tooltip(module, self._found(index).badges, tag, changes)

    def _accessible_text(self, index: int, column: int) -> str:
        text, tag = self._display(index, column), self._tag(index, column)
        if column != Column.MODULE:
            return text
        labels = [badge_label(badge) for badge in self._found(index).badges]
        return ", ".join([text, self._class_text(index, column), *([tag.text] if tag is not None else []), *labels])

    def _class_text(self, index: int, column: int) -> str:
        module = self._layout.modules[index]
        if column != Column.MODULE:
            return ""
        # The root has no name of its own: it goes by its class.
        class_name = module.class_name if module.path else ""
        return " ".join(filter(None, (class_name, self.tr("(in-place)") if module.in_place else "")))

    def _is_absent(self, index: int, column: int) -> bool:
        output = self._found(index).output
        return column == Column.OUTPUT and output is not None and output.spec is None and not output.instead

    def _badges(self, index: int, column: int) -> tuple[Badge, ...]:
        return self._found(index).badges if column == Column.MODULE else ()

    def _tag(self, index: int, column: int) -> ModeTag | None:
        return tag_of(self._session, self._layout.modules[index].path) if column == Column.MODULE else None


def _output_text(output: Record) -> str:
    if output.spec is not None:
        return format_shape(output.spec.shape)
    return type_label(output.instead) or ABSENT
