"""The header: which columns show, and how wide they are until somebody drags one."""

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeView

from hookscope.gui.cells import fixed_font
from hookscope.gui.module_tree.model import Column

MODULE_WIDTH = 24
"""Width that the module column keeps when a further column comes in, in characters."""
WIDTHS = {Column.OUTPUT: 16, Column.DTYPE: 10, Column.PARAMETERS: 13, Column.DEVICE: 10}
"""Width of the other columns, in characters."""


class ColumnHeader(QHeaderView):
    """A header that shows as many columns as there is room for, and lets the module column fill what they leave.

    A column chosen or hidden in its menu stays so whatever the room. Once a width is dragged, all widths stay. Before
    the first step, the column of the outputs leaves its room to the names.
    """

    def __init__(self, parent: QTreeView) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._chosen: dict[Column, bool] = {}
        self._is_dragged = False
        self._fitting = False
        self._has_outputs = False
        self._room = 0
        self._menu = QMenu(self)
        self._menu.triggered.connect(self._choose)
        self.setStretchLastSection(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.sectionResized.connect(self._note_resize)

    def fit(self, room: int) -> None:
        """Lay the columns out for a view of `room` pixels, unless a width was dragged."""
        self._room = room
        if not self._is_dragged:
            self._fitting = True
            self._lay_out(room)
            self._fitting = False

    def set_has_outputs(self, has_outputs: bool) -> None:
        """Say whether there is anything in the column of the outputs."""
        if has_outputs != self._has_outputs:
            self._has_outputs = has_outputs
            self.fit(self._room)

    def _lay_out(self, room: int) -> None:
        character = QFontMetrics(fixed_font(self.font())).averageCharWidth()
        least = MODULE_WIDTH * QFontMetrics(self.font()).averageCharWidth()
        fits, spared = True, 0
        for column, characters in WIDTHS.items():
            width = characters * character
            # The output comes even when both are cramped: it is what the tree is looked at for.
            fits = fits and (room - width >= least or column is Column.OUTPUT)
            shown = self._chosen.get(column, fits)
            self.setSectionHidden(column, not shown)
            if shown:
                is_empty = column is Column.OUTPUT and not self._has_outputs
                taken = min(width, self.sectionSizeHint(column)) if is_empty else width
                self.resizeSection(column, taken)
                room, spared = room - width, spared + width - taken
        self.resizeSection(Column.MODULE, max(room + spared, least // 2))

    @Slot()
    def _note_resize(self) -> None:
        if not self._fitting:
            self._is_dragged = True

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        self._menu.clear()
        for column in WIDTHS:
            action = self._menu.addAction(str(self.model().headerData(column, Qt.Orientation.Horizontal)))
            action.setData(column)
            action.setCheckable(True)
            action.setChecked(not self.isSectionHidden(column))
        self._menu.popup(self.mapToGlobal(place))

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        column = Column(action.data())
        self._chosen[column] = action.isChecked()
        self._fitting = True
        self.setSectionHidden(column, not action.isChecked())
        self._fitting = False
        self.fit(self._room)
