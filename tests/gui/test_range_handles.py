"""The range of a picture on the histogram of the same tensor."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from tests.gui.panel_fakes import OTHER, colors_of, pump
from tests.gui.picture_host import Host, wait_for_calm

Pair = tuple[Host, HeatmapView, HistogramView]


@pytest.fixture
def pair(qapp: QApplication) -> Iterator[Pair]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    views = HeatmapView(), HistogramView()
    host = Host(*views)
    yield host, *views
    host.close()
    host.deleteLater()


def span_of(histogram: HistogramView) -> tuple[float, float]:
    plot = histogram.plot()
    low, high = plot.plotItem.getViewBox().viewRange()[0]  # type: ignore[union-attr]
    return float(low), float(high)


def drag(histogram: HistogramView, end: int, value: float) -> None:
    """Move a handle with the mouse."""
    plot = histogram.plot()
    assert plot is not None
    levels = histogram.handles.levels
    assert levels is not None
    box = plot.plotItem.getViewBox()  # type: ignore[attr-defined]
    top = box.viewRange()[1][1]
    places = [
        plot.mapFromScene(box.mapViewToScene(QPointF(x, top / 2)))
        for x in (levels[end], (levels[end] + value) / 2, value)
    ]
    QTest.mouseMove(plot.viewport(), places[0])
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    for place in places[1:]:
        QTest.mouseMove(plot.viewport(), place)
        pump()
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=places[-1])
    pump()


def test_that_the_handles_are_the_range_of_the_picture(pair: Pair) -> None:
    host, view, histogram = pair
    host.show_tensor(torch.tensor([[0.0, 1.0, 4.0]]))
    assert histogram.handles.levels == (0.0, 4.0)
    view.control.type_levels((1.0, 2.0))
    assert histogram.handles.levels == (1.0, 2.0)
    view.control.undo()
    assert histogram.handles.levels == (0.0, 4.0)


def test_that_a_dragged_handle_is_one_edit_of_the_picture(pair: Pair) -> None:
    host, view, histogram = pair
    host.show_tensor(torch.rand(40, 40) * 4)
    before = view.control.levels
    drag(histogram, 1, 2.0)
    low, high = view.control.levels
    assert low == before[0]
    assert high == pytest.approx(2.0, abs=0.1)
    histogram.setFocus()
    QTest.keyClick(histogram, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert view.control.levels == before
    assert histogram.handles.levels == before
    QTest.keyClick(histogram, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert view.control.levels == (low, high)


def test_that_the_colours_of_the_picture_are_drawn_along_the_axis(pair: Pair) -> None:
    host, view, histogram = pair
    host.show_tensor(torch.rand(40, 40))
    pump()
    assert {"#440154", "#fde725"} <= colors_of(histogram)
    view.control.set_symmetric(True)
    pump()
    assert "#440154" not in colors_of(histogram)


def test_that_the_strip_of_the_picture_gives_way_to_a_histogram_in_sight(pair: Pair) -> None:
    host, view, histogram = pair
    host.show_tensor(torch.rand(4, 4))
    assert not view.color_bar.isVisible()
    histogram.hide()
    assert view.color_bar.isVisible()
    histogram.show()
    assert not view.color_bar.isVisible()


def test_that_a_histogram_alone_has_no_handles(qapp: QApplication) -> None:
    histogram = HistogramView()
    host = Host(histogram)
    host.show_tensor(torch.rand(4, 4))
    assert histogram.handles.levels is None
    host.close()
    host.deleteLater()


def test_that_the_axis_only_grows_during_a_run_and_fits_afterwards(pair: Pair) -> None:
    host, _view, histogram = pair
    host.show_tensor(torch.tensor([[0.0, 10.0]]))
    first = span_of(histogram)
    host.show_tensor(torch.tensor([[2.0, 5.0]]))
    assert span_of(histogram) == first
    host.show_tensor(torch.tensor([[2.0, 20.0]]))
    low, high = span_of(histogram)
    assert low <= 0.0
    assert high >= 20.0
    host.show_tensor(torch.tensor([[2.0, 5.0]]))
    wait_for_calm()
    low, high = span_of(histogram)
    assert (low, high) == pytest.approx((2.0, 5.0), abs=0.2)
    host.show_tensor(torch.tensor([[100.0, 200.0]]), OTHER)
    assert span_of(histogram)[0] > 90.0


@pytest.mark.parametrize(
    "tensor",
    [
        torch.full((3, 4), torch.nan),
        torch.full((3, 4), 3.0),
        torch.tensor([[-3e38, 3e38]]),
        torch.tensor([[1e300, -1e300]], dtype=torch.float64),
        torch.tensor([[1e-45, 0.0]]),
        torch.tensor([[torch.inf, -torch.inf]]),
        torch.tensor([[True, False]]),
        torch.tensor([[2**60, -(2**60)]]),
        torch.tensor([[1 + 2j, 3 - 4j]]),
    ],
    ids=["nan", "constant", "huge", "float64", "tiny", "infinite", "bool", "int64", "complex"],
)
def test_that_awkward_values_are_drawn_without_trouble(pair: Pair, tensor: torch.Tensor) -> None:
    host, view, histogram = pair
    host.show_tensor(tensor)
    view.control.set_symmetric(True)
    view.control.set_trimmed(True)
    view.control.fit_once()
    view.range_bar.marks_clipped.toggle()
    histogram.hide()
    assert len(colors_of(host)) > 5
    low, high = view.control.levels
    assert low < high
