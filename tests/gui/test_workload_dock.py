"""The dock that says what a step runs: what it shows, and what clicks in it ask of the session."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.workload_dock import WorkloadDock
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.tensors import Badge, BadgeKind, NamedSpec
from hookscope.protocol.tree import ModuleInfo, ModuleTree
from hookscope.protocol.workload import InputInfo, LossChoice, SyntheticInput, WorkloadInfo
from tests.gui.fakes import FakeBridge, FakeSession, small_tree, spec

REAL = WorkloadInfo(
    "Handwritten digits",
    (InputInfo("args.0", spec(16, 1, 8, 8), True), InputInfo("kwargs.ids", spec(16, dtype="int64"), False)),
    (NamedSpec("targets", spec(16, dtype="int64")),),
    "cross_entropy",
    "SGD",
    7,
)
MADE_UP = WorkloadInfo("net.py:Net", (InputInfo("args.0", spec(1, 3, 32, 32), True),), synthetic=True)
UNKNOWN = WorkloadInfo("net.py:Net", needs_input=True, batches=None)


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge(FakeSession(small_tree(), REAL))


@pytest.fixture
def dock(bridge: FakeBridge, qtbot: QtBot) -> Iterator[WorkloadDock]:
    dock = WorkloadDock(bridge)
    qtbot.addWidget(dock)
    dock.resize(320, 500)
    dock.show()
    yield dock
    dock.close()


def box_of(dock: WorkloadDock, row: int) -> QPoint:
    """Return the middle of an input's check box."""
    table = dock.inputs
    option = QStyleOptionViewItem()
    index = table.model().index(row, 0)
    option.rect = table.visualRect(index)
    option.widget = table
    table.itemDelegate().initStyleOption(option, index)
    place = QStyle.SubElement.SE_ItemViewItemCheckIndicator
    return table.style().subElementRect(place, option, table).center()


def click_box(box: QCheckBox, qtbot: QtBot) -> None:
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def texts(dock: WorkloadDock) -> str:
    from PySide6.QtWidgets import QLabel  # noqa: PLC0415

    return "\n".join(label.text() for label in dock.findChildren(QLabel) if label.isVisible())


def test_that_the_workload_is_described(dock: WorkloadDock) -> None:
    assert "Handwritten digits" in texts(dock)
    assert "example:digits" in texts(dock)
    assert "targets  16  int64" in texts(dock)
    assert "7 batches" in texts(dock)
    rows = [[dock.inputs.topLevelItem(row).text(column) for column in range(3)] for row in range(2)]
    assert rows == [["input 0", "16 × 1 × 8 × 8", "float32"], ["input ids", "16", "int64"]]
    assert dock.loss.combo.currentText() == "Auto (cross_entropy)"
    assert dock.optimizer.text().replace("&", "") == "Optimizer steps (SGD)"


def test_that_the_inputs_are_as_high_as_their_rows_below_a_title_of_two_lines(
    bridge: FakeBridge, dock: WorkloadDock
) -> None:
    bridge.load(small_tree(), WorkloadInfo("A title that is too long for a single line of this dock", REAL.inputs))
    dock.resize(240, 700)
    QApplication.processEvents()
    assert dock.inputs.height() == dock.inputs.sizeHint().height()


def test_that_a_narrow_dock_says_what_the_ticks_mean_and_leaves_the_dtype_to_the_tip(dock: WorkloadDock) -> None:
    assert not dock.inputs.isColumnHidden(2)
    for width in (240, 500):
        dock.resize(width, 500)
        QApplication.processEvents()
        assert dock.inputs.header().sectionSize(0) >= dock.inputs.header().sectionSizeHint(0)
        assert dock.inputs.isColumnHidden(2) == (width == 240)
    assert dock.inputs.topLevelItem(0).toolTip(1) == "float32"


def test_that_a_click_on_the_tick_of_an_input_asks_for_its_gradient(
    bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot
) -> None:
    qtbot.mouseClick(dock.inputs.viewport(), Qt.MouseButton.LeftButton, pos=box_of(dock, 0))
    assert bridge.session.settings.requires_grad == ("args.0",)
    qtbot.mouseClick(dock.inputs.viewport(), Qt.MouseButton.LeftButton, pos=box_of(dock, 0))
    assert bridge.session.settings.requires_grad == ()


def test_that_an_integer_input_cannot_be_ticked_and_says_why(
    bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot
) -> None:
    qtbot.mouseClick(dock.inputs.viewport(), Qt.MouseButton.LeftButton, pos=box_of(dock, 1))
    assert bridge.session.settings.requires_grad == ()
    item = dock.inputs.topLevelItem(1)
    assert not item.flags() & Qt.ItemFlag.ItemIsEnabled
    assert "int64 cannot have a gradient" in item.toolTip(0)


