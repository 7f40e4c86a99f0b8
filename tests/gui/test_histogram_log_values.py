"""A histogram of the logarithms of the magnitudes."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.views import HistogramRequest
from tests.gui.panel_fakes import OUTPUT, PanelWindow, texts_of
from tests.gui.picture_host import Host

SPREAD = torch.tensor([[1e-6, -1e-3, 0.0, 1.0], [-1e3, 10.0, 0.0, torch.nan]])


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


def histogram_of(window: PanelWindow) -> HistogramView:
    (view,) = window.panel.findChildren(HistogramView)
    return view


def marks_of(view: HistogramView) -> list[str]:
    axis = view.plot().plotItem.getAxis("bottom")  # type: ignore[union-attr]
    low, high = view.plot().plotItem.getViewBox().viewRange()[0]  # type: ignore[union-attr]
    ((_, places),) = axis.tickValues(low, high, 4000)
    texts: list[str] = axis.tickStrings(places, 1.0, 1.0)
    return texts


def choose_log_values(window: PanelWindow) -> HistogramView:
    view = histogram_of(window)
    view.switches.values.click()
    window.bridge.answer_all(window.panel)
    return view


def test_that_magnitudes_are_counted_in_powers_of_ten_and_what_is_left_out_is_said(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, SPREAD, "histogram")
    assert histogram_of(window).request() == HistogramRequest()
    view = choose_log_values(window)
    assert view.request() == HistogramRequest(log_magnitude=True)
    text = "128 bins of |x| in powers of ten · 2 zeros in no bin · 1 NaN"
    assert text in texts_of(window.panel)
    assert marks_of(view) == ["1e-6", "1e-5", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    assert view.summary().startswith("histogram from 1e-6 to 1000, ")


def test_that_the_switch_holds_for_the_next_tensors_and_can_be_taken_back(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, SPREAD, "histogram")
    view = choose_log_values(window)
    window.show_tensor(OUTPUT, SPREAD * 10, "histogram", step=2)
    assert view.summary().startswith("histogram from 1e-5 to 10000, ")
    choose_log_values(window)
    assert view.summary().startswith("histogram from -10000 to 100, ")
    assert "|x|" not in texts_of(window.panel)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "histogram from 1 to 10, "), (1e-300, "histogram from 3.162e-301 to 3.162e-300, ")],
)
def test_that_values_without_a_spread_are_drawn_too(window: PanelWindow, value: float, text: str) -> None:
    window.show_tensor(OUTPUT, torch.full((4,), value, dtype=torch.float64), "histogram")
    assert choose_log_values(window).summary().startswith(text)
    window.panel.grab()


def test_that_the_range_of_a_picture_has_no_handles_on_an_axis_of_magnitudes(qapp: QApplication) -> None:
    heatmap, histogram = HeatmapView(), HistogramView()
    host = Host(heatmap, histogram)
    host.show_tensor(SPREAD)
    assert histogram.handles.is_shown
    assert not heatmap.color_bar.isVisible()
    histogram.switches.values.click()
    assert not histogram.handles.is_shown
    assert heatmap.color_bar.isVisible(), "the picture shows its own colours then"
    histogram.switches.values.click()
    assert histogram.handles.is_shown
    host.close()
    host.deleteLater()


def test_that_the_switches_are_there_only_while_there_is_a_histogram(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, SPREAD, "histogram")
    assert not histogram_of(window).switches.isHidden()
    window.bridge.record(Record(OUTPUT, 2, 9, None, (Badge(BadgeKind.NO_DATA),)))
    assert window.panel.message
    assert histogram_of(window).switches.isHidden()
    window.show_tensor(OUTPUT, SPREAD, "histogram", step=3)
    assert not histogram_of(window).switches.isHidden()
