"""The exact values of a tensor."""

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSpinBox, QToolButton, QVBoxLayout

from hookscope.figures.axes import Spot, element_at
from hookscope.gui.assets import icon
from hookscope.gui.panels.adaptive_row import AdaptiveRow
from hookscope.gui.panels.base import TensorView
from hookscope.gui.panels.cell_grid import CellGrid
from hookscope.gui.panels.cell_tint import CellTint
from hookscope.gui.panels.dims_bar import DimsBar
from hookscope.gui.panels.go_to_line import GoToLine
from hookscope.gui.panels.picker import Ask, index_text
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.table_menu import TableMenu
from hookscope.gui.panels.table_model import MAX_LINES, TableModel, Window
from hookscope.gui.panels.tensor_memory import TensorMemory, key_of
from hookscope.gui.panels.words import word_no_picture
from hookscope.gui.theme import Theme, theme_of
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import (
    Axes,
    NoPicture,
    Place,
    PlaceRequest,
    Statistics,
    StatisticsRequest,
    Table,
    TableRequest,
    TableText,
    Target,
    TextForm,
    TextRequest,
)


class TableView(TensorView):
    """A grid of values that fetches what is scrolled into sight; the dims that are rows and columns are chosen.

    Attributes:
        menu: What can be done with the values; the grid's context menu too.
        grid: The cells.
        dims: Which dims are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self._result: Table | None = None
        self._subject: Subject | None = None
        self._memory = TensorMemory(self)
        self._ask: Ask | None = None
        self._extent: tuple[float, float] | None = None
        self._window = Window(0, 0, TableRequest().rows, TableRequest().columns)
        self._model = TableModel()
        self._model.setParent(self)
        self.grid = CellGrid(self._model)
        self.grid.setAccessibleName(self.tr("Values"))
        self._go_to = GoToLine(self.grid)
        self._bar = AdaptiveRow()
        self.dims = DimsBar(self, "table", with_tiles=False)
        self.dims.add_to(self._bar)
        self._block = QSpinBox()
        self._block.setPrefix(self.tr("block "))
        self._block.setToolTip(self.tr("A block of rows; a table shows a million of them at once"))
        self._block.setAccessibleName(self._block.toolTip())
        self._block.valueChanged.connect(self._show_block)
        self._bar.add(self._block)
        self._bar.add_stretch()
        self.menu = TableMenu(self)
        self._button = QToolButton()
        self._button.setToolTip(self.tr("Copy values, go to a value, colour the cells"))
        self._button.setAccessibleName(self.tr("Values"))
        self._button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._button.setMenu(self.menu)
        self._bar.add(self._button)
        self._connect()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._bar)
        layout.addWidget(self.grid, 1)
        self.apply_theme(theme_of(self.palette()))

    def use(self, memory: TensorMemory, ask: Ask) -> None:
        """Share the choices of a window, and ask the debuggee."""
        self._memory = memory
        self._ask = ask
        self.dims.use(memory)
        memory.range_changed.connect(self._tint)

    def aim(self, subject: Subject) -> None:
        """Take the size of the tensor and offer its dims."""
        if self._subject is None or key_of(subject) != key_of(self._subject):
            self._extent = None
        self._subject = subject
        self.dims.aim(subject)
        self.grid.set_dtype(subject.spec.dtype)
        self._resize()

    def request(self) -> TableRequest:
        """Ask for the cells in sight and some around them."""
        window = self._window
        return TableRequest(self._axes(), window.row, window.column, window.rows, window.columns)

    def draw(self, answer: ViewReady) -> None:
        """Fill in a `Table`."""
        assert isinstance(answer.result, Table)
        self.dims.note_drawn()
        self._result = answer.result
        self._model.set_cells(answer.result)
        if self.menu.colored.isChecked():
            self._measure()

    def remarks(self) -> str:
        """Say what the current cell is, and which rows there are of a table too long to be scrolled through at once."""
        words = [self._cell_words()]
        if self._result is not None and max(self._result.rows, self._result.columns) > MAX_LINES:
            first = self._model.base[0]
            text = self.tr("rows {first} to {last} of {rows}")
            last = f"{first + self._model.rowCount() - 1:,}"
            words.append(text.format(first=f"{first:,}", last=last, rows=f"{self._result.rows:,}"))
        return " · ".join(filter(None, words))

    def summary(self) -> str:
        """Return the size in words."""
        if self._result is None:
            return ""
        return self.tr("table of {rows} by {columns}").format(rows=self._result.rows, columns=self._result.columns)

    def apply_theme(self, theme: Theme) -> None:
        """Draw the icon and the backgrounds again; the rest follows the palette by itself."""
        self._button.setIcon(icon("msc.ellipsis", theme.quiet))
        self._tint()

    @Slot(object)
    def copy(self, form: TextForm) -> None:
        """Put the selected values on the clipboard: at once where they are in sight, else when they have come."""
        chosen = self.grid.chosen()
        if chosen is None:
            self.pointed.emit(self.tr("Select some cells first."))
        elif form is TextForm.TEXT and (self._ask is None or self._has(chosen)):
            rows, columns = (
                range(chosen.row, chosen.row + chosen.rows),
                range(chosen.column, chosen.column + chosen.columns),
            )
            self._put("\n".join("\t".join(self._model.text(row, column) for column in columns) for row in rows), chosen)
        elif self._ask is not None:
            block = (chosen.row, chosen.column, chosen.rows, chosen.columns)
            self._ask(TextRequest(self._axes(), *block, form), self._take_text)

    @property
    def has_elements(self) -> bool:
        """Whether there are cells, and more than one."""
        return self._subject is not None and bool(self._subject.spec.shape)

    @Slot()
    def ask_for_index(self) -> None:
        """Ask for an index at the top of the table."""
        if self._subject is not None and self._subject.spec.shape:
            self._go_to.open(self._subject.spec.shape, self.dims.names, None)

    @Slot(object)
    def look_for(self, what: Target) -> None:
        """Go to the largest, the smallest or the first value that is not finite."""
        if self._ask is not None:
            self._ask(PlaceRequest(what), self._take_place)

    @Slot(object)
    def go_to(self, index: tuple[int, ...]) -> None:
        """Show an element, and make its cell the current one."""
        self.dims.reveal(index)
        axes = self.dims.choice.axes
        row, column = (index[dim] if dim is not None else 0 for dim in (axes.rows, axes.columns))
        if len(index) == 1:
            row, column = index[0], 0
        self.grid.go_to(row, column)
        self._show_block_number()
        self._follow_sight()
        self.grid.setFocus(Qt.FocusReason.OtherFocusReason)

    def _connect(self) -> None:
        for scroll_bar in (self.grid.verticalScrollBar(), self.grid.horizontalScrollBar()):
            scroll_bar.valueChanged.connect(self._follow_sight)
            scroll_bar.rangeChanged.connect(self._follow_sight)
        self.grid.copy_requested.connect(self._copy_text)
        self.grid.go_to_requested.connect(self.ask_for_index)
        self.grid.moved.connect(self._name_cell)
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grid.customContextMenuRequested.connect(self._open_menu)
        self._go_to.chosen.connect(self.go_to)
        self._go_to.refused.connect(self.pointed)
        self._go_to.closed.connect(self.grid.setFocus)
        self.menu.copy_requested.connect(self.copy)
        self.menu.find_requested.connect(self.look_for)
        self.menu.go_to_requested.connect(self.ask_for_index)
        self.menu.colored.toggled.connect(self._tint)
        self.dims.changed.connect(self._follow_dims)

    def _axes(self) -> Axes:
        """Return the axes to ask for: a 1-D tensor is read downwards."""
        return Axes() if self._subject is None or len(self._subject.spec.shape) < 2 else self.dims.choice.axes

    def _has(self, block: Window) -> bool:
        """Whether cells have arrived, and are of the dims that are chosen now."""
        result, axes = self._result, self._axes()
        is_current = result is not None and (result.axes == axes or len(result.shape) < 2)
        return is_current and self._model.window.holds(block)

    def _resize(self) -> None:
        assert self._subject is not None
        shape, axes = self._subject.spec.shape, self._axes()
        if len(shape) < 2:
            self._model.set_size(*(*shape, 1, 1)[:2])
        else:
            assert axes.rows is not None
            assert axes.columns is not None
            self._model.set_size(shape[axes.rows], shape[axes.columns])
        self._window = self._model.window_around(self.grid.seen())
        blocks = -(-self._model.size[0] // MAX_LINES)
        self._block.setMaximum(max(blocks - 1, 0))
        self._block.setSuffix(self.tr(" of {blocks}").format(blocks=blocks))
        self._bar.want(self._block, blocks > 1)
        self._show_block_number()

    def _put(self, text: str, block: Window) -> None:
        QGuiApplication.clipboard().setText(text)
        count = self.tr("Copied {rows} × {columns} values.")
        self.pointed.emit(count.format(rows=f"{block.rows:,}", columns=f"{block.columns:,}"))

    def _take_text(self, answer: ViewReady) -> None:
        match answer.result:
            case TableText(text=text, rows=rows, columns=columns):
                self._put(text.removesuffix("\n"), Window(0, 0, rows, columns))
            case NoPicture() as nothing:
                self.pointed.emit(word_no_picture(nothing, answer.spec, answer.badges))

    def _take_place(self, answer: ViewReady) -> None:
        match answer.result:
            case Place(index=index):
                self.go_to(index)
            case NoPicture() as nothing:
                self.pointed.emit(word_no_picture(nothing, answer.spec, answer.badges))

    def _measure(self) -> None:
        if self._ask is not None:
            self._ask(StatisticsRequest(sampled=True), self._take_statistics)

    def _take_statistics(self, answer: ViewReady) -> None:
        numbers = answer.result
        if isinstance(numbers, Statistics) and numbers.minimum is not None and numbers.maximum is not None:
            extent = float(numbers.minimum), float(numbers.maximum)
            if extent != self._extent:
                self._extent = extent
                self._tint()

    @Slot()
    def _tint(self) -> None:
        if not self.menu.colored.isChecked() or self._subject is None:
            self._model.set_tint(None)
            return
        if self._extent is None:
            self._measure()
            return
        key = key_of(self._subject)
        levels, colors = self._memory.range_of(key).levels, self._memory.color_map_of(key)
        self._model.set_tint(CellTint(self._extent, levels, colors, theme_of(self.palette())))

    @Slot()
    def _follow_dims(self) -> None:
        self._resize()
        self.request_changed.emit()

    @Slot()
    def _follow_sight(self) -> None:
        window = self._model.window_around(self.grid.seen())
        if window != self._window:
            self._window = window
            self.request_changed.emit()

    @Slot(int)
    def _show_block(self, block: int) -> None:
        if block != self._model.base[0] // MAX_LINES:
            self.grid.scrollTo(self._model.bring(block * MAX_LINES, self._model.base[1]))
            self._follow_sight()

    def _show_block_number(self) -> None:
        self._block.setValue(self._model.base[0] // MAX_LINES)

    @Slot()
    def _name_cell(self) -> None:
        self.pointed.emit(self.remarks())

    def _cell_words(self) -> str:
        cell = self.grid.currentIndex()
        if self._subject is None or not cell.isValid():
            return ""
        row, column = cell.row() + self._model.base[0], cell.column() + self._model.base[1]
        if len(self._subject.spec.shape) < 2:
            index: tuple[int, ...] = (row,) * len(self._subject.spec.shape)
        else:
            index = element_at(self._axes(), Spot(row, column))
        return f"{index_text(index)} = {self._model.text(row, column)}"

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        self.menu.popup(self.grid.viewport().mapToGlobal(place))

    @Slot()
    def _copy_text(self) -> None:
        self.copy(TextForm.TEXT)
