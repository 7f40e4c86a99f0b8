"""The inputs of a workload: which of them require a gradient, and made-up ones to run on instead."""

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hookscope.figures.text import format_shape, leaf_label
from hookscope.gui.cells import BoxDelegate, fixed_font
from hookscope.protocol.workload import InputInfo, parse_inputs

_COLUMNS = range(3)
_DTYPE = 2

MAX_ROWS = 8
"""The table is as high as its rows, and scrolls from this many on."""


class InputTable(QTreeWidget):
    """The input leaves of the current batch, each with a tick that asks for its gradient.

    Signals:
        ticks_changed: The leaves that shall require a gradient (`tuple[str, ...]`), after a person ticked one.
    """

    ticks_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[InputInfo, ...] = ()
        self._items: list[QTreeWidgetItem] = []
        self.setHeaderLabels((self.tr("Requires grad"), self.tr("Shape"), self.tr("dtype")))
        self.headerItem().setToolTip(0, self.tr("Backward computes the gradient of a ticked input, too."))
        self.setAccessibleName(self.tr("Inputs"))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setItemDelegate(BoxDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.itemChanged.connect(self._tell_ticks)

    def show_inputs(self, inputs: tuple[InputInfo, ...], ticked: Collection[str]) -> None:
        """Show inputs, and which of them require a gradient."""
        with QSignalBlocker(self):
            if inputs != self._shown:
                self.clear()
                self._shown, self._items = inputs, [self._item(info) for info in inputs]
                self.addTopLevelItems(self._items)
            for info, item in zip(inputs, self._items, strict=True):
                is_ticked = info.can_require_grad and info.leaf in ticked
                state = Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked
                item.setCheckState(0, state)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the dtypes to the tips where there is no room for what the ticks mean."""
        super().resizeEvent(event)
        needed = sum(max(self.header().sectionSizeHint(column), self.sizeHintForColumn(column)) for column in _COLUMNS)
        self.setColumnHidden(_DTYPE, needed > self.viewport().width())

    def sizeHint(self) -> QSize:
        """Return the height of the rows."""
        rows = min(len(self._items), MAX_ROWS)
        row_height = self.sizeHintForRow(0) if rows else 0
        return QSize(super().sizeHint().width(), self.header().sizeHint().height() + rows * row_height + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the same height: a table cut off in the middle of a row helps nobody."""
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def _item(self, info: InputInfo) -> QTreeWidgetItem:
        name = self.tr("input {name}").format(name=leaf_label(info.leaf)).rstrip()
        item = QTreeWidgetItem((name, format_shape(info.spec.shape), info.spec.dtype))
        item.setFont(1, fixed_font(self.font()))
        item.setToolTip(1, info.spec.dtype)
        if info.can_require_grad:
            item.setToolTip(0, self.tr("{leaf}: tick to see its gradient").format(leaf=info.leaf))
        else:
            item.setDisabled(True)
            reason = self.tr("{leaf}: a tensor of {dtype} cannot have a gradient")
            item.setToolTip(0, reason.format(leaf=info.leaf, dtype=info.spec.dtype))
        return item

    @Slot()
    def _tell_ticks(self) -> None:
        shown = zip(self._shown, self._items, strict=True)
        self.ticks_changed.emit(tuple(info.leaf for info, item in shown if item.checkState(0) == Qt.CheckState.Checked))


class InputForm(QWidget):
    """A line in which made-up inputs are typed. What cannot be read stays in the line, with the reason below.

    Signals:
        inputs_given: Inputs (`tuple[SyntheticInput, ...]`) to run on from now on.
    """

    inputs_given = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText("1x3x32x32")
        self.field.setToolTip(
            self.tr(
                "One or more inputs, separated by semicolons: 1x3x32x32, float64(8, 10), or int64<1000(1, 16) for "
                "whole numbers below 1000."
            )
        )
        self.button = QPushButton(self.tr("Apply"))
        self.message = QLabel()
        self.message.setProperty("trouble", True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.hide()
        label = QLabel(self.tr("&Made-up inputs"))
        label.setBuddy(self.field)
        row, rows = QHBoxLayout(), QVBoxLayout(self)
        row.addWidget(self.field)
        row.addWidget(self.button)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(label)
        rows.addLayout(row)
        rows.addWidget(self.message)
        self.field.returnPressed.connect(self._give)
        self.button.clicked.connect(self._give)

    def tell(self, message: str) -> None:
        """Say what is wrong with what was typed; `""` when nothing is."""
        self.message.setText(message)
        self.message.setVisible(bool(message))

    @Slot()
    def _give(self) -> None:
        try:
            inputs = parse_inputs(self.field.text())
        except ValueError:
            typed = self.field.text().strip()
            form = self.tr("Write for example 1x3x32x32, or int64<1000(1, 16) for whole numbers.")
            self.tell(self.tr("“{typed}” cannot be read. {form}").format(typed=typed, form=form) if typed else form)
            return
        self.tell("")
        self.inputs_given.emit(inputs)


def typed_form(inputs: tuple[InputInfo, ...]) -> str:
    """Return what would be typed for inputs; `""` when that is not known, as the upper bound of integers is not."""
    if any(not info.can_require_grad or not info.spec.shape for info in inputs):
        return ""
    return "; ".join(map(_typed_input, inputs))


def _typed_input(info: InputInfo) -> str:
    if info.spec.dtype == "float32":
        return "x".join(map(str, info.spec.shape))
    return f"{info.spec.dtype}({', '.join(map(str, info.spec.shape))})"
