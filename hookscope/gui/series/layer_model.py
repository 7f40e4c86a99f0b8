"""The Qt model of all layers side by side."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QGuiApplication

from hookscope.figures.flow_words import word_row, word_value, word_verdict
from hookscope.figures.gradient_flow import Flow, FlowRow, Measure, Verdict
from hookscope.gui.cells import fixed_font
from hookscope.gui.series.following import translate
from hookscope.gui.theme import theme_of

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """The columns, from left to right."""

    LAYER = 0
    BAR = 1
    VALUE = 2
    MARK = 3
    VERDICT = 4


class LayerModel(QAbstractTableModel):
    """One row a layer; everything is made when a row is drawn, for there may be thousands."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow = Flow()
        self._measure = Measure.GRAD_OUTPUT
        self._root = ""
        self._is_running = False
        self._row_of: dict[str, int] = {}

    @property
    def flow(self) -> Flow:
        """What is shown."""
        return self._flow

    @property
    def measure(self) -> Measure:
        """What is compared."""
        return self._measure

    def show_flow(self, flow: Flow, measure: Measure, root: str, *, is_running: bool = False) -> None:
        """Show layers.

        Args:
            flow: The layers.
            measure: What is compared.
            root: What the root module is called.
            is_running: Whether their step has not come to its end.
        """
        self._is_running = is_running
        paths = [row.path for row in flow.rows]
        if paths == [row.path for row in self._flow.rows]:
            self._flow, self._measure, self._root = flow, measure, root
            if paths:
                self.dataChanged.emit(self.index(0, 0), self.index(len(paths) - 1, len(Column) - 1))
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.BAR, Column.BAR)
            return
        self.beginResetModel()
        self._flow, self._measure, self._root = flow, measure, root
        self._row_of = {path: row for row, path in enumerate(paths)}
        self.endResetModel()

    def row_of(self, path: str | None) -> int:
        """Return the row of a module, or -1."""
        return -1 if path is None else self._row_of.get(path, -1)

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of layers."""
        return 0 if parent.isValid() else len(self._flow.rows)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title; the header draws the axis over the bars."""
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self.tr("Layer") if section == Column.LAYER else ""

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell says in a role."""
        if not index.isValid():
            return None
        read = _READERS.get(role)
        return read(self, self._flow.rows[index.row()], Column(index.column())) if read is not None else None

    def text_of(self, row: FlowRow, column: Column) -> str:
        """Return what stands in a cell."""
        match column:
            case Column.LAYER:
                return row.path or self._root
            case Column.BAR | Column.MARK:
                return ""
            case Column.VALUE:
                return word_value(row)
            case Column.VERDICT:
                return word_verdict(row, self._measure, translate, is_running=self._is_running)

    def sentence_of(self, row: FlowRow, _column: Column) -> str:
        """Return the whole of a row in one sentence."""
        return word_row(row, self._measure, self._root, translate, is_running=self._is_running)


def _color(_model: LayerModel, row: FlowRow, column: Column) -> QColor | None:
    theme = theme_of(QGuiApplication.palette())
    if column is Column.VERDICT and (row.non_finite or row.verdict is Verdict.EXPLODING):
        return QColor(theme.trouble)
    is_quiet = column is Column.VERDICT or (column is Column.VALUE and row.value is None)
    return QColor(theme.quiet) if is_quiet and row.verdict is not Verdict.VANISHING else None


def _font(_model: LayerModel, _row: FlowRow, column: Column) -> Any:
    return fixed_font(QGuiApplication.font()) if column is Column.VALUE else None


def _alignment(_model: LayerModel, _row: FlowRow, column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column is Column.VALUE else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _spoken(model: LayerModel, row: FlowRow, column: Column) -> str:
    return model.sentence_of(row, column) if column is Column.LAYER else model.text_of(row, column)


_READERS: dict[int, Callable[[LayerModel, FlowRow, Column], Any]] = {
    Qt.ItemDataRole.DisplayRole: LayerModel.text_of,
    Qt.ItemDataRole.ForegroundRole: _color,
    Qt.ItemDataRole.FontRole: _font,
    Qt.ItemDataRole.TextAlignmentRole: _alignment,
    Qt.ItemDataRole.ToolTipRole: LayerModel.sentence_of,
    Qt.ItemDataRole.AccessibleTextRole: _spoken,
}
"""What each role asks for."""
