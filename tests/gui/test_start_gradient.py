"""Backward from a gradient of the output: chosen on the failure card and in the Workload dock, typed or picked."""

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from hookscope.gui.failure_text import Remedy
from hookscope.gui.status_bar import StatusBar
from hookscope.gui.workload_dock import WorkloadDock
from hookscope.protocol.events import StepFinished
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.workload import LossChoice, RunSettings, WorkloadInfo
from tests.gui.fakes import FakeBridge, FakeSession, small_tree
from tests.gui.shell import Shell

NOT_SCALAR = Failure(FailureKind.LOSS_NOT_SCALAR, {"shape": "(2, 1)"})
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def dock(qapp: object, qtbot: QtBot) -> Iterator[WorkloadDock]:
    dock = WorkloadDock(FakeBridge(FakeSession(small_tree(), WorkloadInfo("A model"))))
    qtbot.addWidget(dock)
    dock.resize(320, 500)
    dock.show()
    yield dock
    dock.close()


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    yield shell
    shell.close()


def settings_of(dock: WorkloadDock) -> RunSettings:
    return dock._session.settings


def choose(dock: WorkloadDock, choice: LossChoice, qtbot: QtBot) -> None:
    combo = dock.loss.combo
    combo.setFocus()
    while combo.currentData() != choice:
        row = combo.currentIndex()
        qtbot.keyClick(combo, Qt.Key.Key_Down)
        assert combo.currentIndex() == row + 1
        dock._update()


@pytest.mark.parametrize("choice", LossChoice)
def test_that_each_way_to_start_backward_can_be_chosen(choice: LossChoice, dock: WorkloadDock, qtbot: QtBot) -> None:
    choose(dock, choice, qtbot)
    assert settings_of(dock).loss is choice
    assert dock.loss.file.isVisible() == (choice is LossChoice.GRADIENT_FILE)
    assert dock.loss.note.isVisible() == choice.is_gradient
    assert ("sum of output × gradient" in dock.loss.note.text()) or not choice.is_gradient


def test_that_the_file_of_a_gradient_is_typed_or_picked(dock: WorkloadDock, qtbot: QtBot) -> None:
    choose(dock, LossChoice.GRADIENT_FILE, qtbot)
    qtbot.keyClicks(dock.loss.file.line, "/data/g.npy")
    qtbot.keyClick(dock.loss.file.line, Qt.Key.Key_Return)
    assert settings_of(dock).gradient_file == "/data/g.npy"
    assert dock.loss.file.line.text() == "/data/g.npy"
    qtbot.mouseClick(dock.loss.file.button, Qt.MouseButton.LeftButton)
    (picker,) = dock.findChildren(QFileDialog)
    picker.fileSelected.emit("/data/other.pt")
    picker.reject()
    assert settings_of(dock).gradient_file == "/data/other.pt"
    assert dock.loss.file.line.text() == "/data/other.pt"


def test_that_what_is_wrong_with_the_file_stands_below_it_until_it_is_another(dock: WorkloadDock, qtbot: QtBot) -> None:
    choose(dock, LossChoice.GRADIENT_FILE, qtbot)
    dock._tell_failure(Failure(FailureKind.GRADIENT_UNUSABLE, {"reason": "expected a file that exists"}))
    assert dock.loss.file.error == "expected a file that exists"
    qtbot.keyClicks(dock.loss.file.line, "g.npy")
    qtbot.keyClick(dock.loss.file.line, Qt.Key.Key_Return)
    assert dock.loss.file.error == ""


@pytest.mark.parametrize(
    ("remedy", "choice"),
    [(Remedy.GRADIENT_ONES, LossChoice.GRADIENT_ONES), (Remedy.GRADIENT_RANDOM, LossChoice.GRADIENT_RANDOM)],
)
def test_that_a_gradient_chosen_on_the_card_is_taken_and_the_step_done(
    remedy: Remedy, choice: LossChoice, shell: Shell
) -> None:
    shell.load(small_tree())
    shell.fail(NOT_SCALAR)
    shell.window.central.failure_card.remedy_button(remedy).click()
    assert shell.session.settings.loss is choice
    assert shell.session.asked == ["change_settings", "step"]


def test_that_the_card_asks_for_the_file_of_a_gradient(shell: Shell) -> None:
    shell.load(small_tree())
    shell.fail(NOT_SCALAR)
    shell.window.central.failure_card.remedy_button(Remedy.GRADIENT_FILE).click()
    assert shell.session.settings.loss is LossChoice.GRADIENT_FILE
    (picker,) = shell.window.workload.findChildren(QFileDialog)
    assert picker.nameFilters() == ["Tensors (*.npy *.pt *.pth)"]
    picker.reject()


def test_that_the_status_bar_does_not_call_a_product_a_loss(shell: Shell) -> None:
    shell.load(small_tree())
    finished = StepFinished(1, 6.0, 0.1, 0.1, 0.1, 1000, 1000, False)
    for choice, text in ((LossChoice.SUM, "loss 6"), (LossChoice.GRADIENT_ONES, "output × gradient 6")):
        shell.session.history = [msgspec.structs.replace(finished, loss_choice=choice)]
        bar = shell.window.statusBar()
        assert isinstance(bar, StatusBar)
        bar.refresh()
        assert bar._figures.text().endswith(f"   {text}")
