"""Trials train nothing: the curves leave them out, and the strip of steps marks them by a shape of their own."""

from collections.abc import Iterator

import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication

from hookscope.gui.history_panel import HistoryPanel
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.gui.timeline.shown_step import steps_of
from hookscope.gui.timeline.step_strip import StepStrip
from tests.gui.fakes import FakeBridge, FakeSession, small_tree
from tests.gui.panel_fakes import pump
from tests.gui.trial_fakes import finished


@pytest.fixture
def bridge(qapp: QApplication) -> FakeBridge:
    apply_theme(qapp, DARK)
    return FakeBridge(FakeSession(small_tree()))


@pytest.fixture
def panel(bridge: FakeBridge) -> Iterator[HistoryPanel]:
    panel = HistoryPanel(bridge)  # type: ignore[arg-type]
    panel.resize(600, 200)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


def test_that_trials_are_no_part_of_the_curves(bridge: FakeBridge, panel: HistoryPanel) -> None:
    bridge.session.history += [finished(1, 3.0), finished(2, 2.0)]
    bridge.session.history += [finished(step, 99.0, is_trial=True) for step in range(3, 40)]
    bridge.session.history.append(finished(40, 1.0))
    bridge.step_finished.emit(bridge.session.history[-1])
    pump(lambda: panel.drawn_steps > 0)
    assert panel.drawn_steps == 3
    assert "loss 1 (1 … 3)" in panel.summary
    plot = next(plot for plot in panel.findChildren(pg.PlotWidget) if plot.accessibleName() == "loss")
    curve, _lone_steps = plot.plotItem.listDataItems()
    numbers, losses = curve.getOriginalDataset()
    assert list(numbers) == [1, 2, 3]
    assert list(losses) == [3.0, 2.0, 1.0]


def test_that_the_strip_knows_which_steps_were_trials(bridge: FakeBridge) -> None:
    bridge.session.history += [finished(1), finished(2, is_trial=True), finished(3, is_trial=True), finished(4)]
    steps = steps_of(bridge.session)  # type: ignore[arg-type]
    assert (steps.first, steps.last, steps.trials) == (1, 4, (2, 3))


def test_that_a_trial_has_a_shape_of_its_own(qapp: QApplication) -> None:
    strip = StepStrip()
    strip.resize(300, 30)
    strip.show_steps(1, 5, (), 5)
    plain = strip.grab().toImage()
    strip.show_steps(1, 5, (2,), 5)
    traced = strip.grab().toImage()
    strip.show_steps(1, 5, (), 5, (2,))
    tried = strip.grab().toImage()
    assert plain != traced
    assert plain != tried
    assert traced != tried
    strip.deleteLater()
