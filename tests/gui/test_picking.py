"""Picking an element: with the mouse, with keys, by its index, as the largest; and what can be done with it."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from hookscope.gui.panels.go_to_line import GoToLine
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.image_view import OUTLINE
from hookscope.gui.panels.kernels import KernelView
from hookscope.gui.panels.picker import Picked, parse_index
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.protocol.views import HeatmapRequest, ValueRequest
from tests.gui.panel_fakes import OTHER, WEIGHT, pump
from tests.gui.picture_host import Host, choose, click, hover, picture_colors, press, ramp

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
View = HeatmapView | GridView | KernelView


def hosted(view: View, *, can_ask: bool = True) -> Host:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    apply_theme(application, DARK)
    return Host(view, can_ask=can_ask)


@pytest.fixture
def host(qapp: QApplication) -> Iterator[Host]:
    host = hosted(HeatmapView())
    yield host
    host.close()
    host.deleteLater()


@pytest.fixture
def grid_host(qapp: QApplication) -> Iterator[Host]:
    host = hosted(GridView())
    yield host
    host.close()
    host.deleteLater()


def heatmap(host: Host) -> HeatmapView:
    view = host.views[0]
    assert isinstance(view, HeatmapView)
    return view


def grid(host: Host) -> GridView:
    view = host.views[0]
    assert isinstance(view, GridView)
    return view


def index_of(view: View) -> tuple[int, ...] | None:
    return view.picker.picked.index if view.picker.picked is not None else None


def test_that_a_click_picks_a_cell_and_tells_its_exact_value(host: Host) -> None:
    view = heatmap(host)
    told: list[object] = []
    view.picked.connect(told.append)
    host.show_tensor(torch.full((3, 4, 5), 0.1))
    click(view, 2, 3)
    assert told.pop() == Picked((0, 2, 3), "0.1")
    assert host.texts[-1] == "[0, 2, 3] = 0.1"
    assert OUTLINE in picture_colors(view)
    press(view, Qt.Key.Key_Escape)
    assert told.pop() is None
    assert OUTLINE not in picture_colors(view)


def test_that_arrows_move_by_one_and_with_shift_by_ten(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(ramp(30, 40))
    click(view, 5, 5)
    press(view, Qt.Key.Key_Right)
    press(view, Qt.Key.Key_Down)
    assert index_of(view) == (6, 6)
    press(view, Qt.Key.Key_Right, SHIFT)
    press(view, Qt.Key.Key_Down, SHIFT)
    assert index_of(view) == (16, 16)
    press(view, Qt.Key.Key_Left)
    press(view, Qt.Key.Key_Up, SHIFT)
    assert index_of(view) == (6, 15)
    for _ in range(3):
        press(view, Qt.Key.Key_Left, SHIFT)
        press(view, Qt.Key.Key_Up, SHIFT)
    assert index_of(view) == (0, 0)


def test_that_arrows_cross_the_gap_between_tiles(grid_host: Host) -> None:
    view = grid(grid_host)
    grid_host.show_tensor(ramp(4, 3, 3))
    view.go_to((0, 1, 2))
    press(view, Qt.Key.Key_Right)
    assert index_of(view) == (1, 1, 0)
    press(view, Qt.Key.Key_Left)
    assert index_of(view) == (0, 1, 2)


@pytest.mark.parametrize("can_ask", [True, False])
def test_that_keys_go_to_the_maximum_the_minimum_and_the_first_that_is_not_finite(
    qapp: QApplication, can_ask: bool
) -> None:
    view = HeatmapView()
    host = hosted(view, can_ask=can_ask)
    tensor = torch.zeros(5, 6)
    tensor[1, 2], tensor[3, 4], tensor[4, 5], tensor[2, 2] = 7.0, -7.0, torch.nan, torch.inf
    host.show_tensor(tensor)
    places = []
    for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_F):
        press(view, key)
        places.append(index_of(view))
    assert places == [(1, 2), (3, 4), (2, 2)]
    host.show_tensor(torch.zeros(2, 2), OTHER)
    press(view, Qt.Key.Key_F)
    assert index_of(view) is None
    assert host.texts[-1]
    host.close()
    host.deleteLater()


def test_that_a_place_in_another_entry_and_on_another_page_is_shown(grid_host: Host) -> None:
    view = grid(grid_host)
    tensor = torch.zeros(3, 100, 2, 2)
    tensor[2, 90, 1, 0] = 5.0
    grid_host.show_tensor(tensor)
    press(view, Qt.Key.Key_Home)
    assert index_of(view) == (2, 90, 1, 0)
    assert view.dims.choice.axes.index[0] == 2
    assert view.page == 1
    assert view.picker.picked == Picked((2, 90, 1, 0), "5.0")
    assert OUTLINE in picture_colors(view)


def test_that_an_index_can_be_typed(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(ramp(3, 4, 5))
    press(view, Qt.Key.Key_G, CONTROL)
    line = view.findChild(GoToLine)
    assert line is not None
    assert line.isVisible()
    QTest.keyClicks(line, "1, 9, 3")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.isVisible()
    assert "dim 1" in host.texts[-1]
    line.selectAll()
    QTest.keyClicks(line, "[2, -1, 3]")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert not line.isVisible()
    assert index_of(view) == (2, 3, 3)
    assert view.dims.choice.axes.index == (2, 0, 0)
    assert host.texts[-1] == "[2, 3, 3] = 58.0"
    press(view, Qt.Key.Key_G, CONTROL)
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert not line.isVisible()
    assert index_of(view) == (2, 3, 3)


@pytest.mark.parametrize("text", ["", "1", "1, 2, 3", "a, b", "1.5, 0", "0, 9"])
def test_that_what_is_no_index_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_index(text, (2, 3))
    assert parse_index("(1 -1)", (2, 3)) == (1, 2)


def test_that_the_exact_value_under_a_resting_pointer_is_fetched(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.full((4, 4), 0.123456789))
    hover(view, 1, 2)
    assert host.texts[-1] == "[1, 2] = 0.1235"
    QTest.qWait(200)
    assert host.asked[-1] == ValueRequest((1, 2))
    assert host.texts[-1] == "[1, 2] = 0.12345679"
    host.show_tensor(torch.ones(4, 4))
    assert host.texts[-1] == "[1, 2] = 1"
    hover(view, -5, 0)
    assert host.texts[-1] == ""


def test_that_a_pixel_of_another_element_is_said_to_be_near(qapp: QApplication) -> None:
    view = HeatmapView()
    host = hosted(view, can_ask=False)
    host.show_tensor(ramp(2048, 1))
    for row in (2, 3):
        hover(view, row, 0)
    assert host.texts == ["[2, 0] = 2", "[3, 0] ≈ 2"]
    host.close()
    host.deleteLater()


def test_that_a_new_picture_has_the_new_value_of_what_is_picked(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.zeros(2, 2))
    click(view, 1, 1)
    host.show_tensor(torch.ones(2, 2))
    assert view.picker.picked == Picked((1, 1), "1.0")
    host.show_tensor(torch.ones(2, 2), OTHER)
    assert view.picker.picked is None


def menu_of(view: View, row: int, column: int) -> QMenu:
    view.image.menu_requested.emit(row, column, QPoint(5, 5))
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    menu.hide()
    return menu


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)", extend=True)
def test_that_the_menu_of_a_tile_asks_for_a_change_shows_it_alone_and_copies(grid_host: Host) -> None:
    view = grid(grid_host)
    changes: list[tuple[int, int]] = []
    locks: list[bool] = []

    def note_change(dim: int, entry: int) -> None:
        changes.append((dim, entry))

    def note_lock() -> None:
        locks.append(True)

    view.change_requested.connect(note_change)
    view.lock_requested.connect(note_lock)
    grid_host.show_tensor(ramp(2, 4, 3, 3), class_name="Conv2d")
    menu = menu_of(view, 1, 5)
    choose(menu, "Change C 1…")
    assert changes == [(1, 1)]
    choose(menu, "Copy index")
    assert QGuiApplication.clipboard().text() == "[0, 1, 1, 1]"
    choose(menu, "Copy value")
    assert QGuiApplication.clipboard().text() == "13.0"
    choose(menu, "Open in a locked panel")
    assert locks == [True]

    choose(menu, "Only C 1")
    assert isinstance(view.request(), HeatmapRequest)
    assert view.remarks() == "only C 1"
    assert view.tile_at((0, 1, 1, 1)) is not None
    click(view, 2, 2)
    assert index_of(view) == (0, 1, 2, 2)
    choose(menu_of(view, 0, 0), "Show all tiles")
    assert view.solo is None
    grid_host.show_tensor(ramp(2, 4, 3, 3), OTHER)
    assert view.solo is None


@pytest.mark.parametrize("shape", [(4, 3, 5), (4, 3, 5, 5), (4, 3, 3, 5, 5), (300, 2, 3, 3)])
def test_that_kernels_are_picked_by_their_index_in_the_weight(qapp: QApplication, shape: tuple[int, ...]) -> None:
    view = KernelView()
    host = hosted(view)
    tensor = ramp(*shape)
    host.show_tensor(tensor, WEIGHT)
    index = (shape[0] - 1, 1, *((shape[2] // 2,) if len(shape) == 5 else ()), *(2,) * (1 if len(shape) == 3 else 2))
    view.go_to(index)
    pump()
    assert view.picker.picked == Picked(index, str(tensor[index].item()))
    assert OUTLINE in picture_colors(view)
    press(view, Qt.Key.Key_Left)
    assert index_of(view) == (*index[:-1], 1)
    host.close()
    host.deleteLater()


def test_that_keys_of_the_picture_do_nothing_in_a_box(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(ramp(4, 4))
    line = view.range_bar.findChildren(QLineEdit)[0]
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Home)
    assert index_of(view) is None
