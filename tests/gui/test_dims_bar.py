"""Which dims are rows, columns and tiles; the entries of the others; and what is remembered."""

import itertools
from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QSlider, QSpinBox, QToolButton

from hookscope.gui.panels.dims_popup import DimsPopup
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.views import Axes, HeatmapRequest, TileOrder
from tests.gui.panel_fakes import OTHER, OUTPUT, colors_of, pump
from tests.gui.picture_host import Host, choose, color_at, line_texts, press, ramp

opens_a_popup = pytest.mark.qt_log_ignore("does not support (raise|grabbing)", extend=True)
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def grid(qapp: QApplication) -> Iterator[GridView]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    view = GridView()
    host = Host(view)
    yield view
    host.close()
    host.deleteLater()


@pytest.fixture
def heatmap(qapp: QApplication) -> Iterator[HeatmapView]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    view = HeatmapView()
    host = Host(view)
    yield view
    host.close()
    host.deleteLater()


def host_of(view: GridView | HeatmapView) -> Host:
    host = view.parentWidget()
    assert isinstance(host, Host)
    return host


def axes_of(view: GridView | HeatmapView) -> tuple[int | None, int | None, int | None]:
    axes = view.dims.choice.axes
    return axes.rows, axes.columns, axes.tiles


def words(view: GridView | HeatmapView) -> str:
    return next(
        button.text() for button in view.range_bar.findChildren(QToolButton) if button.text().startswith("rows")
    )


def boxes(view: GridView | HeatmapView) -> list[QSpinBox]:
    return [box for box in view.range_bar.findChildren(QSpinBox) if box.isVisible() and "page" not in box.prefix()]


def popup_of(view: GridView | HeatmapView) -> DimsPopup:
    button = next(one for one in view.range_bar.findChildren(QToolButton) if one.text().startswith("rows"))
    button.click()
    popup = next(one for one in view.findChildren(DimsPopup))
    assert popup.isVisible()
    return popup


@pytest.mark.parametrize(
    ("class_name", "shape", "text"),
    [
        ("Conv2d", (2, 3, 8, 8), "rows: H  columns: W  grid: C"),
        ("Linear", (2, 5, 8), "rows: T  columns: D  grid: B"),
        ("MultiheadAttention", (2, 4, 8, 8), "rows: T  columns: S  grid: heads"),
        ("LSTM", (5, 2, 8), "rows: T  columns: D  grid: B"),
    ],
)
def test_that_dims_have_the_names_that_fit_the_module(
    grid: GridView, class_name: str, shape: tuple[int, ...], text: str
) -> None:
    host_of(grid).show_tensor(torch.rand(shape), class_name=class_name)
    assert words(grid) == text


def test_that_the_icon_of_the_dims_follows_the_theme(grid: GridView, qapp: QApplication) -> None:
    host_of(grid).show_tensor(torch.rand(2, 3, 4, 4))
    button = next(one for one in grid.range_bar.findChildren(QToolButton) if one.text().startswith("rows"))
    for theme in (LIGHT, DARK):
        apply_theme(qapp, theme)
        picture = button.icon().pixmap(16).toImage()
        colors = (picture.pixelColor(x, y) for x in range(16) for y in range(16))
        most_opaque = max(colors, key=QColor.alpha)
        assert most_opaque.value() == pytest.approx(QColor(theme.text).value(), abs=12)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("rank", range(7))
def test_that_a_tensor_of_any_rank_is_drawn(heatmap: HeatmapView, rank: int, theme: object, qapp: QApplication) -> None:
    apply_theme(qapp, theme)  # type: ignore[arg-type]
    host_of(heatmap).show_tensor(ramp(*(2, 3, 2, 3, 2, 3)[:rank]))
    assert ("#fde725" if rank else "#21908c") in colors_of(heatmap.image)
    assert heatmap.dims.choice.axes == Axes().resolved((2, 3, 2, 3, 2, 3)[:rank])
    press(heatmap, Qt.Key.Key_E, CONTROL)
    press(heatmap, Qt.Key.Key_T, CONTROL)
    colors_of(heatmap.image)


@pytest.mark.parametrize("rank", range(3, 7))
def test_that_a_grid_of_any_rank_can_be_rolled_round(grid: GridView, rank: int) -> None:
    host_of(grid).show_tensor(ramp(*(2, 3, 4, 3, 2, 3)[:rank]))
    first = axes_of(grid)
    for _turn in range(rank):
        press(grid, Qt.Key.Key_E, CONTROL)
        colors_of(grid.image)
    assert axes_of(grid) == first


