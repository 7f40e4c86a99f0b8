"""The table of values: what it shows, copies and goes to."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from hookscope.figures.levels import Mark
from hookscope.gui.colormaps import MARK_COLORS, ColorMap
from hookscope.gui.panels.cell_tint import CellTint, number_of
from hookscope.gui.panels.go_to_line import GoToLine
from hookscope.gui.panels.table import TableView
from hookscope.gui.panels.table_model import MAX_LINES, TableModel, Window
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.views import Target, TextForm
from tests.gui.panel_fakes import OUTPUT, PanelWindow, pump, texts_of


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


def table_of(window: PanelWindow) -> TableView:
    table = window.panel.findChild(TableView)
    assert table is not None
    return table


def settle(window: PanelWindow) -> None:
    pump()
    window.bridge.answer_all(window.panel)
    pump()


def select(table: TableView, top: int, left: int, bottom: int, right: int) -> None:
    model = table.grid.model()
    chosen = QItemSelection(model.index(top, left), model.index(bottom, right))
    table.grid.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (TextForm.TEXT, "1.0\t2.0\n4.0\t5.0"),
        (TextForm.CSV, "1.0,2.0\n4.0,5.0"),
        (TextForm.PYTHON, "torch.tensor([[1.0, 2.0], [4.0, 5.0]], dtype=torch.float32)"),
    ],
)
def test_that_a_selection_is_copied_in_each_form(window: PanelWindow, form: TextForm, text: str) -> None:
    window.show_tensor(OUTPUT, torch.arange(6.0).reshape(2, 3), "table")
    table = table_of(window)
    select(table, 0, 1, 1, 2)
    action = next(action for action in table.menu.actions() if table.menu._forms.get(action) is form)
    action.trigger()
    settle(window)
    assert QGuiApplication.clipboard().text() == text
    assert "Copied 2 × 2 values." in texts_of(window.panel)


def test_that_more_than_is_in_sight_is_copied_whole(window: PanelWindow) -> None:
    tensor = torch.arange(400.0 * 300).reshape(400, 300)
    window.show_tensor(OUTPUT, tensor, "table")
    table = table_of(window)
    select(table, 0, 0, 399, 299)
    QTest.keyClick(table.grid, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert torch.tensor([[float(cell) for cell in row] for row in rows]).equal(tensor)


def test_that_what_is_too_much_to_copy_is_refused_in_words(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.zeros(1000, 1000), "table")
    table = table_of(window)
    QGuiApplication.clipboard().setText("before")
    table.grid.selectAll()
    table.copy(TextForm.CSV)
    settle(window)
    assert QGuiApplication.clipboard().text() == "before"
    assert "Too large" in texts_of(window.panel)


def test_that_the_dims_of_the_table_are_chosen(window: PanelWindow) -> None:
    tensor = torch.arange(2.0 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    window.show_tensor(OUTPUT, tensor, "table")
    table = table_of(window)
    table.dims.set_entry(1, 2)
    settle(window)
    assert table.grid.model().index(3, 4).data() == str(float(tensor[0, 2, 3, 4]))
    table.dims.transpose()
    settle(window)
    model = table.grid.model()
    assert (model.rowCount(), model.columnCount()) == (5, 4)
    assert model.index(4, 3).data() == str(float(tensor[0, 2, 3, 4]))


@pytest.mark.parametrize(
    ("what", "index"),
    [(Target.MAXIMUM, (1, 2, 700, 3)), (Target.MINIMUM, (0, 1, 5, 2)), (Target.FIRST_NON_FINITE, (1, 0, 999, 0))],
)
def test_that_a_value_is_gone_to_wherever_it_is(window: PanelWindow, what: Target, index: tuple[int, ...]) -> None:
    tensor = torch.zeros(2, 3, 1000, 4)
    tensor[1, 2, 700, 3], tensor[0, 1, 5, 2], tensor[1, 0, 999, 0] = 9.0, -9.0, torch.inf
    window.show_tensor(OUTPUT, tensor, "table")
    table = table_of(window)
    table.look_for(what)
    settle(window)
    cell = table.grid.currentIndex()
    assert (cell.row(), cell.column()) == index[2:]
    assert cell.data() == str(float(tensor[index]))
    assert table.grid.visualRect(cell).intersects(table.grid.viewport().rect())
    assert table.dims.choice.axes.index[:2] == index[:2]


def test_that_what_is_not_there_is_said(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.ones(3), "table")
    table_of(window).look_for(Target.FIRST_NON_FINITE)
    settle(window)
    assert "all values are finite" in texts_of(window.panel)


def test_that_an_index_is_typed(window: PanelWindow) -> None:
    tensor = torch.arange(5000.0).reshape(10, 500)
    window.show_tensor(OUTPUT, tensor, "table")
    table = table_of(window)
    QTest.keyClick(table.grid, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    line = table.grid.findChild(GoToLine)
    assert line is not None
    assert line.isVisible()
    QTest.keyClicks(line, "-1, 321")
    QTest.keyClick(line, Qt.Key.Key_Return)
    settle(window)
    cell = table.grid.currentIndex()
    assert (cell.row(), cell.column()) == (9, 321)
    assert cell.data() == "4821.0"
    assert not line.isVisible()


def test_that_a_vector_is_read_downwards(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.tensor([2**53 + 1, -1], dtype=torch.int64), "table")
    model = table_of(window).grid.model()
    assert (model.rowCount(), model.columnCount()) == (2, 1)
    assert model.index(0, 0).data() == "9007199254740993"


def test_that_a_table_of_any_length_can_be_gone_through(window: PanelWindow) -> None:
    tensor = torch.zeros(2_500_000, dtype=torch.int8)
    tensor[2_400_000] = 7
    window.show_tensor(OUTPUT, tensor, "table")
    table = table_of(window)
    assert table.grid.model().rowCount() == MAX_LINES
    assert "rows 0 to 999,999 of 2,500,000" in texts_of(window.panel)
    table.look_for(Target.MAXIMUM)
    settle(window)
    cell = table.grid.currentIndex()
    assert cell.data() == "7"
    assert table.grid.model().headerData(cell.row(), Qt.Orientation.Vertical) == "2400000"
    assert table.grid.model().rowCount() == 500_000


def test_that_cells_are_coloured_when_asked_for(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.tensor([[-1.0, 0.0, 1.0, torch.nan]]), "table")
    table = table_of(window)
    model = table.grid.model()
    role = Qt.ItemDataRole.BackgroundRole
    assert model.index(0, 0).data(role) is None
    table.menu.colored.trigger()
    settle(window)
    low, zero, high, nan = (model.index(0, column).data(role) for column in range(4))
    assert low.blue() > low.red()
    assert high.red() > high.blue()
    assert zero == QColor(DARK.panel)
    assert nan.red() > nan.green()
    table.menu.colored.trigger()
    assert model.index(0, 0).data(role) is None


def test_that_every_text_of_a_cell_is_read() -> None:
    assert [number_of(text) for text in ("1.5", "True", "(3.0-4.0j)", "nan", "…")][:3] == [1.5, 1.0, 5.0]
    assert number_of("…") is None
    tint = CellTint((0.0, 1.0), None, ColorMap.AUTO, DARK)
    assert tint("…") is None
    assert all(tint(text) is not None for text in ("nan", "inf", "-inf", "1e308", "(inf+1.0j)", "-1e308"))
    assert QColor(MARK_COLORS[Mark.NAN]).isValid()


def test_that_a_window_that_will_do_is_not_asked_for_again(qapp: QApplication) -> None:
    model = TableModel()
    model.set_size(10_000, 10)
    first = model.window_around(Window(5_000, 0, 20, 5))
    assert first.row <= 5_000 - 20
    assert first.holds(Window(5_000, 0, 20, 5))
