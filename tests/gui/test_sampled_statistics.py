"""Numbers of a very large tensor: a sample at once, all elements when asked for, with progress and a way out."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QTableWidget

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.panels.details import DetailsDock
from hookscope.gui.panels.statistics import StatisticsView
from hookscope.protocol.events import ViewProgress
from hookscope.protocol.views import NoPicture, NoPictureReason, StatisticsRequest
from tests.gui.panel_fakes import OTHER, OUTPUT, Asked, PanelBridge, PanelWindow, pump

COUNT = 5_000_000
SAMPLED, WHOLE = StatisticsRequest(sampled=True), StatisticsRequest()


def huge(value: float = 2.0) -> torch.Tensor:
    """Return a large tensor that takes no memory."""
    return torch.full((1,), value).expand(COUNT)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[PanelWindow]:
    window = PanelWindow()
    window.show_tensor(OUTPUT, huge(), "statistics")
    yield window
    window.close()
    window.deleteLater()


def view_of(window: QMainWindow) -> StatisticsView:
    return window.findChildren(StatisticsView)[0]


def number(window: QMainWindow, name: str) -> str:
    table = view_of(window).findChildren(QTableWidget)[0]
    texts = [[item.text() for column in (0, 1) if (item := table.item(row, column))] for row in range(table.rowCount())]
    return dict(texts)[name]


def counting(window: PanelWindow) -> Asked:
    """Press the button, and return what was asked for."""
    view_of(window).banner.count_button.click()
    (asked,) = window.bridge.take_asked()
    return asked


def test_that_a_small_tensor_has_exact_numbers_and_no_banner(window: PanelWindow) -> None:
    window.show_tensor(OUTPUT, torch.tensor([0.0, 1.0]), "statistics")
    assert view_of(window).banner.text == ""
    assert (number(window, "zeros"), number(window, "positives")) == ("50.0 %", "1")


def test_that_a_large_tensor_is_sampled_first_and_that_is_said(window: PanelWindow) -> None:
    assert view_of(window).banner.text == "from a sample: 1 of 5"
    assert number(window, "mean") == "about 2"
    assert number(window, "NaN") == "0 in the sample"
    assert number(window, "positives") == "1,000,000 in the sample"
    assert number(window, "norm") == "about 4472", "scaled up to all elements"


def test_that_all_are_counted_on_demand_and_kept_until_the_values_change(window: PanelWindow) -> None:
    asked = counting(window)
    assert (asked.request, asked.step, asked.ref) == (WHOLE, 1, OUTPUT)
    window.bridge.view_progress.emit(ViewProgress(asked.panel, asked.number, COUNT // 4, COUNT))
    assert view_of(window).banner.text == "counting all, 25 %"
    assert number(window, "mean") == "about 2", "the sample stays meanwhile"
    window.bridge.answer(asked)
    assert view_of(window).banner.text == ""
    assert (number(window, "mean"), number(window, "positives")) == ("2", f"{COUNT:,}")
    window.panel.set_kind("histogram")
    window.bridge.answer_all(window.panel)
    window.panel.set_kind("statistics")
    window.bridge.answer_all(window.panel)
    window.panel.refresh()
    assert number(window, "positives") == f"{COUNT:,}"
    window.show_tensor(OUTPUT, huge(3.0), "statistics", step=2)
    assert view_of(window).banner.text == "from a sample: 1 of 5"
    assert number(window, "mean") == "about 3"


def test_that_counting_can_be_cancelled_and_asked_for_again(window: PanelWindow) -> None:
    asked = counting(window)
    view_of(window).banner.cancel_button.click()
    assert window.bridge.session.wishes[-1] == ("cancel_view", asked.panel, asked.number)
    assert view_of(window).banner.text == "from a sample: 1 of 5"
    window.bridge.answer(asked, NoPicture(NoPictureReason.CANCELLED))
    again = counting(window)
    assert again.number > asked.number
    window.bridge.answer(again)
    assert number(window, "mean") == "2"


def test_that_newer_values_and_another_tensor_end_the_counting(window: PanelWindow) -> None:
    asked = counting(window)
    window.show_tensor(OUTPUT, huge(3.0), "statistics", step=2)
    window.bridge.answer(asked, step=1)
    assert ("cancel_view", asked.panel, asked.number) in window.bridge.session.wishes
    assert number(window, "mean") == "about 3"
    asked = counting(window)
    window.show_tensor(OTHER, torch.ones(3), "statistics")
    assert window.bridge.session.wishes[-1] == ("cancel_view", asked.panel, asked.number)
    assert view_of(window).banner.text == ""


def test_that_an_answer_that_cannot_be_given_leaves_the_sample(window: PanelWindow) -> None:
    window.bridge.answer(counting(window), NoPicture(NoPictureReason.STEP_GONE))
    assert view_of(window).banner.text == "from a sample: 1 of 5"
    counting(window)
    window.bridge.enter(SessionState.LOST)
    assert view_of(window).banner.text == "from a sample: 1 of 5"
    assert number(window, "mean") == "about 2"
    view_of(window).banner.count_button.click()
    assert not window.bridge.take_asked()


def test_that_the_details_count_too(qapp: QApplication) -> None:
    window = QMainWindow()
    bridge = PanelBridge()
    current = Current(bridge, window)  # type: ignore[arg-type]
    dock = DetailsDock(bridge, current, window)  # type: ignore[arg-type]
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    window.show()
    pump()
    bridge.capture({OUTPUT: huge()})
    current.select_ref(OUTPUT)
    bridge.answer_all(dock)
    dock.statistics.banner.count_button.click()
    (asked,) = bridge.take_asked()
    assert asked.request == WHOLE
    bridge.answer(asked)
    assert dock.statistics.banner.text == ""
    assert f"positives {COUNT:,}" in dock.statistics.summary()
    window.close()
    window.deleteLater()