def test_that_an_entry_is_chosen_with_box_slider_and_keys(heatmap: HeatmapView) -> None:
    host_of(heatmap).show_tensor(ramp(4, 5, 2, 2))
    host_of(heatmap).resize(1400, 400)
    pump()
    first, second = boxes(heatmap)
    assert (first.prefix(), second.prefix()) == ("N ", "C ")
    second.setValue(3)
    assert heatmap.request() == HeatmapRequest(Axes(2, 3, None, (0, 3, 0, 0)))
    slider = next(one for one in heatmap.range_bar.findChildren(QSlider) if one.isVisible())
    slider.setValue(2)
    assert heatmap.dims.choice.axes.index == (2, 3, 0, 0)
    assert first.value() == 2
    entries = []
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        press(heatmap, key)
        entries.append(heatmap.dims.choice.axes.index[0])
    assert entries == [3, 0, 3]


@opens_a_popup
def test_that_roles_are_given_in_the_popup_and_swapped(grid: GridView) -> None:
    host_of(grid).show_tensor(ramp(2, 3, 4, 5), class_name="Conv2d")
    rows, columns, tiles = popup_of(grid).findChildren(QComboBox)
    assert [box.currentText() for box in (rows, columns, tiles)] == ["H  (4)", "W  (5)", "C  (3)"]
    rows.setCurrentIndex(3)
    rows.activated.emit(3)
    assert axes_of(grid) == (3, 2, 1)
    tiles.setCurrentIndex(0)
    tiles.activated.emit(0)
    assert axes_of(grid) == (3, 2, 0)
    assert words(grid) == "rows: W  columns: H  grid: N"


def test_that_playing_shows_one_entry_after_the_other(heatmap: HeatmapView) -> None:
    host_of(heatmap).show_tensor(ramp(3, 2, 2))
    play = next(one for one in heatmap.range_bar.findChildren(QToolButton) if one.accessibleName() == "Play C")
    play.click()
    seen: set[int] = set()

    def is_round() -> bool:
        seen.add(heatmap.dims.choice.axes.index[0])
        return len(seen) == 3

    pump(is_round)
    assert is_round()
    play.click()
    at = heatmap.dims.choice.axes.index[0]
    QTest.qWait(200)
    assert heatmap.dims.choice.axes.index[0] == at


def test_that_dims_are_remembered_for_each_tensor_but_the_sample_stays(grid: GridView) -> None:
    host = host_of(grid)
    host.show_tensor(ramp(4, 3, 5, 5), class_name="Conv2d")
    grid.dims.set_entry(0, 2)
    grid.dims.transpose()
    host.show_tensor(ramp(4, 6, 5, 5), OTHER, class_name="Conv2d")
    assert axes_of(grid) == (2, 3, 1)
    assert grid.dims.choice.axes.index[0] == 2
    grid.dims.set_entry(0, 3)
    host.show_tensor(ramp(4, 3, 5, 5), OUTPUT, class_name="Conv2d")
    assert axes_of(grid) == (3, 2, 1)
    assert grid.dims.choice.axes.index[0] == 3
    host.show_tensor(ramp(4, 3, 5), OUTPUT, class_name="Conv2d")
    assert axes_of(grid) == (1, 2, 0)


def test_that_the_strongest_tiles_come_first_on_demand(grid: GridView) -> None:
    tensor = torch.ones(100, 2, 2)
    tensor[77] = 9.0
    host_of(grid).show_tensor(tensor)
    assert "64 of 100" in grid.remarks()
    choose(grid.range_bar.menu, "Strongest tiles first")
    assert grid.dims.choice.order is TileOrder.STRENGTH
    assert color_at(grid, 0, 0) == "#fde725"


def test_that_a_narrow_row_keeps_one_line_and_the_range(grid: GridView) -> None:
    host = host_of(grid)
    host.show_tensor(ramp(4, 3, 5, 5, 5))
    height = grid.range_bar.height()
    for width in (300, 400, 560, 900, 1600):
        host.resize(width, 500)
        pump()
        assert grid.range_bar.height() == height
        row = grid.range_bar.layout()
        assert row is not None
        parts = [row.itemAt(number).widget() for number in range(row.count())]  # type: ignore[union-attr]
        places = [part.geometry() for part in parts if part is not None and part.isVisible()]
        assert all(left.right() < right.left() for left, right in itertools.pairwise(places))


def test_that_pages_are_offered(grid: GridView) -> None:
    host_of(grid).show_tensor(torch.rand(100, 4, 4))
    page = next(box for box in grid.range_bar.findChildren(QSpinBox) if box.prefix() == "page ")
    assert page.maximum() == 2
    page.setValue(2)
    assert "36 of 100" in grid.remarks()
    assert line_texts(grid)
