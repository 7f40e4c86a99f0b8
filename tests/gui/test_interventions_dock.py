from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from hookscope.gui.interventions.fields import LineField, NumberField
from hookscope.gui.interventions.model import Column
from hookscope.gui.theme import theme_of
from hookscope.protocol.events import UnchangedProved
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import (
    Channels,
    Idle,
    Index,
    Intervention,
    InterventionStatus,
    Span,
)
from hookscope.protocol.tensor_changes import ClipNorm, Flip, FromFile, Scale, Zero
from hookscope.protocol.tensors import BadgeKind
from hookscope.protocol.workload import ExampleSource
from tests.gui.fakes import record, small_tree, spec
from tests.gui.intervention_driving import page_of, put, shown_form, texts, tries
from tests.gui.shell import Shell
from tests.gui.tree_driving import index_of, open_menu

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.load(small_tree())
    yield shell
    shell.close()


# -- ways in ----------------------------------------------------------------------------------------------------------


def test_that_ctrl_i_changes_the_tensor_that_is_looked_at_and_checks_its_module(shell: Shell) -> None:
    ref = TensorRef("features.3", Slot.GRAD_OUTPUT, "out")
    shell.bridge.record(record("features.3", Slot.GRAD_OUTPUT, of=spec(16, 32, 8, 8)))
    shell.window.current.select_ref(ref)
    shell.window.action_set["add_intervention"].trigger()
    assert shell.session.interventions == (Intervention(1, "features.3", Slot.GRAD_OUTPUT, Scale(1.0), "out"),)
    assert shell.session.checked == ("features.3",)
    dock = shell.window.interventions.dock
    assert dock.message.startswith("features.3 is checked now")
    assert not dock.isHidden()
    assert dock.page.form.shown == 1
    assert tries(shell) == 1


