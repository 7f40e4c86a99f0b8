"""A sweep's form and plots: which numbers can be swept, what is wrong with a range, what is measured."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMainWindow

from hookscope.client.sweep import Measure
from hookscope.gui.current import Current
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.gui.trials.sweep_dialog import SweepDialog
from hookscope.gui.trials.sweep_fields import sweep_fields
from hookscope.gui.trials.sweep_plots import Series, SweepPlots
from hookscope.protocol.tensor_changes import (
    Add,
    Change,
    Clamp,
    ClipNorm,
    Expression,
    Flip,
    NanTo,
    Noise,
    Scale,
    StraightThrough,
    Zero,
)
from tests.gui.panel_fakes import OTHER, OUTPUT
from tests.gui.trial_fakes import TrialBridge, intervention


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (Zero(), []),
        (Flip(), []),
        (Expression("x"), []),
        (Scale(2.0), ["factor"]),
        (Clamp(None, 1.0), ["low", "high"]),
        (Noise(), ["std", "seed"]),
        (NanTo(), ["value"]),
        (StraightThrough(Add()), ["value"]),
    ],
)
def test_that_the_numbers_of_a_change_can_be_swept(change: Change, names: list[str]) -> None:
    assert [field.name for field in sweep_fields(change)] == names


def test_that_the_first_range_is_that_of_the_slider() -> None:
    (limit,) = sweep_fields(ClipNorm())
    assert (limit.title, limit.low, limit.high, limit.is_log) == ("Limit", 1e-3, 1e3, True)
    seed = sweep_fields(Noise(seed=3))[1]
    assert (seed.low, seed.high, seed.is_whole) == (3.0, 12.0, True)


class SweepWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.bridge = TrialBridge()
        self.bridge.session.interventions = ()
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.book = InterventionBook(self.bridge, self)  # type: ignore[arg-type]
        self.dialog = SweepDialog(self.bridge, self.book, self.current, self)  # type: ignore[arg-type]
        self.form = self.dialog.form
        self.dialog.show()


@pytest.fixture
def window(qapp: QApplication) -> Iterator[SweepWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = SweepWindow()
    yield window
    window.dialog.close()
    window.close()
    window.deleteLater()


def test_that_nothing_can_be_swept_without_a_number(window: SweepWindow) -> None:
    window.book.put(intervention(1, Zero()))
    assert not window.dialog.start_button.isEnabled()
    assert window.dialog.note.text().startswith("A sweep varies a number of a change")
    window.book.put(intervention(2, Scale(2.0)))
    assert window.dialog.start_button.isEnabled()
    assert window.dialog.note.text() == ""
    assert (window.form.low.value(), window.form.high.value()) == (-3.0, 3.0)


def test_that_an_intervention_can_be_chosen_and_stays_when_the_list_changes(window: SweepWindow) -> None:
    window.book.put(intervention(1, Scale(2.0)))
    window.book.put(intervention(2, ClipNorm(1.0)))
    window.form.choose(2)
    assert window.form.is_log
    window.form.high.set_value(7.0)
    window.book.put(intervention(3, Add(1.0)))
    assert window.form.chosen is not None
    assert window.form.chosen.id == 2
    assert window.form.high.value() == 7.0
    window.book.remove([2])
    assert window.form.chosen.id == 1


def test_that_a_range_that_is_none_is_refused_at_its_field(window: SweepWindow) -> None:
    window.book.put(intervention(1, Scale(2.0)))
    wishes = list(window.bridge.session.wishes)
    window.form.low.line.setText("many")
    window.dialog.start_button.click()
    assert "no number" in window.form.low.error
    window.form.low.line.setText("0")
    window.form.scale.setCurrentIndex(1)
    window.dialog.start_button.click()
    assert window.form.low.error == "A logarithmic range is above zero."
    window.form.high.line.setText("inf")
    window.dialog.start_button.click()
    assert window.form.high.error == "A number is needed."
    assert window.bridge.session.wishes == wishes


def test_that_whole_numbers_are_swept_once_each(window: SweepWindow) -> None:
    window.book.put(intervention(1, Noise(seed=0)))
    window.form.field.setCurrentIndex(1)
    window.form.high.set_value(3.0)
    window.form.count.setValue(20)
    assert window.form.values() == (0.0, 1.0, 2.0, 3.0)


def test_that_the_tensor_in_the_window_is_measured(window: SweepWindow) -> None:
    assert not window.form.add_button.isEnabled()
    window.current.select_ref(OUTPUT)
    window.form.add_button.click()
    window.form.add_button.click()
    window.current.select_ref(OTHER)
    window.form.statistic.setCurrentIndex(window.form.statistic.findData("nan"))
    window.form.of_change.setChecked(True)
    window.form.add_button.click()
    assert window.form.measures == (Measure(OUTPUT, "norm"), Measure(OTHER, "nan", of_difference=True))
    assert window.form.titles == ("norm of features.0 output", "NaN of the change of features.3 output")
    window.form.measured.setCurrentRow(0)
    window.form.remove_button.click()
    assert window.form.measures == (Measure(OTHER, "nan", of_difference=True),)


def test_that_values_that_are_missing_leave_gaps_and_unused_plots_are_hidden(qapp: QApplication) -> None:
    plots = SweepPlots()
    plots.resize(300, 400)
    plots.show()
    x = np.array([0.1, 1.0, 10.0])
    some, none = np.array([1.0, np.nan, 3.0]), np.full(3, np.nan)
    plots.show_series("Limit", (0.1, 10.0), x, (Series("loss", some), Series("norm", none)), log=True)
    assert plots.summaries == ("loss: 1 at 0.1 … 3 at 10", "norm")
    assert not plots.grab().isNull()
    apply_theme(qapp, LIGHT)
    plots.show_series("Limit", (0.0, 1.0), x[:0], (Series("loss", some[:0]),), log=False)
    assert plots.summaries == ("loss",)
    assert not plots.grab().isNull()
    plots.close()
    plots.deleteLater()
