from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.interventions.model import Column
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Channels, Intervention
from hookscope.protocol.tensor_changes import Expression, FromFile, Noise, Scale
from tests.gui.fakes import record, small_tree, spec
from tests.gui.intervention_driving import page_of, put, shown_form, texts, tries
from tests.gui.shell import Shell
from tests.gui.test_interventions_form import choose_kind, type_into


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


def test_that_a_field_changes_the_intervention_and_tries_it(shell: Shell, qtbot: QtBot) -> None:
    page = shown_form(shell)
    before = tries(shell)
    type_into(page.form.change.fields_of(Scale)["factor"], "0.5", qtbot)
    assert shell.session.interventions[0].change == Scale(0.5)
    assert tries(shell) == before + 1
    page.live_box.click()
    type_into(page.form.change.fields_of(Scale)["factor"], "0.25", qtbot)
    assert shell.session.interventions[0].change == Scale(0.25)
    assert tries(shell) == before + 1
    page.live_box.click()
    assert tries(shell) == before + 2, "what was changed meanwhile"


def test_that_one_drag_of_a_slider_is_one_step_of_undo(shell: Shell, qtbot: QtBot) -> None:
    page = shown_form(shell)
    slider = page.form.change.fields_of(Scale)["factor"].slider  # type: ignore[attr-defined]
    for places in ((400, 300, 200), (100,)):
        slider.setSliderDown(True)
        for place in places:
            slider.setValue(place)
        slider.setSliderDown(False)
    assert shell.session.interventions[0].change == Scale(-2.0)
    page.undo_button.click()
    assert shell.session.interventions[0].change == Scale(-1.0)
    assert page.form.change.change() == Scale(-1.0)
    page.undo_button.click()
    assert shell.session.interventions[0].change == Scale(2.0)


def test_that_trials_follow_each_other_as_fast_as_answers_come(shell: Shell, qtbot: QtBot) -> None:
    page = shown_form(shell)
    before = tries(shell)
    shell.session.is_trying = True
    shell.bridge.enter(SessionState.RUNNING)
    slider = page.form.change.fields_of(Scale)["factor"].slider  # type: ignore[attr-defined]
    slider.setValue(100)
    assert tries(shell) == before + 1, "the session lets the newest one follow"
    shell.session.is_trying = False
    slider.setValue(200)
    assert tries(shell) == before + 1, "a run that is no trial has them anyway"


def test_that_an_invalid_value_is_told_and_the_former_one_stays(shell: Shell, qtbot: QtBot) -> None:
    page = shown_form(shell)
    field = page.form.change.fields_of(Scale)["factor"]
    type_into(field, "much", qtbot)
    assert "“much”" in field.error
    assert shell.session.interventions[0].change == Scale(2.0)
    type_into(field, "3", qtbot)
    assert field.error == ""
    assert shell.session.interventions[0].change == Scale(3.0)


def test_that_what_the_debuggee_refuses_is_told_at_the_field_and_the_former_value_stays(
    shell: Shell, qtbot: QtBot
) -> None:
    page = shown_form(shell, Expression("x * 2"))
    field = page.form.change.fields_of(Expression)["text"]
    type_into(field, "y * 2", qtbot)
    assert shell.session.interventions[0].change == Expression("y * 2"), "the debuggee is asked"
    shell.bridge.set_interventions({1: "unknown name `y`"})
    assert page.form.change.error == "unknown name `y`"
    assert shell.session.interventions[0].change == Expression("x * 2")
    shell.bridge.set_interventions()
    assert page.form.change.error == "unknown name `y`", "it stays as long as what was typed does"
    assert field.line.text() == "y * 2"  # type: ignore[attr-defined]
    type_into(field, "x * 4", qtbot)
    assert page.form.change.error == ""
    assert shell.session.interventions[0].change == Expression("x * 4")


def test_that_what_fails_in_a_hook_is_told_at_the_field_and_the_former_value_stays(shell: Shell, qtbot: QtBot) -> None:
    page = shown_form(shell, Expression("x"))
    type_into(page.form.change.fields_of(Expression)["text"], "x[0]", qtbot)
    reason = "expected shape (16, 32), given (32,)"
    shell.fail(Failure(FailureKind.INTERVENTION_FAILED, {"id": "1", "slot": "output", "reason": reason}))
    assert page.form.change.error == reason
    assert shell.session.interventions[0].change == Expression("x")


def test_that_a_new_one_that_is_refused_stays_with_its_reason(shell: Shell) -> None:
    page = shown_form(shell, FromFile("none.npy"))
    shell.bridge.set_interventions({1: "there is no file none.npy"})
    assert page.form.change.error == "there is no file none.npy"
    assert shell.session.interventions[0].change == FromFile("none.npy")


def test_that_place_call_and_elements_are_chosen(shell: Shell, qtbot: QtBot) -> None:
    shell.bridge.record(
        record("features.3", Slot.INPUT, "args.0", spec(4, 3)),
        record("features.3", of=spec(4, 3)),
        record("features.3", Slot.GRAD_OUTPUT, of=spec(4, 3)),
    )
    page = shown_form(shell)
    place = page.form.place
    assert [place.slot.itemText(row) for row in range(place.slot.count())] == ["input", "output", "grad_output"]
    place.slot.setCurrentText("input")
    place.slot.activated.emit(0)
    assert shell.session.interventions[0].slot is Slot.INPUT
    assert shell.session.interventions[0].leaf == "args.0"
    place.call.setCurrentIndex(1)
    place.call.activated.emit(1)
    assert shell.session.interventions[0].call == 0
    choose_kind(page.form.where, "Channels")
    assert shell.session.interventions[0].where is None, "it has no numbers yet"
    type_into(page.form.where.fields_of(Channels)["numbers"], "0, 2", qtbot)
    assert shell.session.interventions[0].where == Channels((0, 2))
    assert texts(shell)[0][Column.WHERE] == "features.3 input 0 channels 0, 2 · call 0"


def test_that_an_operation_has_an_output_and_its_gradient(shell: Shell) -> None:
    put(shell, Intervention(1, "", Slot.OUTPUT, Scale(2.0), "out", operation="add:0"))
    page_of(shell).edit(1)
    place = page_of(shell).form.place
    assert [place.slot.itemText(row) for row in range(place.slot.count())] == ["output", "grad_output"]


def test_that_another_kind_takes_its_place_and_its_seed_is_a_number(shell: Shell) -> None:
    page = shown_form(shell)
    choose_kind(page.form.change, "Add noise")
    assert shell.session.interventions[0].change == Noise()
    page.form.change.fields_of(Noise)["seed"].box.setValue(5)  # type: ignore[attr-defined]
    assert shell.session.interventions[0].change == Noise(0.1, 5)
