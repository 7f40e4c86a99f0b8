"""The strips above the pages: what is on, what it does to the loss, and whether the model is back."""

from collections.abc import Iterator

import pytest
import torch
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QVBoxLayout, QWidget

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.handlers.trials import TrialHandlers
from hookscope.gui.interventions.book import InterventionBook
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT
from hookscope.gui.trials.comparison import CompareMode
from hookscope.gui.trials.proof_strip import ProofStrip
from hookscope.gui.trials.ribbon import TrialRibbon
from hookscope.protocol.events import UnchangedProved
from hookscope.protocol.interventions import Idle, InterventionStatus
from tests.gui.fakes import small_tree
from tests.gui.panel_fakes import OUTPUT, colors_of, pump
from tests.gui.shell import Shell
from tests.gui.trial_fakes import TrialBridge, intervention

ONES = {OUTPUT: torch.ones(2, 3)}


class RibbonWindow(QMainWindow):
    def __init__(self) -> None:
        super().__init__()
        self.bridge = TrialBridge()
        self.session = self.bridge.session
        self.session.interventions = ()
        self.current = Current(self.bridge, self)  # type: ignore[arg-type]
        self.book = InterventionBook(self.bridge, self)  # type: ignore[arg-type]
        self.handlers = TrialHandlers(self.bridge, self.current, self.book, self)  # type: ignore[arg-type]
        self.ribbon = TrialRibbon(self.bridge, self.current)  # type: ignore[arg-type]
        self.proof = ProofStrip(self.bridge)  # type: ignore[arg-type]
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.addWidget(self.proof)
        layout.addWidget(self.ribbon)
        layout.addStretch(1)
        self.setCentralWidget(content)
        self.book.changed.connect(self.ribbon.follow_list)
        self.book.changed.connect(self.proof.refresh)
        self.ribbon.try_requested.connect(self.handlers.try_now)
        self.ribbon.off_requested.connect(self.handlers.turn_all_off)
        self.ribbon.removal_requested.connect(self.handlers.remove_and_prove)
        self.resize(1200, 200)
        self.show()

    def add(self, count: int = 1) -> None:
        for id_ in range(1, count + 1):
            self.book.put(intervention(id_))

    def prove(self, *differing: str, since_set: bool = True) -> None:
        self.session.proof = UnchangedProved(212, differing, since_set)
        self.bridge.unchanged_proved.emit(self.session.proof)


@pytest.fixture
def window(qapp: QApplication) -> Iterator[RibbonWindow]:
    qapp.setStyle("Fusion")
    apply_theme(qapp, DARK)
    window = RibbonWindow()
    yield window
    window.close()
    window.deleteLater()


def test_that_it_is_there_while_something_is_on(window: RibbonWindow) -> None:
    assert not window.ribbon.isVisible()
    window.add(2)
    assert window.ribbon.isVisible()
    assert window.ribbon.text == "2 changes are on"
    window.book.enable([1], enabled=False)
    assert window.ribbon.text == "1 change is on"
    window.book.enable([2], enabled=False)
    assert not window.ribbon.isVisible()


def test_that_it_says_what_is_refused_and_what_did_not_act(window: RibbonWindow) -> None:
    window.add(3)
    window.session.intervention_errors[1] = "expected (3,), given (4,)"
    window.session.intervention_statuses[2] = InterventionStatus(2, 0, idle=Idle.NEVER_CALLED)
    window.session.intervention_statuses[3] = InterventionStatus(3, 1, 6)
    window.bridge.interventions_changed.emit()
    assert window.ribbon.text == "3 changes are on, 1 refused, 1 did not act"


@pytest.mark.parametrize(
    ("losses", "text"),
    [
        ((2.0, 2.5), "2 → 2.5 +0.5"),
        ((2.5, 2.0), "2.5 → 2 -0.5"),
        ((2.0, 2.0), "2 → 2 unchanged"),
        ((2.0, None), "2 → not finite"),
    ],
)
def test_that_it_says_what_the_changes_do_to_the_loss(
    window: RibbonWindow, losses: tuple[float, float | None], text: str
) -> None:
    window.add()
    assert window.ribbon.loss_text == ""
    window.bridge.run_trial(ONES, ONES, losses)
    assert window.ribbon.loss_text == text


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_that_a_larger_loss_is_red_and_an_old_one_is_not(qapp: QApplication, window: RibbonWindow, theme) -> None:
    apply_theme(qapp, theme)
    window.add()
    window.bridge.run_trial(ONES, ONES)
    (moved,) = (label for label in window.ribbon.findChildren(QLabel) if label.text() == "+0.5")
    assert theme.trouble in moved.styleSheet()
    window.add(2)
    assert theme.quiet in moved.styleSheet()


