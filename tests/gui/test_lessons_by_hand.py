"""Two lessons on hooks whose numbers are known exactly, by clicking in a real window around a real debuggee."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.failure_text import Remedy
from hookscope.gui.interventions.fields import NumberField
from hookscope.gui.main_window import MainWindow
from hookscope.gui.panels.slot_card import SlotCard
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.events import ViewReady
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensor_changes import ClipNorm, Scale
from hookscope.protocol.views import Table, TableRequest
from hookscope.protocol.workload import parse_source
from tests.gui.tree_driving import click_row, open_menu

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 60_000
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def window(qapp: QApplication) -> Iterator[MainWindow]:
    bridge = SessionBridge()
    settings = Settings(MemoryStore())
    theme = ThemeSwitch(qapp, settings)
    window = MainWindow(bridge, settings, theme)
    window.show()
    yield window
    window.close()
    bridge.close()
    window.deleteLater()
    theme.deleteLater()


def session_of(window: MainWindow) -> SessionBridge:
    return window._bridge


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until no step runs, and none is still to follow."""
    session = session_of(window).session
    qtbot.waitUntil(lambda: session.state is SessionState.IDLE and not session.is_trying, timeout=PATIENCE_MS)


def open_example(window: MainWindow, name: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session_of(window).model_loaded, timeout=PATIENCE_MS):
        session_of(window).session.open(parse_source(f"example:{name}"))
    settle(window, qtbot)


def step(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session_of(window).step_finished, timeout=PATIENCE_MS):
        window.action_set["step"].trigger()
    settle(window, qtbot)


def values(window: MainWindow, ref: TensorRef, qtbot: QtBot, step: int | None = None) -> list[float]:
    """Return the exact values of a small tensor, as a panel with a table would show them."""
    bridge, answers = session_of(window), []
    bridge.view_arrived.connect(answers.append)
    bridge.session.request_view("test", len(answers), ref, TableRequest(), step)

    def answered() -> bool:
        return any(isinstance(answer, ViewReady) and answer.panel == "test" for answer in answers)

    qtbot.waitUntil(answered, timeout=PATIENCE_MS)
    bridge.view_arrived.disconnect(answers.append)
    (result,) = (answer.result for answer in answers if answer.panel == "test")
    assert isinstance(result, Table), result
    return [float(cell) for row in result.cells for cell in row]


def click_card(window: MainWindow, text: str, qtbot: QtBot) -> None:
    """Go to a tensor of the current module by its card."""
    (card,) = (card for card in window.findChildren(SlotCard) if card.text() == text and card.isVisibleTo(window))
    qtbot.mouseClick(card, LEFT)


def check_operation(window: MainWindow, row: int, qtbot: QtBot) -> None:
    """List the operations of the current module, and check one of them."""
    with qtbot.waitSignal(session_of(window).operations_traced, timeout=PATIENCE_MS):
        window.action_set["show_operations"].trigger()
    settle(window, qtbot)
    view = window.operations.view
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 0)).center())
    qtbot.keyClick(view, Qt.Key.Key_Space)


def type_factor(window: MainWindow, factor: float, qtbot: QtBot) -> None:
    """Type a factor into the form, and wait for the trial with it."""
    field = window.interventions.dock.page.form.change.fields_of(Scale)["factor"]
    assert isinstance(field, NumberField)
    field.select()
    with qtbot.waitSignal(session_of(window).trial_finished, timeout=PATIENCE_MS):
        qtbot.keyClicks(field.line, f"{factor:g}")
        qtbot.keyClick(field.line, Qt.Key.Key_Return)
    settle(window, qtbot)


def change(window: MainWindow, path: str, text: str, qtbot: QtBot) -> None:
    """Choose a change in the menu of a module."""
    menu = open_menu(window.modules, path)
    (action,) = (action for action in menu.changes.actions() if action.text() == text)
    with qtbot.waitSignal(session_of(window).trial_finished, timeout=PATIENCE_MS):
        action.trigger()
        menu.hide()
    settle(window, qtbot)


