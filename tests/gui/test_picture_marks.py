"""What has a colour of its own, whatever the range, and the counts that say it in words."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from hookscope.gui.colormaps import ColorMap
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT, Theme
from hookscope.protocol.views import StatisticsRequest
from tests.gui.panel_fakes import pump
from tests.gui.picture_host import Host, color_at, colors_in, line_texts, picture_colors, press, wait_for_calm

NAN, POS_INF, NEG_INF = "#ff00ff", "#ffffff", "#000000"
NEGATIVE, BELOW, ABOVE = "#3d7bff", "#00e5c0", "#ff3030"


@pytest.fixture(params=[DARK, LIGHT], ids=["dark", "light"])
def theme(request: pytest.FixtureRequest) -> Theme:
    theme: Theme = request.param
    return theme


@pytest.fixture
def host(qapp: QApplication, theme: Theme) -> Iterator[Host]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, theme)
    host = Host(HeatmapView())
    yield host
    host.close()
    host.deleteLater()


def heatmap(host: Host) -> HeatmapView:
    view = host.views[0]
    assert isinstance(view, HeatmapView)
    return view


def test_that_what_is_not_finite_has_its_colour_with_any_range(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.tensor([[-1.0, torch.nan], [torch.inf, -torch.inf]]))
    for levels in ((-1.0, 1.0), (-100.0, 50.0), (5.0, 6.0)):
        view.control.type_levels(levels)
        assert [color_at(view, row, column) for row, column in ((0, 1), (1, 0), (1, 1))] == [NAN, POS_INF, NEG_INF]
    assert "1 NaN  1 +Inf  1 -Inf  1 < 0  0 = 0  0 > 0" in line_texts(view)


def test_that_infinity_has_a_shape_too_for_its_colour_may_be_that_of_a_value(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.tensor([[0.0, torch.inf, 0.0, -torch.inf]]))
    view.control.choose_color_map(ColorMap.GREY)
    pump()
    for column, inside in ((1, POS_INF), (3, NEG_INF)):
        assert color_at(view, 0, column) == inside
        brightness = [QColor(color).lightness() for color in colors_in(view, 0, column)]
        assert max(brightness) - min(brightness) > 200
    assert colors_in(view, 0, 2) == {color_at(view, 0, 2)}


def test_that_negative_values_are_marked_with_n(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.tensor([[-1.0, 0.0, 2.0, torch.nan]]))
    before = color_at(view, 0, 0)
    press(view, Qt.Key.Key_N)
    assert color_at(view, 0, 0) == NEGATIVE
    assert NEGATIVE not in {color_at(view, 0, 1), color_at(view, 0, 2)}
    assert color_at(view, 0, 3) == NAN
    press(view, Qt.Key.Key_N)
    assert color_at(view, 0, 0) == before


def test_that_values_outside_the_range_are_marked_and_counted_with_k(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.tensor([[-1.0, 0.0, 2.0, 9.0]]))
    view.control.type_levels((-0.5, 2.0))
    press(view, Qt.Key.Key_K)
    colors = [color_at(view, 0, column) for column in range(4)]
    assert (colors[0], colors[3]) == (BELOW, ABOVE)
    assert not {BELOW, ABOVE} & set(colors[1:3])
    assert "1 below range  1 above range" in line_texts(view)
    view.control.type_levels((0.5, 1.0))
    assert color_at(view, 0, 1) == BELOW
    assert "2 below range  2 above range" in line_texts(view)
    press(view, Qt.Key.Key_K)
    assert "below range" not in line_texts(view)


def test_that_the_ends_of_the_data_are_inside(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.tensor([[0.1, 0.2, 0.7]]))
    press(view, Qt.Key.Key_K)
    assert not {BELOW, ABOVE} & picture_colors(view)


def test_that_one_nan_is_seen_in_a_picture_larger_than_the_screen(host: Host) -> None:
    view = heatmap(host)
    tensor = torch.zeros(1000, 1000)
    tensor[777, 333] = torch.nan
    host.show_tensor(tensor)
    assert NAN in picture_colors(view)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.bool])
def test_that_the_counts_of_a_whole_tensor_come_from_its_picture(host: Host, dtype: torch.dtype) -> None:
    host.show_tensor(torch.tensor([[0, 1, 1]]).to(dtype))
    assert "0 NaN  0 +Inf  0 -Inf  0 < 0  1 = 0  2 > 0" in line_texts(heatmap(host))
    assert not host.asked


def test_that_the_counts_of_a_part_are_of_what_is_shown_until_the_exact_ones_have_come(host: Host) -> None:
    tensor = torch.ones(2, 2, 2)
    tensor[1] = -1
    tensor[1, 1, 1] = torch.nan
    host.show_tensor(tensor)
    assert "shown:  0 NaN  0 +Inf  0 -Inf  0 < 0  0 = 0  4 > 0" in line_texts(heatmap(host))
    wait_for_calm()
    assert host.asked == [StatisticsRequest()]
    assert "1 NaN  0 +Inf  0 -Inf  3 < 0  0 = 0  4 > 0" in line_texts(heatmap(host))
    assert "shown" not in line_texts(heatmap(host))
    heatmap(host).dims.set_entry(0, 1)
    assert "1 NaN  0 +Inf  0 -Inf  3 < 0  0 = 0  4 > 0" in line_texts(heatmap(host))


def test_that_tiny_float64_values_are_not_taken_for_zeros(host: Host) -> None:
    host.show_tensor(torch.tensor([[1e-300, -1e-300]], dtype=torch.float64))
    wait_for_calm()
    assert "1 < 0  0 = 0  1 > 0" in line_texts(heatmap(host))


def test_that_a_sample_says_how_much_is_shown(host: Host) -> None:
    view = heatmap(host)
    host.show_tensor(torch.zeros(2048, 2048))
    assert "showing 1/4: rows in steps of 2, columns in steps of 2, of 2,048 × 2,048" in line_texts(view)
    host.show_tensor(torch.zeros(8, 8))
    assert view.banner.text == ""


def test_that_tiles_have_gaps_of_the_window_and_marks(qapp: QApplication, theme: Theme) -> None:
    apply_theme(qapp, theme)
    view = GridView()
    host = Host(view)
    tensor = torch.rand(4, 6, 6) / 2
    tensor[2, 3, 3] = torch.inf
    host.show_tensor(tensor)
    assert POS_INF in picture_colors(view)
    assert color_at(view, 2, 6) == theme.window
    host.close()
    host.deleteLater()


def test_that_another_theme_colours_the_picture_anew(qapp: QApplication) -> None:
    apply_theme(qapp, DARK)
    host = Host(HeatmapView())
    host.show_tensor(torch.tensor([[-1.0, 0.0, 1.0]]))
    assert color_at(heatmap(host), 0, 1) == DARK.panel
    apply_theme(qapp, LIGHT)
    pump()
    assert color_at(heatmap(host), 0, 1) == LIGHT.panel
    host.close()
    host.deleteLater()