def test_that_it_switches_between_before_after_and_difference(window: RibbonWindow) -> None:
    window.add()
    assert not window.ribbon.before_button.isEnabled()
    window.bridge.run_trial(ONES, ONES)
    QTest.mouseClick(window.ribbon.before_button, Qt.MouseButton.LeftButton)
    assert window.current.comparison.mode is CompareMode.BEFORE
    assert window.ribbon.before_button.isChecked()
    QTest.mouseClick(window.ribbon.difference_button, Qt.MouseButton.LeftButton)
    assert window.current.comparison.mode is CompareMode.DIFFERENCE
    assert not window.ribbon.before_button.isChecked()
    window.handlers.toggle_difference()
    assert window.current.comparison.mode is CompareMode.AFTER
    assert not window.ribbon.difference_button.isChecked()


def test_that_nothing_is_left_to_be_compared_when_nothing_is_on(window: RibbonWindow) -> None:
    window.add()
    window.bridge.run_trial(ONES, ONES)
    window.current.compare(CompareMode.BEFORE)
    QTest.mouseClick(window.ribbon.off_button, Qt.MouseButton.LeftButton)
    assert window.current.comparison.mode is CompareMode.AFTER
    window.book.undo()
    assert window.ribbon.isVisible()


def test_that_a_comparison_without_a_trial_says_why_not(window: RibbonWindow) -> None:
    told: list[str] = []
    window.handlers.told.connect(told.append)
    window.handlers.toggle_before()
    assert told == ["There is no trial to compare: turn a change on and press “Try now”."]


def test_that_trials_are_run_when_one_can_be(window: RibbonWindow) -> None:
    window.add()
    QTest.mouseClick(window.ribbon.try_button, Qt.MouseButton.LeftButton)
    assert window.session.wishes[-1] == ("try_interventions",)
    window.bridge.enter(SessionState.RUNNING)
    assert not window.ribbon.try_button.isEnabled()


def test_that_removing_all_proves_that_the_model_is_back(window: RibbonWindow) -> None:
    window.add(2)
    QTest.mouseClick(window.ribbon.remove_button, Qt.MouseButton.LeftButton)
    assert window.session.wishes[-2:] == [("set_interventions", ()), ("prove_unchanged",)]
    assert not window.ribbon.isVisible()
    window.prove()
    assert window.proof.isVisible()
    assert window.proof.text == "The model is back: 212 tensors are the same in every bit"
    assert DARK.good in colors_of(window.proof)
    QTest.mouseClick(window.proof.close_button, Qt.MouseButton.LeftButton)
    assert not window.proof.isVisible()


def test_that_a_proof_waits_for_the_trial_that_runs(window: RibbonWindow) -> None:
    window.add()
    window.session.is_trying = True
    window.bridge.enter(SessionState.RUNNING)
    QTest.mouseClick(window.ribbon.remove_button, Qt.MouseButton.LeftButton)
    assert ("prove_unchanged",) not in window.session.wishes
    window.session.is_trying = False
    window.bridge.enter(SessionState.IDLE)
    assert window.session.wishes[-1] == ("prove_unchanged",)


def test_that_a_proof_says_what_is_not_the_same(window: RibbonWindow) -> None:
    window.prove("a.weight", "b.weight", "c.weight", "d.weight")
    assert window.proof.text == ("Not the same: 4 of 212 tensors differ: a.weight, b.weight, c.weight and 1 more")
    assert DARK.trouble in colors_of(window.proof)
    window.prove(since_set=False)
    assert window.proof.text.endswith("It was trained meanwhile")


def test_that_a_change_by_hand_is_told_until_the_step_ends(window: RibbonWindow) -> None:
    window.session.edited = (OUTPUT,)
    window.bridge.enter(SessionState.STOPPED)
    assert window.ribbon.text == "Edited by hand: 1 tensor, until this step ends"
    assert not window.ribbon.try_button.isVisible()
    window.session.edited = ()
    window.bridge.enter(SessionState.IDLE)
    assert not window.ribbon.isVisible()


@pytest.mark.parametrize("width", [400, 700, 1200])
def test_that_nothing_is_cut_off(window: RibbonWindow, width: int) -> None:
    window.add(2)
    window.bridge.run_trial(ONES, ONES, (2.302, 14.25))
    window.resize(width, 200)
    pump()
    inside = window.ribbon.rect()
    children = [child for child in window.ribbon.findChildren(QWidget) if child.isVisible()]
    for child in children:
        assert inside.contains(QRect(child.mapTo(window.ribbon, QPoint()), child.size()))
        assert child.width() >= child.minimumSizeHint().width()
    assert {window.ribbon.before_button, window.ribbon.remove_button} <= set(children)
    assert "+11.95" in [label.text() for label in children if isinstance(label, QLabel)]


def test_that_it_stands_above_every_page(qapp: QApplication) -> None:
    shell = Shell(qapp)
    shell.window.show()
    ribbon = shell.window.interventions.trials.ribbon
    assert not ribbon.isVisible()
    shell.window.interventions.book.put(intervention())
    assert ribbon.isVisible()
    shell.load(small_tree())
    shell.window.interventions.book.put(intervention())
    assert ribbon.isVisible()
    shell.close()