def test_that_what_ctrl_i_has_added_is_selected(shell: Shell, qtbot: QtBot) -> None:
    shell.bridge.record(record("features.3", Slot.GRAD_OUTPUT, of=spec(16, 32, 8, 8)))
    shell.window.current.select_ref(TensorRef("features.3", Slot.GRAD_OUTPUT, "out"))
    shell.window.show()
    shell.window.activateWindow()
    qtbot.waitUntil(shell.window.isActiveWindow)
    qtbot.keyClick(shell.window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    page = page_of(shell)
    assert page.selected() == [1]
    assert page.remove_button.isEnabled()


def test_that_without_a_tensor_the_output_of_the_module_is_changed(shell: Shell) -> None:
    shell.window.action_set["add_intervention"].trigger()
    assert shell.session.interventions == (), "nothing is selected"
    shell.window.current.select_module("features.1")
    shell.window.action_set["add_intervention"].trigger()
    assert shell.session.interventions == (Intervention(1, "features.1", Slot.OUTPUT, Scale(1.0)),)


def test_that_a_repeated_call_is_changed_alone(shell: Shell) -> None:
    calls = [record("features.0"), record("features.0")]
    ref = TensorRef("features.0", Slot.OUTPUT, "out", call=1)
    calls[1] = type(calls[1])(ref, 1, 1, spec(3))
    shell.bridge.record(*calls)
    shell.window.interventions.change_tensor(ref)
    assert shell.session.interventions[0].call == 1
    shell.window.interventions.change_channel(TensorRef("features.1", Slot.OUTPUT, "out"), 1, 5)
    assert shell.session.interventions[1] == Intervention(
        2, "features.1", Slot.OUTPUT, Zero(), "out", where=Channels((5,))
    )


@pytest.mark.parametrize(
    ("text", "slot", "change"),
    [
        ("Zero", Slot.OUTPUT, Zero()),
        ("Scale…", Slot.OUTPUT, Scale()),
        ("Clip gradient norm…", Slot.GRAD_OUTPUT, ClipNorm()),
        ("Reverse gradient", Slot.GRAD_OUTPUT, Flip()),
        ("More…", Slot.OUTPUT, Scale(1.0)),
    ],
)
def test_that_the_menu_of_a_module_offers_the_usual_changes(
    shell: Shell, text: str, slot: Slot, change: object
) -> None:
    shell.window.show()
    menu = open_menu(shell.window.modules, "features.2")
    assert menu.changes.menuAction() in menu.actions()
    (action,) = (action for action in menu.changes.actions() if action.text() == text)
    action.trigger()
    menu.hide()
    (made,) = shell.session.interventions
    assert (made.path, made.slot, made.change) == ("features.2", slot, change)
    assert page_of(shell).form.shown == made.id


# -- the list ---------------------------------------------------------------------------------------------------------


def test_that_the_list_says_what_where_and_what_came_of_it(shell: Shell) -> None:
    put(
        shell,
        Intervention(1, "features.3", Slot.GRAD_OUTPUT, Scale(0.5), "out", 0, where=Index((Span(), 5))),
        Intervention(2, "features.9", Slot.OUTPUT, Zero(), note="why not"),
        Intervention(3, "", Slot.OUTPUT, FromFile("/none.npy"), operation="add:0"),
    )
    shell.bridge.set_interventions({3: "there is no file none.npy"})
    shell.bridge.act(InterventionStatus(1, 2, 512), InterventionStatus(2, 0, idle=Idle.NEVER_CALLED))
    assert texts(shell) == [
        ["scale × 0.5", "features.3 grad_output [:, 5] · call 0", "acted 2×, 512 elements", ""],
        ["zero", "features.9 output", "never acted: the module was not called", "why not"],
        ["from none.npy", "Net add:0 output", "refused: there is no file none.npy", ""],
    ]
    trouble = page_of(shell).model.index(2, Column.STATUS).data(Qt.ItemDataRole.ForegroundRole)
    assert trouble.name() == theme_of(shell.window.palette()).trouble


def test_that_rows_are_switched_moved_removed_and_brought_back(shell: Shell, qtbot: QtBot) -> None:
    put(shell, *(Intervention(id_, "features.0", Slot.OUTPUT, Zero()) for id_ in (1, 2, 3)))
    page = page_of(shell)
    page.select(2)
    qtbot.keyClick(page.view, Qt.Key.Key_Space)
    assert [one.enabled for one in shell.session.interventions] == [True, False, True]
    qtbot.keyClick(page.view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [one.id for one in shell.session.interventions] == [2, 1, 3]
    assert page.selected() == [2], "the selection goes along"
    page.down_button.click()
    page.down_button.click()
    assert [one.id for one in shell.session.interventions] == [1, 3, 2]
    assert not page.down_button.isEnabled()
    qtbot.keyClick(page.view, Qt.Key.Key_Delete)
    assert [one.id for one in shell.session.interventions] == [1, 3]
    assert page.selected() == [3], "what has come in its place"
    page.undo_button.click()
    assert [one.id for one in shell.session.interventions] == [1, 3, 2]
    page.redo_button.click()
    assert [one.id for one in shell.session.interventions] == [1, 3]


def test_that_ctrl_z_undoes_while_the_dock_has_the_keyboard(shell: Shell, qtbot: QtBot) -> None:
    shell.window.show()
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Zero()))
    shell.window.action_set["show_interventions"].trigger()
    page = page_of(shell)
    page.view.setFocus()
    qtbot.waitUntil(page.view.hasFocus)
    qtbot.keyClick(page.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert shell.session.interventions == ()
    shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(page, Qt.Key.Key_Z, shift)
    assert len(shell.session.interventions) == 1


def test_that_a_note_is_kept_and_tries_nothing(shell: Shell) -> None:
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Zero()))
    before = tries(shell)
    note = page_of(shell).model.index(0, Column.NOTE)
    assert page_of(shell).model.setData(note, "  to see what is left ")
    assert shell.session.interventions[0].note == "to see what is left"
    assert tries(shell) == before


def test_that_enter_goes_to_the_form(shell: Shell, qtbot: QtBot) -> None:
    shell.window.show()
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Scale(2.0)))
    shell.window.action_set["show_interventions"].trigger()
    page = page_of(shell)
    page.select(1)
    page.view.setFocus()
    qtbot.keyClick(page.view, Qt.Key.Key_Return)
    field = page.form.change.fields_of(Scale)["factor"]
    assert isinstance(field, LineField)
    assert shell.window.focusWidget() is field.line
    assert field.line.selectedText() == "2"


def test_that_an_empty_list_says_what_to_do(shell: Shell) -> None:
    page = page_of(shell)
    assert "Right-click a module" in page._body.empty.text()
    assert page._body.currentWidget() is page._body.empty
    assert not page.remove_button.isEnabled()


# -- what else is done with the list ----------------------------------------------------------------------------------


def test_that_everything_is_removed_and_the_proof_is_told(shell: Shell) -> None:
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Zero()))
    page_of(shell).prove_button.click()
    assert shell.session.interventions == ()
    assert shell.session.wishes[-1] == ("prove_unchanged",)
    shell.bridge.prove(UnchangedProved(12, since_set=True))
    assert "12 tensors" in shell.window.interventions.dock.message


