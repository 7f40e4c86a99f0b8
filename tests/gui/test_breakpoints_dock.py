from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.breakpoints.form import BreakpointForm
from hookscope.gui.breakpoints.looks import look_of
from hookscope.gui.breakpoints.model import Column
from hookscope.gui.module_tree.gutter import TreeGutter
from hookscope.protocol.stops import Breakpoint, Condition, EventKind, EventPhase, Expression, NonFinite, NormAbove
from tests.gui.fakes import event, small_tree
from tests.gui.shell import Shell

ENTER = (EventPhase.FORWARD_ENTER,)


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


def texts(shell: Shell) -> list[list[str]]:
    model = shell.window.stepping.dock.model
    return [[model.index(row, column).data() for column in Column] for row in range(model.rowCount())]


def open_form(shell: Shell) -> BreakpointForm:
    return shell.window.findChildren(BreakpointForm)[-1]


def test_that_f9_sets_a_breakpoint_on_the_selected_module_and_takes_it_away(shell: Shell) -> None:
    toggle = shell.window.action_set["toggle_breakpoint"]
    toggle.trigger()
    assert shell.session.breakpoints == (), "nothing is selected"
    shell.window.current.select_module("features.3")
    toggle.trigger()
    assert shell.session.breakpoints == (Breakpoint(1, "features.3", ENTER),)
    assert texts(shell) == [["features.3", "forward enter", "", "", "", ""]]
    toggle.trigger()
    assert shell.session.breakpoints == ()


def test_that_the_list_tells_where_when_and_why_not(shell: Shell) -> None:
    phases = (EventPhase.BACKWARD_ENTER, EventPhase.FORWARD_ENTER)
    shell.window.stepping.book.put(Breakpoint(1, "nope.*", phases, NormAbove(1000.0), hits=3))
    shell.window.stepping.book.put(Breakpoint(2, "class:Conv2d", ENTER, Expression("x"), log="{path}"))
    shell.bridge.set_breakpoints({2: "x is not known"}, (1,))
    assert texts(shell) == [
        ["nope.*", "forward enter, backward enter", "norm > 1000", "3", "", "no such module in this model"],
        ["class:Conv2d", "forward enter", "x", "", "{path}", "x is not known"],
    ]


def test_that_breakpoints_are_switched_off_removed_and_cleared(shell: Shell, qtbot: QtBot) -> None:
    dock = shell.window.stepping.dock
    for id_ in (1, 2, 3):
        shell.window.stepping.book.put(Breakpoint(id_, f"features.{id_}", ENTER))
    box = dock.model.index(1, Column.WHERE)
    dock.model.setData(box, None, Qt.ItemDataRole.CheckStateRole)
    assert [point.enabled for point in shell.session.breakpoints] == [True, False, True]
    dock.enable_button.click()
    assert all(point.enabled for point in shell.session.breakpoints)
    dock.enable_button.click()
    assert not any(point.enabled for point in shell.session.breakpoints)
    dock.view.setCurrentIndex(dock.model.index(0, 0))
    qtbot.keyClick(dock.view, Qt.Key.Key_Delete)
    assert [point.id for point in shell.session.breakpoints] == [2, 3]
    dock.clear_button.click()
    assert shell.session.breakpoints == ()
    assert not dock.clear_button.isEnabled()


@pytest.mark.parametrize("kind", get_args(Condition))
def test_that_the_form_has_the_fields_of_every_condition(shell: Shell, kind: type[Condition]) -> None:
    values = dict.fromkeys(kind.__struct_fields__, "step == 3" if kind is Expression else 3)
    condition = msgspec.convert(values, kind)
    shell.window.stepping.breakpoint_handlers.edit(Breakpoint(1, "features.1", ENTER, condition))
    form = open_form(shell)
    assert form.candidate().condition == condition
    assert form.condition.fields_of(kind).keys() == set(kind.__struct_fields__)
    form.reject()


def test_that_a_refused_expression_is_told_in_the_form_and_the_former_one_stays(shell: Shell) -> None:
    former = Breakpoint(1, "features.1", ENTER, NonFinite())
    shell.window.stepping.book.put(former)
    shell.window.current.select_module("features.1")
    shell.window.action_set["edit_breakpoint"].trigger()
    form = open_form(shell)
    form.condition.set_condition(Expression("tensr.max() > 3"))
    form.ok_button.click()
    assert shell.session.breakpoints[0].condition == Expression("tensr.max() > 3"), "the debuggee is asked"
    shell.bridge.set_breakpoints({1: "unknown name `tensr`"})
    assert form.error.text() == "unknown name `tensr`"
    assert form.isVisible()
    assert shell.session.breakpoints == (former,)
    shell.bridge.set_breakpoints()
    form.condition.set_condition(Expression("tensor.max() > 3"))
    form.ok_button.click()
    shell.bridge.set_breakpoints()
    assert not form.isVisible()
    assert shell.session.breakpoints[0].condition == Expression("tensor.max() > 3")


