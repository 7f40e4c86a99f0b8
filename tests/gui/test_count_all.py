"""What only a sample was looked at of, in every kind of panel: all elements are counted when asked for."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtWidgets import QApplication

from hookscope.gui.panels.curve import CurveView
from hookscope.gui.panels.grid import GridView
from hookscope.gui.panels.heatmap import HeatmapView
from hookscope.gui.panels.histogram import HistogramView
from hookscope.gui.panels.overlays import HealthLine
from hookscope.gui.panels.statistics import StatisticsView
from hookscope.protocol.events import ViewProgress
from hookscope.protocol.views import CurveRequest, HistogramRequest, Statistics, StatisticsRequest, ViewRequest
from tests.gui.panel_fakes import OTHER, OUTPUT, Asked, PanelWindow, pump, texts_of

MANY = 70_000_000
HUGE = torch.full((1,), 2.0).expand(MANY)
VIEWS = {"histogram": HistogramView, "curve": CurveView, "heatmap": HeatmapView, "grid": GridView}

ALL_POSITIVE = Statistics(MANY, 2.0, 2.0, 2.0, 0.0, 16733.2, 0, 0, MANY, 0, 0, 0, seen=MANY)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    window = PanelWindow()
    yield window
    window.close()
    window.deleteLater()


def view_of(window: PanelWindow, kind: str) -> HistogramView | CurveView | HeatmapView | GridView:
    return window.panel.findChildren(VIEWS[kind])[0]  # type: ignore[no-any-return]


def health(window: PanelWindow) -> str:
    (line,) = window.panel.findChildren(HealthLine)
    return line.text


def count_all(window: PanelWindow, kind: str) -> Asked:
    """Press the button, and return what was asked for."""
    view_of(window, kind).banner.count_button.click()
    (asked,) = window.bridge.take_asked()
    return asked


@pytest.mark.parametrize(
    ("kind", "request_of_all", "before", "after"),
    [
        ("histogram", HistogramRequest(exact=True), "of 70,000,000 counted", "128 bins"),
        ("curve", CurveRequest(exact=True), "of them looked at", "70,000,000 elements · band of 34,180 each"),
    ],
)
def test_that_plots_of_a_sample_are_drawn_again_from_all_elements(
    window: PanelWindow, kind: str, request_of_all: ViewRequest, before: str, after: str
) -> None:
    window.show_tensor(OUTPUT, HUGE, kind)
    view = view_of(window, kind)
    assert view.banner.text.startswith("from a sample: 1 of ")
    assert before in texts_of(window.panel)
    asked = count_all(window, kind)
    assert (asked.request, asked.step, asked.ref) == (request_of_all, 1, OUTPUT)
    window.bridge.view_progress.emit(ViewProgress(asked.panel, asked.number, MANY // 2, MANY))
    assert view.banner.text == "counting all, 50 %"
    window.bridge.answer(asked)
    assert view.banner.text == ""
    assert before not in texts_of(window.panel)
    assert after in texts_of(window.panel), "the line below the plot says so at once"
    window.panel.refresh()
    assert after in texts_of(window.panel), "kept as long as the values are the same"
    window.show_tensor(OUTPUT, HUGE, kind, step=2)
    assert view.banner.text.startswith("from a sample: 1 of ")


@pytest.mark.parametrize(("kind", "shape"), [("heatmap", (7000, 10_000)), ("grid", (7, 1000, 10_000))])
def test_that_the_six_counts_of_a_huge_picture_are_exact_on_demand(
    window: PanelWindow, kind: str, shape: tuple[int, ...]
) -> None:
    window.show_tensor(OUTPUT, HUGE.view(1, MANY).expand(1, MANY).reshape(shape), kind)
    view = view_of(window, kind)
    told = view.banner.text
    assert told.startswith("showing 1/")
    assert health(window).startswith("shown: ")
    asked = count_all(window, kind)
    assert (asked.request, asked.step) == (StatisticsRequest(), 1)
    window.bridge.view_progress.emit(ViewProgress(asked.panel, asked.number, MANY // 2, MANY))
    assert view.banner.text == f"counting all, 50 % · {told}", "the picture is still of a part"
    window.bridge.answer(asked, ALL_POSITIVE)
    assert health(window).endswith("70,000,000 > 0")
    assert not health(window).startswith("shown")
    assert view.banner.text == told
    assert not view.banner.count_button.isVisible()


def test_that_a_whole_plane_of_a_huge_tensor_says_what_is_counted(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, HUGE.reshape(70_000, 10, 100), "heatmap")
    view = view_of(window, "heatmap")
    assert view.banner.text == "counted in this picture only, not in the whole tensor"
    window.bridge.answer(count_all(window, "heatmap"), ALL_POSITIVE)
    assert view.banner.text == ""
    assert health(window).endswith("70,000,000 > 0")


def test_that_a_picture_of_a_tensor_that_is_soon_counted_needs_no_asking(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.ones(1).expand(3000, 2000), "heatmap")
    view = view_of(window, "heatmap")
    assert view.banner.text.startswith("showing 1/")
    assert not view.banner.count_button.isVisible()
    pump(lambda: bool(window.bridge.session.asked))  # as soon as no newer picture comes
    window.bridge.answer_all(window.panel)
    assert health(window).endswith("6,000,000 > 0")


def test_that_counting_can_be_cancelled_and_the_sample_stays(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, HUGE, "histogram")
    asked = count_all(window, "histogram")
    view_of(window, "histogram").banner.cancel_button.click()
    assert window.bridge.session.wishes[-1] == ("cancel_view", asked.panel, asked.number)
    assert view_of(window, "histogram").banner.text == "from a sample: 1 of 67"


def test_that_one_view_of_a_panel_counts_at_a_time_and_gets_its_own_answer(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, HUGE, "histogram")
    first = count_all(window, "histogram")
    window.panel.set_kind("statistics")
    window.bridge.answer_all(window.panel)
    (numbers,) = window.panel.findChildren(StatisticsView)
    numbers.banner.count_button.click()
    (second,) = window.bridge.take_asked()
    assert window.bridge.session.wishes[-1] == ("cancel_view", first.panel, first.number)
    window.bridge.answer(second, ALL_POSITIVE)
    assert "positives 70,000,000" in numbers.summary()
    window.panel.set_kind("histogram")
    window.bridge.answer_all(window.panel)
    assert view_of(window, "histogram").banner.text == "from a sample: 1 of 67"


def test_that_another_tensor_ends_the_counting(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, HUGE, "curve")
    asked = count_all(window, "curve")
    window.show_tensor(OTHER, torch.ones(3), "curve")
    assert window.bridge.session.wishes[-1] == ("cancel_view", asked.panel, asked.number)
    assert view_of(window, "curve").banner.text == ""