def test_that_a_list_is_saved_and_loaded(shell: Shell, tmp_path: Path) -> None:
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Scale(3.0), note="mine"))
    shell.settings.last_folder = tmp_path
    shell.window.action_set["save_interventions"].trigger()
    picker = shell.window.findChildren(QFileDialog)[-1]
    picker.selectFile(str(tmp_path / "list"))
    picker.accept()
    shell.window.interventions.book.clear()
    shell.window.interventions.files.load_from(str(tmp_path / "list.json"))
    assert [(one.change, one.note) for one in shell.session.interventions] == [(Scale(3.0), "mine")]
    assert shell.session.checked == ("features.0",)
    (tmp_path / "other.json").write_text("{}")
    shell.window.interventions.files.load_from(str(tmp_path / "other.json"))
    assert "other.json cannot be loaded" in shell.window.toast.accessibleName()
    assert len(shell.session.interventions) == 1, "the former list stays"


def test_that_a_sweep_is_asked_for(shell: Shell) -> None:
    page = shown_form(shell)
    asked: list[int] = []
    page.sweep_requested.connect(asked.append)
    page._sweep.trigger()
    assert asked == [1]


def test_that_the_list_of_each_model_comes_back_as_it_was(shell: Shell) -> None:
    digits = shell.session.source = ExampleSource("digits")
    shell.bridge.load(small_tree())
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Scale(3.0)), Intervention(2, "", Slot.OUTPUT, Zero()))
    shell.window.interventions.book.enable([2], enabled=False)
    shell.session.source = ExampleSource("cnn")
    shell.bridge.load(small_tree())
    assert shell.session.interventions == ()
    shell.session.source = digits
    before = tries(shell)
    shell.bridge.load(small_tree())
    assert [(one.change, one.enabled) for one in shell.session.interventions] == [(Scale(3.0), True), (Zero(), False)]
    assert not page_of(shell).undo_button.isEnabled()
    assert tries(shell) == before, "nothing runs before a person wants it"
    again = Shell(shell.app, shell.settings)
    again.session.source = digits
    again.load(small_tree())
    assert [one.change for one in again.session.interventions] == [Scale(3.0), Zero()]
    assert again.session.checked == ("features.0", "")
    again.close()


def test_that_a_changed_module_is_marked_before_a_step_has_run(shell: Shell) -> None:
    put(
        shell,
        Intervention(1, "features.0", Slot.OUTPUT, Scale(3.0)),
        Intervention(2, "features.1", Slot.OUTPUT, Zero(), enabled=False),
    )
    modules = shell.window.modules
    badges = modules.model.data(index_of(modules, "features.0"), Qt.ItemDataRole.UserRole + 2)
    assert [(badge.kind, badge.detail) for badge in badges] == [(BadgeKind.CHANGED, "features.0 output: scale × 3")]
    assert "scale × 3" in index_of(modules, "features.0").data(Qt.ItemDataRole.ToolTipRole)
    assert modules.model.data(index_of(modules, "features.1"), Qt.ItemDataRole.UserRole + 2) == ()
    page_of(shell).select(1)
    page_of(shell).remove_button.click()
    assert modules.model.data(index_of(modules, "features.0"), Qt.ItemDataRole.UserRole + 2) == ()


def test_that_everything_in_the_dock_can_be_drawn_in_both_shapes(shell: Shell) -> None:
    shown_form(shell)
    dock = shell.window.interventions.dock
    for width, height in ((1000, 240), (360, 600)):
        dock.page.resize(width, height)
        assert not dock.page.grab().isNull()
    assert isinstance(dock.page.form.change.fields_of(Scale)["factor"], NumberField)


def test_that_a_click_on_the_box_switches_an_intervention_off(shell: Shell, qtbot: QtBot) -> None:
    shell.window.show()
    put(shell, Intervention(1, "features.0", Slot.OUTPUT, Zero()))
    shell.window.action_set["show_interventions"].trigger()
    view = page_of(shell).view
    option = QStyleOptionViewItem()
    option.rect, option.widget = view.visualRect(page_of(shell).model.index(0, Column.CHANGE)), view
    view.itemDelegate().initStyleOption(option, page_of(shell).model.index(0, Column.CHANGE))
    box = view.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, view)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert not shell.session.interventions[0].enabled


def test_that_a_narrow_dock_keeps_its_buttons_and_its_form(shell: Shell) -> None:
    page = shown_form(shell)
    page.resize(340, 600)
    shell.window.show()
    page.grab()
    assert page.form.minimumSizeHint().width() < 400
    assert page.tools.minimumSizeHint().width() == 0