def test_that_what_is_no_python_is_told_while_it_is_typed(shell: Shell) -> None:
    shell.window.stepping.breakpoint_handlers.edit(Breakpoint(1, "features.1", ENTER, Expression("step")))
    form = open_form(shell)
    field = form.condition.fields_of(Expression)["text"]
    assert isinstance(field, QLineEdit)
    field.setText("step >")
    assert "column" in form.error.text()
    form.ok_button.click()
    assert shell.session.breakpoints == ()
    field.setText("step > 1")
    assert form.error.isHidden()
    form.reject()


def test_that_a_breakpoint_needs_an_event_and_its_condition_a_value(shell: Shell) -> None:
    shell.window.stepping.breakpoint_handlers.edit(Breakpoint(1, "", ()))
    form = open_form(shell)
    form.ok_button.click()
    assert "event" in form.error.text()
    form.phases[EventPhase.FORWARD_LEAVE].setChecked(True)
    form.condition.kind.setCurrentIndex(form.condition.kind.findData(NormAbove))
    form.ok_button.click()
    assert "value" in form.error.text()
    form.reject()


def test_that_without_a_model_a_breakpoint_is_taken_as_it_is(shell: Shell) -> None:
    shell.bridge.load(None)
    shell.bridge.enter(SessionState.NO_MODEL)
    shell.window.stepping.dock.add_button.click()
    form = open_form(shell)
    form.where.setText("layer1.*")
    form.ok_button.click()
    assert [point.pattern for point in shell.session.breakpoints] == ["layer1.*"]


def test_that_each_kind_has_a_shape_of_its_own_and_is_hollow_when_it_cannot_stop() -> None:
    kinds = [
        Breakpoint(1, "a", ENTER),
        Breakpoint(2, "a", ENTER, NonFinite()),
        Breakpoint(3, "a", ENTER, log="{path}"),
    ]
    verified = [look_of(point, is_verified=True).icon for point in kinds]
    hollow = [look_of(point, is_verified=False).icon for point in kinds]
    off = [look_of(msgspec.structs.replace(point, enabled=False), is_verified=True) for point in kinds]
    assert len({*verified, *hollow}) == 6
    assert [look.icon for look in off] == hollow
    assert {look.color for look in off} == {"quiet"}


def test_that_a_click_in_the_gutter_toggles_the_breakpoint_of_the_row(shell: Shell, qtbot: QtBot) -> None:
    shell.window.resize(1200, 800)
    shell.window.show()
    gutter = shell.window.findChild(TreeGutter)
    view = shell.window.modules.view
    layout = shell.window.modules.model.layout
    row = view.visualRect(shell.window.modules.model.index_of(layout.index_of["features.2"])).center()
    place = gutter.mapFromGlobal(view.viewport().mapToGlobal(row))
    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, place.y()))
    assert [point.pattern for point in shell.session.breakpoints] == ["features.2"]
    marked = [module.path for module in layout.modules if gutter.mark_of(module) is not None]
    assert marked == ["features.2"]
    gutter.grab()
    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, place.y()))
    assert shell.session.breakpoints == ()


def test_that_the_gutter_tells_done_pending_and_not_reached_apart(shell: Shell) -> None:
    gutter = shell.window.findChild(TreeGutter)
    assert gutter.reach_of("features") is None
    happened = [
        event(0, EventKind.FORWARD_ENTER),
        event(1, EventKind.FORWARD_ENTER, "features"),
        event(2, EventKind.FORWARD_ENTER, "features.0"),
        event(3, EventKind.FORWARD_LEAVE, "features.0"),
        event(4, EventKind.FORWARD_ENTER, "features.1"),
    ]
    shell.bridge.add_events(1, *happened)
    shell.bridge.stop_at(happened[-1])
    found = [gutter.reach_of(path) for path in ("features", "features.0", "features.2")]
    assert found == ["pending", "done", "not_reached"]
    shell.window.show()
    picture = gutter.grab().toImage()
    assert not picture.isNull()