def test_that_the_gradient_of_a_leaf_is_scaled_by_three(window: MainWindow, qtbot: QtBot) -> None:
    open_example(window, "leaf_gradient", qtbot)
    root = ""
    w, x = (TensorRef(root, Slot.PARAMETER_GRAD, name) for name in ("w", "x"))
    click_row(window.modules, root, qtbot)
    qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    step(window, qtbot)
    assert values(window, w, qtbot) == [5.0]
    assert values(window, x, qtbot) == [2.0]
    click_card(window, "w grad", qtbot)
    change(window, root, "Scale…", qtbot)
    type_factor(window, 3, qtbot)
    (intervention,) = session_of(window).session.interventions
    assert (intervention.slot, intervention.leaf, intervention.change) == (Slot.PARAMETER_GRAD, "w", Scale(3.0))
    assert values(window, w, qtbot) == [15.0]
    assert values(window, x, qtbot) == [2.0]
    trial = session_of(window).session.trial
    assert trial is not None
    assert values(window, w, qtbot, trial.before) == [5.0], "before and after stand side by side"
    assert values(window, w, qtbot, trial.after) == [15.0]
    step(window, qtbot)
    assert values(window, w, qtbot) == [15.0], "an ordinary step has it, too"


def test_that_the_gradient_of_a_tensor_in_between_is_scaled_by_two(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_example(window, "non_leaf", qtbot)
    session, root = session_of(window).session, ""
    leaves = {name: TensorRef(root, Slot.PARAMETER_GRAD, name) for name in ("a", "b", "d")}
    c = TensorRef(root, Slot.GRAD_OUTPUT, "out", operation="add:0")
    click_row(window.modules, root, qtbot)
    qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    check_operation(window, 0, qtbot)
    step(window, qtbot)
    assert values(window, c, qtbot) == [2.0, 2.0]
    assert {name: values(window, ref, qtbot) for name, ref in leaves.items()} == {
        "a": [2.0, 2.0],
        "b": [2.0, 2.0],
        "d": [10.0],
    }
    click_card(window, "add:0 grad_output", qtbot)
    with qtbot.waitSignal(session_of(window).trial_finished, timeout=PATIENCE_MS):
        window.action_set["add_intervention"].trigger()
    settle(window, qtbot)
    type_factor(window, 2, qtbot)
    assert values(window, c, qtbot) == [4.0, 4.0]
    assert {name: values(window, ref, qtbot) for name, ref in leaves.items()} == {
        "a": [4.0, 4.0],
        "b": [4.0, 4.0],
        "d": [10.0],
    }
    assert window.interventions.dock.page.model.index(0, 2).data() == "acted 1×, 2 elements"
    script = tmp_path / "script.py"
    window.interventions.files.export_to(str(script))
    compile(script.read_text(), script.name, "exec")
    assert "import hookscope" not in script.read_text()
    with qtbot.waitSignal(session_of(window).unchanged_proved, timeout=PATIENCE_MS):
        window.interventions.dock.page.prove_button.click()
    settle(window, qtbot)
    assert session.interventions == ()
    assert session.proof is not None
    assert session.proof.differing == ()


def test_that_backward_starts_from_a_gradient_where_the_output_is_no_scalar(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    open_example(window, "not_scalar", qtbot)
    card, x = window.central.failure_card, TensorRef("", Slot.PARAMETER_GRAD, "x")
    click_row(window.modules, "", qtbot)
    qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    with qtbot.waitSignal(session_of(window).failure_raised, timeout=PATIENCE_MS):
        window.action_set["step"].trigger()
    settle(window, qtbot)
    assert card.failure is not None
    assert (card.failure.kind, card.failure.values) == (FailureKind.LOSS_NOT_SCALAR, {"shape": "(2, 1)"})
    with qtbot.waitSignal(session_of(window).step_finished, timeout=PATIENCE_MS):
        card.remedy_button(Remedy.GRADIENT_ONES).click()
    settle(window, qtbot)
    assert values(window, x, qtbot) == [1.0, 1.0]
    np.save(tmp_path / "g.npy", np.array([[0.5], [-2.0]]))
    loss = window.workload.loss
    loss.combo.setFocus()
    for _ in range(2):
        qtbot.keyClick(loss.combo, Qt.Key.Key_Down)
        settle(window, qtbot)
    qtbot.keyClicks(loss.file.line, str(tmp_path / "g.npy"))
    qtbot.keyClick(loss.file.line, Qt.Key.Key_Return)
    step(window, qtbot)
    assert values(window, x, qtbot) == [0.5, -2.0]


def test_that_one_channel_is_zeroed_and_the_class_scores_move(window: MainWindow, qtbot: QtBot) -> None:
    open_example(window, "digits", qtbot)
    scores = TensorRef("classifier.3", Slot.OUTPUT, "out")
    for path in ("features.3", "classifier.3"):
        click_row(window.modules, path, qtbot)
        qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    step(window, qtbot)
    with qtbot.waitSignal(session_of(window).trial_finished, timeout=PATIENCE_MS):
        window.interventions.change_channel(TensorRef("features.3", Slot.OUTPUT, "out"), 1, 5)
    settle(window, qtbot)
    trial = session_of(window).session.trial
    assert trial is not None
    before, after = (values(window, scores, qtbot, number) for number in (trial.before, trial.after))
    assert len(before) == len(after)
    assert before != after
    status = window.interventions.dock.page.model.index(0, 2).data()
    assert status == "acted 1×, 4,096 elements"


def run(window: MainWindow, count: int, qtbot: QtBot) -> list[float]:
    """Run steps, and return their losses; one that is no number is infinite."""
    session = session_of(window).session
    before = len(session.history)
    session.run(count)
    qtbot.waitUntil(lambda: session.state is SessionState.IDLE, timeout=PATIENCE_MS)
    losses = [finished.loss for finished in list(session.history)[before:]]
    return [float("inf") if loss is None else loss for loss in losses]


def test_that_an_exploding_training_recovers_when_one_gradient_is_clipped(window: MainWindow, qtbot: QtBot) -> None:
    open_example(window, "broken_exploding", qtbot)
    click_row(window.modules, "stem", qtbot)
    qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    exploding = run(window, 10, qtbot)
    assert exploding[-1] > 1000 * exploding[0]
    with qtbot.waitSignal(session_of(window).model_loaded, timeout=PATIENCE_MS):
        window.action_set["reload"].trigger()
    settle(window, qtbot)
    change(window, "stem", "Clip gradient norm…", qtbot)
    (intervention,) = session_of(window).session.interventions
    assert (intervention.slot, intervention.change) == (Slot.GRAD_OUTPUT, ClipNorm(1.0))
    clipped = run(window, 60, qtbot)
    assert max(clipped) < 10 * exploding[0]
    assert min(clipped[-10:]) < exploding[0] / 2


def test_that_a_gradient_is_reversed_from_the_menu(window: MainWindow, qtbot: QtBot) -> None:
    open_example(window, "one_layer", qtbot)
    root = ""
    click_row(window.modules, root, qtbot)
    qtbot.keyClick(window.modules.view, Qt.Key.Key_Space)
    step(window, qtbot)
    gradient = TensorRef(root, Slot.GRAD_OUTPUT, "out")
    weight = TensorRef(root, Slot.PARAMETER_GRAD, "weight")
    assert values(window, weight, qtbot) == [1.0] * 5
    change(window, root, "Reverse gradient", qtbot)
    assert values(window, gradient, qtbot) == [-1.0]
    assert values(window, weight, qtbot) == [-1.0] * 5