def test_that_loss_and_optimizer_are_chosen_without_touching_other_settings(
    bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot
) -> None:
    former = bridge.session.settings
    dock.loss.combo.setFocus()
    qtbot.keyClick(dock.loss.combo, Qt.Key.Key_Down)
    qtbot.mouseClick(dock.optimizer, Qt.MouseButton.LeftButton, pos=QPoint(8, dock.optimizer.height() // 2))
    settings = bridge.session.settings
    assert (settings.loss, settings.optimizer) == (LossChoice.SUM, False)
    assert (settings.device, settings.seed) == (former.device, former.seed)


def test_that_what_the_session_says_is_shown(bridge: FakeBridge, dock: WorkloadDock) -> None:
    bridge.session.settings = type(bridge.session.settings)(loss=LossChoice.MEAN, requires_grad=("args.0",))
    bridge.settings_changed.emit()
    assert dock.loss.combo.currentData() == LossChoice.MEAN
    assert dock.inputs.topLevelItem(0).checkState(0) == Qt.CheckState.Checked


def test_that_nothing_can_be_changed_while_a_step_runs(bridge: FakeBridge, dock: WorkloadDock) -> None:
    controls = (dock.inputs, dock.loss, dock.optimizer, dock.restore, dock.eagerly, dock.form)
    bridge.enter(SessionState.RUNNING)
    assert not any(control.isEnabled() for control in controls)
    bridge.enter(SessionState.IDLE)
    assert all(control.isEnabled() for control in controls)


def test_that_without_an_optimizer_there_is_no_switch(bridge: FakeBridge, dock: WorkloadDock) -> None:
    bridge.load(small_tree(), MADE_UP)
    assert not dock.optimizer.isVisible()
    assert dock.loss.combo.currentText() == "Auto (the output's own)"


def test_that_restoring_the_state_is_automatic_until_it_is_chosen(
    bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot
) -> None:
    assert not dock.restore.isChecked(), "a workload with an optimizer is to be trained"
    click_box(dock.restore, qtbot)
    assert bridge.session.settings.restore_state is True
    assert "what the optimizer does is undone" in dock.restore.toolTip()
    click_box(dock.restore, qtbot)
    assert bridge.session.settings.restore_state is None, "what holds anyway is left to the workload"
    bridge.load(small_tree(), MADE_UP)
    assert dock.restore.isChecked()
    click_box(dock.restore, qtbot)
    assert bridge.session.settings.restore_state is False
    assert "optimizer" not in dock.restore.toolTip()


def test_that_compiled_modules_offer_to_run_eagerly(bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot) -> None:
    assert dock.eagerly.isHidden()
    compiled = ModuleInfo("", "Net", "Net", -1, badges=(Badge(BadgeKind.COMPILED),))
    bridge.load(ModuleTree((compiled,)), MADE_UP)
    assert dock.eagerly.isVisible()
    click_box(dock.eagerly, qtbot)
    assert bridge.session.settings.run_eagerly
    bridge.settings_changed.emit()
    assert dock.eagerly.isChecked()
    assert dock.eagerly.isVisible(), "it can be switched off again"


def test_that_real_inputs_offer_no_form_and_made_up_ones_are_said_to_be_made_up(
    bridge: FakeBridge, dock: WorkloadDock
) -> None:
    assert not dock.form.isVisible()
    bridge.session.source = None
    bridge.load(small_tree(), MADE_UP)
    assert dock.form.isVisible()
    assert "made up" in texts(dock)
    assert dock.form.field.text() == "1x3x32x32"


def test_that_typed_inputs_are_given_to_the_session(bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot) -> None:
    bridge.load(small_tree(), UNKNOWN)
    assert "Give the shapes" in texts(dock)
    dock.form.field.setFocus()
    qtbot.keyClicks(dock.form.field, "int64<1000(1, 16)")
    qtbot.mouseClick(dock.form.button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(dock.form.field, Qt.Key.Key_Return)
    assert bridge.session.given_inputs == [(SyntheticInput((1, 16), "int64", 1000),)] * 2


@pytest.mark.parametrize("typed", ["banana", "", "1x3; float32()"])
def test_that_what_cannot_be_read_is_said_and_stays(
    typed: str, bridge: FakeBridge, dock: WorkloadDock, qtbot: QtBot
) -> None:
    bridge.load(small_tree(), UNKNOWN)
    qtbot.keyClicks(dock.form.field, typed)
    qtbot.mouseClick(dock.form.button, Qt.MouseButton.LeftButton)
    assert bridge.session.given_inputs == []
    assert dock.form.field.text() == typed
    assert "1x3x32x32" in dock.form.message.text()
    assert dock.form.message.isVisible()
    dock.form.field.setText("1x3")
    qtbot.mouseClick(dock.form.button, Qt.MouseButton.LeftButton)
    assert not dock.form.message.isVisible()


def test_that_inputs_that_the_debuggee_refuses_are_explained_at_the_form(
    bridge: FakeBridge, dock: WorkloadDock
) -> None:
    bridge.load(small_tree(), MADE_UP)
    bridge.failure_raised.emit(Failure(FailureKind.BAD_INPUT, {"reason": "There is no dtype float17."}))
    assert "float17" in dock.form.message.text()


def test_that_typed_text_survives_a_restart_of_the_same_model(bridge: FakeBridge, dock: WorkloadDock) -> None:
    dock.form.field.setText("int64<50(1, 4)")
    bridge.load(small_tree(), MADE_UP)
    assert dock.form.field.text() == "int64<50(1, 4)"


def test_that_no_model_says_what_to_do(qapp: object, qtbot: QtBot) -> None:
    dock = WorkloadDock(FakeBridge(FakeSession()))
    qtbot.addWidget(dock)
    dock.show()
    assert "Open a model" in texts(dock)
    assert not dock.loss.isVisible()
    dock.close()
