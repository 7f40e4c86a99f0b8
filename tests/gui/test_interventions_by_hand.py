from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.gui.interventions.fields import LineField
from hookscope.gui.interventions.hand_model import HandColumn
from hookscope.gui.interventions.hand_page import HandPage
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange, Index, Intervention
from hookscope.protocol.stops import EventKind
from hookscope.protocol.tensor_changes import Constant, Expression, Scale
from tests.gui.fakes import event, record, small_tree, spec
from tests.gui.shell import Shell
from tests.gui.test_interventions_form import type_into

INPUT = TensorRef("features.3", Slot.INPUT, "args.0")
MASK = TensorRef("features.3", Slot.INPUT, "kwargs.mask")
ENTER = event(5, EventKind.FORWARD_ENTER, "features.3", leaf="args.0")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


@pytest.fixture
def page(shell: Shell) -> HandPage:
    """The page with the changes by hand, at the entry of a module with two inputs."""
    shell.bridge.record(
        record("features.3", Slot.INPUT, "args.0", spec(16, 8)),
        record("features.3", Slot.INPUT, "kwargs.mask", spec(8)),
    )
    shell.bridge.stop_at(ENTER, ref=INPUT)
    shell.window.action_set["change_at_hand"].trigger()
    assert shell.window.interventions.dock.is_at_hand
    return shell.window.interventions.dock.hand_page


def texts(page: HandPage) -> list[list[str]]:
    model = page.model
    return [[model.index(row, column).data() for column in HandColumn] for row in range(model.rowCount())]


def asked(shell: Shell) -> int:
    return sum(wish[0] == "change_at_hand" for wish in shell.session.wishes)


def test_that_the_button_is_there_only_while_a_tensor_is_at_hand(shell: Shell) -> None:
    dock, action = shell.window.interventions.dock, shell.window.action_set["change_at_hand"]
    assert dock.page.at_hand_button.isHidden()
    assert not action.isEnabled()
    shell.bridge.stop_at(ENTER, ref=INPUT)
    assert not dock.page.at_hand_button.isHidden()
    assert action.isEnabled()
    dock.page.at_hand_button.click()
    assert dock.is_at_hand
    dock.hand_page.back_button.click()
    assert not dock.is_at_hand
    dock.page.at_hand_button.click()
    shell.bridge.go_on()
    assert not dock.is_at_hand
    assert dock.page.at_hand_button.isHidden()
    shell.bridge.stop_at(event(9, EventKind.LOSS))
    assert dock.page.at_hand_button.isHidden(), "there is no tensor at hand"


def test_that_one_element_is_set(shell: Shell, page: HandPage, qtbot: QtBot) -> None:
    page.index.line.setText("0, 3")
    page.value.line.setText("1.5")
    page.set_button.click()
    assert shell.session.hand_changes == (HandChange(INPUT, Constant(1.5), Index((0, 3))),)
    assert texts(page) == [["set to 1.5", "input 0 [0, 3]", "edited"]]
    page.index.line.setText(":, 3")
    page.set_button.click()
    assert "numbers alone" in page.index.error
    page.index.line.setText("0")
    page.value.line.setText("one")
    page.set_button.click()
    assert "“one”" in page.value.error
    assert page.index.error == ""
    assert asked(shell) == 1


def test_that_the_whole_tensor_is_changed_in_the_form(shell: Shell, page: HandPage, qtbot: QtBot) -> None:
    page.add_button.click()
    assert shell.session.hand_changes == (HandChange(INPUT, Scale(1.0)),)
    type_into(page.form.change.fields_of(Scale)["factor"], "3", qtbot)
    assert shell.session.hand_changes == (HandChange(INPUT, Scale(3.0)),)
    assert [page.form.ref.itemData(row) for row in range(page.form.ref.count())] == [INPUT, MASK]
    page.form.ref.setCurrentIndex(1)
    page.form.ref.activated.emit(1)
    assert shell.session.hand_changes == (HandChange(MASK, Scale(3.0)),)


def test_that_changes_by_hand_are_undone_until_the_step_goes_on(shell: Shell, page: HandPage) -> None:
    page.add_button.click()
    page.index.line.setText("0, 3")
    page.value.line.setText("1.5")
    page.set_button.click()
    assert len(shell.session.hand_changes) == 2
    page.undo_button.click()
    assert shell.session.hand_changes == (HandChange(INPUT, Scale(1.0)),)
    page.redo_button.click()
    assert len(shell.session.hand_changes) == 2
    page.remove_button.click()
    assert shell.session.hand_changes == (HandChange(INPUT, Scale(1.0)),)
    page.undo_button.click()
    assert len(shell.session.hand_changes) == 2
    shell.bridge.go_on()
    shell.bridge.stop_at(event(6, EventKind.FORWARD_LEAVE, "features.3", leaf="out"), ref=INPUT)
    assert not page.undo_button.isEnabled()
    assert texts(page) == []


def test_that_a_refused_change_is_told_and_the_former_one_is_made_again(
    shell: Shell, page: HandPage, qtbot: QtBot
) -> None:
    shell.window.interventions.hand.add(HandChange(INPUT, Expression("x * 2")))
    shell.bridge.change_at_hand((INPUT,), ("",))
    field = page.form.change.fields_of(Expression)["text"]
    assert isinstance(field, LineField)
    type_into(field, "x[0]", qtbot)
    assert shell.session.hand_changes[0].change == Expression("x[0]")
    shell.bridge.change_at_hand((), ("expected shape (16, 8), given (8,)",))
    assert page.form.change.error == "expected shape (16, 8), given (8,)"
    assert shell.session.hand_changes[0].change == Expression("x * 2")
    assert field.line.text() == "x[0]", "what was typed can be mended"


def test_that_a_refused_new_change_says_so_in_the_list(shell: Shell, page: HandPage) -> None:
    shell.window.interventions.hand.add(HandChange(INPUT, Expression("y")))
    shell.bridge.change_at_hand((), ("unknown name `y`",))
    assert texts(page)[0][HandColumn.STATUS] == "refused: unknown name `y`"
    assert page.form.change.error == "unknown name `y`"


def test_that_a_change_by_hand_becomes_an_intervention(shell: Shell, page: HandPage) -> None:
    page.index.line.setText("0, 3")
    page.value.line.setText("1.5")
    page.set_button.click()
    page.keep_button.click()
    assert shell.session.interventions == (
        Intervention(1, "features.3", Slot.INPUT, Constant(1.5), "args.0", where=Index((0, 3))),
    )
    dock = shell.window.interventions.dock
    assert not dock.is_at_hand
    assert dock.page.form.shown == 1


def test_that_delete_takes_the_selected_change_away(shell: Shell, page: HandPage, qtbot: QtBot) -> None:
    page.add_button.click()
    qtbot.keyClick(page.view, Qt.Key.Key_Delete)
    assert shell.session.hand_changes == ()
    for width, height in ((1000, 240), (360, 600)):
        page.resize(width, height)
        assert not page.grab().isNull()
