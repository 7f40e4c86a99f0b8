"""The range of a picture: how it follows the data, every way to change it, undo, and what is remembered."""

from collections.abc import Callable, Iterator

import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from hookscope.gui.colormaps import ColorMap
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from tests.gui.panel_fakes import GRADIENT, OTHER, pump
from tests.gui.picture_host import Host, button, choose, color_at, press, ramp, wait_for_calm


@pytest.fixture
def view(qapp: QApplication) -> Iterator[HeatmapView]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    view = HeatmapView()
    host = Host(view)
    yield view
    host.close()
    host.deleteLater()


def host_of(view: HeatmapView) -> Host:
    host = view.parentWidget()
    assert isinstance(host, Host)
    return host


def show(view: HeatmapView, *values: float) -> None:
    host_of(view).show_tensor(torch.tensor([values]))


def type_into(view: HeatmapView, box: int, text: str) -> None:
    line = view.range_bar.findChildren(QLineEdit)[box]
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def drag(view: HeatmapView, end: int, by: int) -> None:
    bar = view.color_bar
    start = bar.handle_rect(end).center()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for part in (1, 2, 3):
        QTest.mouseMove(bar, start + QPoint(by * part // 3, 0))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=start + QPoint(by, 0))


def test_that_single_pictures_are_fitted_to(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    assert view.control.levels == (0.0, 2.0)
    wait_for_calm()
    show(view, 0.0, 8.0)
    assert view.control.levels == (0.0, 8.0)


def test_that_colours_hold_still_during_a_run_and_are_fitted_when_it_is_over(view: HeatmapView) -> None:
    for high in (2.0, 5.0, 3.0, 4.0):
        show(view, 0.0, high)
        assert view.control.levels == (0.0, 2.0)
    wait_for_calm()
    assert view.control.levels == (0.0, 4.0)
    assert color_at(view, 0, 1) == "#fde725"


def test_that_keeping_to_fit_follows_a_run(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    button(view, "Keep fitting").click()
    show(view, 0.0, 5.0)
    assert view.control.levels == (0.0, 5.0)
    button(view, "Keep fitting").click()
    wait_for_calm()
    show(view, 0.0, 9.0)
    assert view.control.levels == (0.0, 5.0)


def test_that_the_first_picture_of_another_tensor_is_fitted_to(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    host_of(view).show_tensor(torch.tensor([[0.0, 7.0]]), OTHER)
    assert view.control.levels == (0.0, 7.0)


EDITS: dict[str, Callable[[HeatmapView], None]] = {
    "typed low": lambda view: type_into(view, 0, "-1"),
    "typed high": lambda view: type_into(view, 1, "4"),
    "fit": lambda view: button(view, "Fit").click(),
    "keep": lambda view: button(view, "Keep fitting").click(),
    "symmetric": lambda view: button(view, "Symmetric").click(),
    "percentile": lambda view: button(view, "0.5–99.5 %").click(),
    "dragged low": lambda view: drag(view, 0, 20),
    "dragged high": lambda view: drag(view, 1, -20),
}


@pytest.mark.parametrize("edit", EDITS)
def test_that_each_edit_can_be_undone_and_redone(view: HeatmapView, edit: str) -> None:
    host_of(view).show_tensor(ramp(20, 50))
    type_into(view, 1, "700")
    before, chosen = view.control.levels, view.control.choice
    EDITS[edit](view)
    after, edited = view.control.levels, view.control.choice
    assert edited != chosen

    press(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (view.control.levels, view.control.choice) == (before, chosen)
    press(view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert (view.control.levels, view.control.choice) == (after, edited)
    button(view, "Undo range").click()
    button(view, "Undo range").click()
    assert view.control.levels == (0.0, 999.0)
    assert not button(view, "Undo range").isEnabled()


def test_that_a_reset_follows_the_data_again_and_can_be_undone(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    type_into(view, 1, "4")
    button(view, "Reset range").click()
    assert view.control.levels == (0.0, 2.0)
    button(view, "Undo range").click()
    assert view.control.levels == (0.0, 4.0)


def test_that_a_drag_is_one_edit(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    drag(view, 1, -30)
    assert 0.0 < view.control.levels[1] < 2.0
    button(view, "Undo range").click()
    assert view.control.levels == (0.0, 2.0)


def test_that_what_was_typed_stays_and_the_boxes_say_it(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    type_into(view, 1, "4")
    show(view, 0.0, 100.0)
    assert view.control.levels == (0.0, 4.0)
    low, high = view.range_bar.findChildren(QLineEdit)
    assert (low.text(), high.text()) == ("0", "4")
    type_into(view, 0, "9")
    assert view.control.levels == (4.0, 9.0)


def test_that_a_percentile_fit_leaves_out_a_single_outlier(view: HeatmapView) -> None:
    tensor = torch.linspace(0, 1, 1000).reshape(10, 100)
    tensor[3, 3] = 1e6
    host_of(view).show_tensor(tensor)
    button(view, "0.5–99.5 %").click()
    assert view.control.levels[1] < 1.01


def test_that_the_range_is_remembered_for_each_tensor(view: HeatmapView) -> None:
    show(view, 0.0, 2.0)
    type_into(view, 1, "4")
    host_of(view).show_tensor(torch.tensor([[0.0, 7.0]]), OTHER)
    type_into(view, 1, "5")
    show(view, 0.0, 100.0)
    assert view.control.levels == (0.0, 4.0)
    host_of(view).show_tensor(torch.tensor([[0.0, 70.0]]), OTHER)
    assert view.control.levels == (0.0, 5.0)
    button(view, "Undo range").click()
    assert view.control.levels == (0.0, 70.0)
    show(view, 0.0, 100.0)
    assert view.control.levels == (0.0, 4.0)


def test_that_views_of_one_tensor_share_its_range(qapp: QApplication) -> None:
    views = HeatmapView(), HeatmapView()
    host = Host(*views)
    host.show_tensor(torch.tensor([[0.0, 2.0]]))
    views[0].control.type_levels((0.5, 1.0))
    assert views[1].control.levels == (0.5, 1.0)
    views[1].control.undo()
    assert views[0].control.levels == (0.0, 2.0)
    host.close()
    host.deleteLater()


def test_that_gradients_and_differences_are_drawn_about_zero(view: HeatmapView) -> None:
    host = host_of(view)
    host.show_tensor(torch.tensor([[0.0, 2.0]]), GRADIENT)
    assert view.control.levels == (-2.0, 2.0)
    host.show_tensor(torch.tensor([[1.0, 3.0]]), is_difference=True)
    assert view.control.levels == (-3.0, 3.0)
    assert color_at(view, 0, 1) == "#ffcf9e"
    button(view, "Symmetric").click()
    assert view.control.levels == (1.0, 3.0)


@pytest.mark.parametrize(
    ("color_map", "ends"),
    [
        ("Automatic", ("#440154", "#fde725")),
        ("Cividis", ("#00204d", "#ffea46")),
        ("Blue to orange", ("#a8d8ff", "#ffcf9e")),
        ("Grey", ("#000000", "#ffffff")),
    ],
)
def test_that_the_colours_can_be_chosen_and_are_remembered(
    view: HeatmapView, color_map: str, ends: tuple[str, str]
) -> None:
    show(view, 0.0, 1.0)
    choose(view.range_bar.menu, "Colours", color_map)
    assert (color_at(view, 0, 0), color_at(view, 0, 1)) == ends
    host_of(view).show_tensor(torch.tensor([[0.0, 1.0]]), OTHER)
    assert color_at(view, 0, 1) == "#fde725"
    show(view, 0.0, 1.0)
    assert color_at(view, 0, 1) == ends[1]


def test_that_phases_are_drawn_on_a_circle(view: HeatmapView) -> None:
    host = host_of(view)
    host.show_tensor(torch.tensor([[1 + 0j, 0 + 2j, -1 - 1e-6j, -1 + 1e-6j]]))
    assert view.control.levels == (1.0, 2.0)
    choose(view.range_bar.menu, "Complex values as", "Phase")
    low, high = view.control.levels
    assert (round(low, 3), round(high, 3)) == (-3.142, 3.142)
    assert view.control.color_map is ColorMap.CYCLIC
    one, other = (QColor(color_at(view, 0, column)) for column in (2, 3))
    assert abs(one.red() - other.red()) + abs(one.green() - other.green()) + abs(one.blue() - other.blue()) < 9
    host.show_tensor(torch.ones(1, 2), OTHER)
    parts = next(action for action in view.range_bar.menu.actions() if action.text() == "Complex values as")
    assert not parts.isVisible()


def test_that_letters_typed_into_a_box_are_no_commands(view: HeatmapView) -> None:
    show(view, -1.0, 2.0)
    line = view.range_bar.findChildren(QLineEdit)[0]
    line.setFocus()
    pump()
    QTest.keyClicks(line, "nka")
    assert not view.range_bar.marks_negative.isChecked()
    assert not view.range_bar.marks_clipped.isChecked()
    assert view.control.choice.levels is None


def test_that_a_dragged_end_keeps_zero_in_the_middle_and_an_uneven_number_takes_it_out(view: HeatmapView) -> None:
    show(view, -2.0, 1.0)
    assert view.control.is_symmetric
    view.control.drag_levels((-2.0, 0.5), goes_on=False)
    assert view.control.levels == (-0.5, 0.5)
    assert view.control.is_symmetric
    view.control.type_levels((-0.5, 1.5))
    assert view.control.levels == (-0.5, 1.5)
    assert not view.control.is_symmetric
    view.control.undo()
    assert view.control.is_symmetric
