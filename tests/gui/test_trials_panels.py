"""Before, after and the difference of a trial in panels: the values, the words, the keys, and what wins over them."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from hookscope.gui.current import Current
from hookscope.gui.panels.details import DetailsDock
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK
from hookscope.gui.trials.comparison import Aim, CompareMode
from tests.gui.panel_fakes import OTHER, OUTPUT, pump, texts_of
from tests.gui.trial_fakes import TrialBridge

BEFORE = torch.tensor([[1.25, -2.5, 3.0], [0.1, 7.0, -0.0]])
AFTER = BEFORE.clone()
AFTER[:, 1] = 0.0


class TrialWindow(QMainWindow):
    """A panel that follows, one that is locked, and the details."""

    def __init__(self) -> None:
        super().__init__()
        self.bridge = TrialBridge()
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.panel = TensorPanel(self.bridge, self.current, "panel-0", self)  # type: ignore[arg-type]
        self.locked = TensorPanel(self.bridge, self.current, "panel-1", self)  # type: ignore[arg-type]
        self.details = DetailsDock(self.bridge, self.current, self)  # type: ignore[arg-type]
        self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self.panel)
        self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self.locked)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.details)
        for panel in (self.panel, self.locked):
            panel.set_kind("curve")
        self.locked.lock_to(OTHER)
        self.waiting = (self.panel, self.locked, self.details)
        self.resize(1000, 600)
        self.show()
        pump()

    def settle(self) -> None:
        """Answer everything until all that can be seen is the newest."""
        while any(one.is_waiting for one in self.waiting):
            pump(self._is_asked_or_drawn)
            for asked in self.bridge.take_asked():
                self.bridge.answer(asked)

    def _is_asked_or_drawn(self) -> bool:
        return bool(self.bridge.session.asked) or not any(one.is_waiting for one in self.waiting)

    def run_trial(self) -> None:
        self.bridge.run_trial({OUTPUT: BEFORE, OTHER: 2 * BEFORE}, {OUTPUT: AFTER, OTHER: 2 * AFTER})
        self.current.select_ref(OUTPUT)
        self.settle()


@pytest.fixture
def window(qapp: QApplication) -> Iterator[TrialWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = TrialWindow()
    window.run_trial()
    yield window
    window.close()
    window.deleteLater()


def values_of(panel: TensorPanel) -> torch.Tensor:
    """Return the values that a panel draws."""
    (curve, *_) = panel.plot().plotItem.listDataItems()  # type: ignore[union-attr, attr-defined]
    return torch.from_numpy(curve.getData()[1].astype(np.float32)).reshape(BEFORE.shape)


def test_that_the_values_after_are_shown_at_first(window: TrialWindow) -> None:
    assert torch.equal(values_of(window.panel), AFTER)
    assert "after, step 2" in texts_of(window.panel)
    assert window.panel.shown_mode is CompareMode.AFTER


def test_that_one_key_shows_the_values_before_and_again_those_after(window: TrialWindow) -> None:
    window.activateWindow()
    window.panel.setFocus()
    QTest.keyClick(window.panel, Qt.Key.Key_B)
    window.settle()
    assert torch.equal(values_of(window.panel), BEFORE)
    assert torch.equal(values_of(window.locked), 2 * BEFORE)
    assert "before, step 1" in texts_of(window.panel)
    QTest.keyClick(window.panel, Qt.Key.Key_B)
    window.settle()
    assert torch.equal(values_of(window.panel), AFTER)
    assert torch.equal(values_of(window.locked), 2 * AFTER)


def test_that_the_difference_of_a_zeroed_channel_is_minus_its_values(window: TrialWindow) -> None:
    window.activateWindow()
    window.panel.setFocus()
    QTest.keyClick(window.panel, Qt.Key.Key_D)
    window.settle()
    shown = values_of(window.panel)
    assert torch.equal(shown[:, 1], -BEFORE[:, 1])
    assert not shown[:, (0, 2)].any()
    assert "difference" in texts_of(window.panel)
    assert window.panel.shown_mode is CompareMode.DIFFERENCE


def test_that_the_numbers_at_the_side_follow(window: TrialWindow) -> None:
    assert "min -2.5" not in window.details.statistics.summary()
    window.current.compare(CompareMode.BEFORE)
    window.settle()
    assert "min -2.5" in window.details.statistics.summary()
    window.current.compare(CompareMode.DIFFERENCE)
    window.settle()
    assert "max 2.5" in window.details.statistics.summary()
    assert "min -7" in window.details.statistics.summary()


def test_that_another_trial_is_shown_in_the_same_way(window: TrialWindow) -> None:
    window.current.compare(CompareMode.DIFFERENCE)
    window.settle()
    window.bridge.run_trial({OUTPUT: BEFORE, OTHER: BEFORE}, {OUTPUT: BEFORE + 1, OTHER: BEFORE})
    window.settle()
    assert torch.equal(values_of(window.panel), (BEFORE + 1) - BEFORE)
    assert window.current.comparison.aim == Aim(4, 3)


def test_that_a_step_that_is_no_trial_ends_the_comparison(window: TrialWindow) -> None:
    window.current.compare(CompareMode.BEFORE)
    window.settle()
    window.bridge.run_step({OUTPUT: BEFORE * 3, OTHER: BEFORE})
    window.settle()
    assert window.current.comparison.mode is CompareMode.AFTER
    assert torch.equal(values_of(window.panel), BEFORE * 3)
    assert "step 3" in texts_of(window.panel)
    assert "after" not in texts_of(window.panel)


def test_that_a_step_that_was_gone_to_wins_until_a_comparison_is_wanted_again(window: TrialWindow) -> None:
    window.bridge.run_step({OUTPUT: BEFORE * 3, OTHER: BEFORE})
    window.bridge.run_trial({OUTPUT: BEFORE, OTHER: BEFORE}, {OUTPUT: AFTER, OTHER: BEFORE})
    window.current.compare(CompareMode.DIFFERENCE)
    window.settle()
    window.current.show_step(3)
    window.settle()
    assert torch.equal(values_of(window.panel), BEFORE * 3)
    assert window.current.comparison.mode is CompareMode.AFTER
    window.current.toggle_comparison(CompareMode.BEFORE)
    window.settle()
    assert window.current.step is None
    assert torch.equal(values_of(window.panel), BEFORE)


def test_that_an_answer_of_values_is_not_taken_for_a_difference(window: TrialWindow) -> None:
    window.bridge.run_trial({OUTPUT: BEFORE, OTHER: BEFORE}, {OUTPUT: AFTER, OTHER: BEFORE})
    pump(lambda: len(window.bridge.session.asked) == 3)
    late = window.bridge.take_asked()
    window.current.compare(CompareMode.DIFFERENCE)
    for asked in late:
        window.bridge.answer(asked)
    window.settle()
    assert torch.equal(values_of(window.panel), AFTER - BEFORE)


def test_that_nothing_can_be_compared_without_a_trial(window: TrialWindow) -> None:
    window.bridge.run_step({OUTPUT: BEFORE, OTHER: BEFORE})
    window.current.compare(CompareMode.BEFORE)
    assert window.current.comparison.aim == Aim()


def test_that_what_is_not_captured_says_what_to_do_in_every_mode(window: TrialWindow) -> None:
    window.current.compare(CompareMode.BEFORE)
    window.current.select_module("features.1")
    pump()
    assert window.panel.message == "Check this module and press Step to capture it."
