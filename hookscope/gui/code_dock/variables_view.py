"""The local variables of a frame."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from hookscope.gui.assets import icon
from hookscope.gui.cells import BoxDelegate, fixed_font
from hookscope.gui.theme import theme_of
from hookscope.protocol.stops import Variable

_REF_ROLE = Qt.ItemDataRole.UserRole
_LINES = 5


class VariablesView(QTreeWidget):
    """Lists variables with their types and values in words.

    Signals:
        tensor_requested: A tensor among them should be shown in a panel; its `TensorRef`.
    """

    tensor_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QTreeWidgetItem] = []
        self.setItemDelegate(BoxDelegate(self))
        self.setHeaderLabels([self.tr("Variable"), self.tr("Value"), self.tr("Type")])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setAccessibleName(self.tr("Local variables"))
        character = self.fontMetrics().averageCharWidth()
        self.setIconSize(QSize(self.fontMetrics().ascent(), self.fontMetrics().ascent()))
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.header().resizeSection(0, 14 * character)
        self.header().resizeSection(2, 11 * character)
        self.setMinimumHeight(_LINES * self.fontMetrics().lineSpacing())
        self.itemActivated.connect(self._open)

    def show_variables(self, variables: Sequence[Variable]) -> None:
        """Show the variables of a frame."""
        self._items = []
        self.clear()
        self._items = [self._item(variable) for variable in variables]
        self.addTopLevelItems(self._items)
        self._tint()

    def _item(self, variable: Variable) -> QTreeWidgetItem:
        item = QTreeWidgetItem([variable.name, variable.text, variable.type])
        item.setFont(1, fixed_font(self.font()))
        tip = f"{variable.name}: {variable.type}\n{variable.text}"
        if variable.ref is not None:
            item.setData(0, _REF_ROLE, variable.ref)
            tip = f"{tip}\n{self.tr('Double-click to open it in a panel.')}"
        for column in range(3):
            item.setToolTip(column, tip)
        return item

    @Slot(QTreeWidgetItem)
    def _open(self, item: QTreeWidgetItem) -> None:
        ref = item.data(0, _REF_ROLE)
        if ref is not None:
            self.tensor_requested.emit(ref)

    def _tint(self) -> None:
        theme = theme_of(self.palette())
        for item in self._items:
            item.setForeground(2, QColor(theme.quiet))
            if item.data(0, _REF_ROLE) is not None:
                item.setIcon(0, icon("msc.symbol-array", theme.accent))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._tint()
