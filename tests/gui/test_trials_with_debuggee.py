"""Trials of a real model in a real process, seen in real panels; every number is that of plain PyTorch."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from torch import nn

from hookscope.client.state import SessionState
from hookscope.engine.workloads.examples import digits
from hookscope.gui.current import Current
from hookscope.gui.handlers.trials import TrialHandlers
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.panels.details import DetailsDock
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.trials.most_changed import MostChangedDock
from hookscope.gui.trials.ribbon import TrialRibbon
from hookscope.gui.trials.sweep_dialog import SweepDialog
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels, Intervention
from hookscope.protocol.tensor_changes import Scale, Zero
from hookscope.protocol.workload import parse_source
from tests.gui.panel_fakes import pump

PATIENCE_S = 60.0
OUT = TensorRef("", Slot.OUTPUT, "out")
CONV = TensorRef("features.0", Slot.OUTPUT, "out")
LOGITS = TensorRef("classifier.3", Slot.OUTPUT, "out")
CHANNEL = 3


class Window(QMainWindow):
    """A panel, the details, the list and the ribbon around a real session."""

    def __init__(self) -> None:
        super().__init__()
        self.bridge = SessionBridge(self)
        self.session = self.bridge.session
        self.current = Current(self.bridge, self)
        self.book = InterventionBook(self.bridge, self)
        self.handlers = TrialHandlers(self.bridge, self.current, self.book, self)
        self.panel = TensorPanel(self.bridge, self.current, "panel-0", self)
        self.panel.set_kind("curve")
        self.details = DetailsDock(self.bridge, self.current, self)
        self.changed = MostChangedDock(self.bridge, self.current, self)
        self.ribbon = TrialRibbon(self.bridge, self.current, self)
        self.setCentralWidget(self.ribbon)
        self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self.panel)
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.details)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.changed)
        self.resize(1000, 700)
        self.show()

    def open(self, source: str, *checked: str) -> None:
        """Load a model, check modules and run a step."""
        self.session.open(parse_source(source))
        self.settle()
        self.session.check(checked)
        self.session.step()
        self.settle()

    def change(self, intervention: Intervention) -> None:
        """Let one intervention be on, and try it."""
        self.book.put(intervention)
        self.handlers.try_now()
        self.settle()

    def settle(self, until: Callable[[], bool] | None = None) -> None:
        """Wait until nothing runs and all that can be seen is the newest, and until something is so."""
        pump(lambda: self._is_settled() and (until is None or until()), PATIENCE_S)
        assert self._is_settled()

    def _is_settled(self) -> bool:
        waiting = (self.panel, self.details, self.changed)
        return self.session.state is SessionState.IDLE and not any(one.is_waiting for one in waiting)

    def end(self) -> None:
        self.bridge.close()
        self.close()
        self.deleteLater()

    def values(self) -> list[float]:
        """Return what the panel draws."""
        (curve, *_) = self.panel.plot().plotItem.listDataItems()  # type: ignore[union-attr, attr-defined]
        return np.asarray(curve.getData()[1]).tolist()


@pytest.fixture(scope="module")
def _shared(qapp: object) -> Iterator[Window]:
    """One window for several tests: a debuggee takes seconds to start."""
    window = Window()
    window.open("example:one_layer", "")
    window.current.select_ref(OUT)
    window.settle()
    yield window
    window.end()


@pytest.fixture
def one_layer(_shared: Window) -> Window:
    _shared.book.clear()
    return _shared


@pytest.fixture
def trained_digits(qapp: object) -> Iterator[Window]:
    window = Window()
    window.open("example:digits", "features.0", "features.3", "classifier.3")
    yield window
    window.end()


def test_that_one_key_shows_before_and_after_and_another_the_difference(one_layer: Window) -> None:
    window = one_layer
    window.change(Intervention(1, "", Slot.OUTPUT, Scale(0.5)))
    assert window.values() == [5.0]
    assert window.ribbon.loss_text == "10 → 5 -5"
    window.activateWindow()
    window.panel.setFocus()
    for key, shown in ((Qt.Key.Key_B, 10.0), (Qt.Key.Key_B, 5.0), (Qt.Key.Key_D, -5.0)):
        QTest.keyClick(window.panel, key)
        window.settle()
        assert window.values() == [shown]
    window.change(Intervention(1, "", Slot.OUTPUT, Scale(2.0)))
    window.settle()
    assert window.values() == [10.0]
    assert window.ribbon.loss_text == "10 → 20 +10"


def test_that_a_sweep_plots_the_loss_and_a_norm(one_layer: Window) -> None:
    window = one_layer
    window.book.put(Intervention(1, "", Slot.OUTPUT, Scale(0.5)))
    dialog = SweepDialog(window.bridge, window.book, window.current, window)
    dialog.show()
    form = dialog.form
    form.low.set_value(0.0)
    form.high.set_value(2.0)
    form.count.setValue(5)
    form.of_change.setChecked(True)
    form.add_button.click()
    dialog.start_button.click()
    assert dialog.is_running
    pump(lambda: not dialog.is_running, PATIENCE_S)
    window.settle()
    factors = [0.0, 0.5, 1.0, 1.5, 2.0]
    assert [point.value for point in dialog.points] == factors
    assert [point.loss for point in dialog.points] == [10 * factor for factor in factors]
    assert [point.measured[0] for point in dialog.points] == [abs(10 * factor - 10) for factor in factors]
    assert dialog.plots.summaries == ("loss: 0 at 0 … 20 at 2", "norm of the change of output: 10 at 0 … 10 at 2")
    assert dialog.table().splitlines()[:2] == ["Factor,loss,norm of the change of output", "0.0,0.0,10.0"]
    assert window.session.interventions == (Intervention(1, "", Slot.OUTPUT, Scale(0.5)),)
    assert not math.isnan(dialog.points[0].loss or 0.0)
    dialog.close()
    dialog.deleteLater()


def test_that_a_sweep_can_be_cancelled_and_leaves_the_former_value(one_layer: Window) -> None:
    window = one_layer
    window.book.put(Intervention(1, "", Slot.OUTPUT, Scale(0.5)))
    dialog = SweepDialog(window.bridge, window.book, window.current, window)
    dialog.show()
    dialog.form.count.setValue(5000)
    dialog.start()
    pump(lambda: len(dialog.points) > 1, PATIENCE_S)
    dialog.cancel_button.click()
    assert not dialog.is_running
    assert window.session.interventions == (Intervention(1, "", Slot.OUTPUT, Scale(0.5)),)
    window.settle()
    assert "Ended after" in dialog.note.text()
    dialog.close()
    dialog.deleteLater()


def plain_digits(*, changed: bool) -> tuple[torch.Tensor, torch.Tensor, float]:
    """Train a step, and return the first convolution's output, the logits and the loss, with a hook of one's own."""
    workload = digits.build()
    workload.loss(workload.model(workload.inputs), workload.targets).backward()
    workload.optimizer.step()
    seen = []

    def zero(_module: nn.Module, _args: object, output: torch.Tensor) -> torch.Tensor:
        new = output.clone()
        if changed:
            new[:, CHANNEL] = 0
        seen.append(new.detach())
        return new

    workload.model.get_submodule("features.0").register_forward_hook(zero)
    logits = workload.model(workload.inputs)
    return seen[0], logits.detach(), workload.loss(logits, workload.targets).item()


def test_that_a_zeroed_channel_does_what_plain_pytorch_does_and_leaves_nothing(
    trained_digits: Window,
) -> None:
    window = trained_digits
    window.change(Intervention(1, "features.0", Slot.OUTPUT, Zero(), where=Channels((CHANNEL,))))
    before, logits_before, loss_before = plain_digits(changed=False)
    _, logits_after, loss_after = plain_digits(changed=True)
    trial = window.session.trial
    assert trial is not None
    assert (trial.loss_before, trial.loss_after) == (pytest.approx(loss_before), pytest.approx(loss_after))
    window.current.select_ref(CONV)
    window.handlers.toggle_difference()
    window.settle()
    zeroed = before[:, CHANNEL]
    summary = window.details.statistics.summary()
    assert f"min {-float(zeroed.max()):.4g}" in summary
    assert f"max {-float(zeroed.min()):.4g}" in summary
    moved = {difference.ref: difference for difference in window.session.comparison.differences}  # type: ignore[union-attr]
    relative = float(zeroed.norm() / before.norm())
    assert moved[CONV].relative == pytest.approx(relative, rel=1e-5)
    assert moved[CONV].changed == int((zeroed != 0).sum())
    assert moved[LOGITS].norm == pytest.approx(float((logits_after - logits_before).norm()), rel=1e-3)
    assert window.changed.model.rows[0].relative >= window.changed.model.rows[-1].relative
    window.handlers.remove_and_prove()
    window.settle(lambda: window.session.proof is not None)
    proof = window.session.proof
    assert proof is not None
    assert proof.differing == ()
    assert proof.compared > 10
