"""Modes, operations and a restart over a real session: a real process, a real model, real steps."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.mode_tag import ModeTag
from hookscope.gui.module_tree.model import TAG_ROLE
from hookscope.gui.operations.dock import OperationsDock
from hookscope.gui.operations.model import Column
from hookscope.gui.panels.panel import TensorPanel
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.workload import parse_source
from tests.gui.panel_fakes import texts_of

PATIENCE_MS = 60_000


@pytest.fixture
def bridge(qapp: object) -> Iterator[SessionBridge]:
    bridge = SessionBridge()
    yield bridge
    bridge.close()


def idle(bridge: SessionBridge, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bridge.session.state is SessionState.IDLE, timeout=PATIENCE_MS)


def load(bridge: SessionBridge, source: str, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        bridge.session.open(parse_source(source))
    idle(bridge, qtbot)


def step(bridge: SessionBridge, qtbot: QtBot) -> None:
    with qtbot.waitSignal(bridge.step_finished, timeout=PATIENCE_MS):
        bridge.session.step()
    idle(bridge, qtbot)


def test_that_pytorchs_own_hook_is_refused_before_an_in_place_relu_and_the_tree_says_why(
    bridge: SessionBridge, qtbot: QtBot
) -> None:
    dock = ModuleTreeDock(bridge, Current(bridge, bridge))
    qtbot.addWidget(dock)
    load(bridge, "example:conv_relu", qtbot)
    session = bridge.session
    session.check(["conv", "relu", "pool"])
    session.set_hook_mode(["conv", "relu", "pool"], HookMode.NATIVE)
    step(bridge, qtbot)

    def tag(path: str) -> ModeTag:
        found: ModeTag = dock.model.index_of(dock.model.layout.index_of[path]).data(TAG_ROLE)
        return found

    assert tag("conv").is_refused
    assert "relu" in tag("conv").sentence
    assert not tag("pool").is_refused
    dock.close()


def test_that_a_checked_operation_can_be_looked_at_with_its_gradient(bridge: SessionBridge, qtbot: QtBot) -> None:
    current = Current(bridge, bridge)
    dock = OperationsDock(bridge, current)
    dock.operations_requested.connect(bridge.session.trace_operations)
    qtbot.addWidget(dock)
    dock.resize(900, 240)
    dock.show()
    load(bridge, "example:cnn", qtbot)
    with qtbot.waitSignal(bridge.operations_traced, timeout=PATIENCE_MS):
        QTest.mouseClick(dock.button, Qt.MouseButton.LeftButton)
    idle(bridge, qtbot)
    assert dock.model.index(0, Column.NAME).data() == "flatten"
    place = dock.view.visualRect(dock.model.index(0, Column.OUTPUT)).center()
    QTest.mouseClick(dock.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.keyClick(dock.view, Qt.Key.Key_Space)
    assert [ref.text for ref in bridge.session.checked_operations] == ["flatten:0"]
    step(bridge, qtbot)
    assert current.ref == TensorRef("", Slot.OUTPUT, "out", operation="flatten:0")
    records = bridge.session.records.of("", "flatten:0")
    assert [(record.ref.slot, record.spec is not None) for record in records] == [
        (Slot.OUTPUT, True),
        (Slot.GRAD_OUTPUT, True),
    ]
    dock.close()


def test_that_a_picture_stays_through_a_restart_until_the_model_has_run_again(
    bridge: SessionBridge, qtbot: QtBot
) -> None:
    current = Current(bridge, bridge)
    window = QMainWindow()
    qtbot.addWidget(window)
    panel = TensorPanel(bridge, current, "panel-0", window)
    window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, panel)
    window.resize(700, 500)
    window.show()
    load(bridge, "example:cnn", qtbot)
    bridge.session.check(["conv1"])
    current.select_module("conv1")
    step(bridge, qtbot)
    qtbot.waitUntil(lambda: panel.shown_step == 1 and not panel.is_waiting, timeout=PATIENCE_MS)
    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        bridge.session.restart()
    idle(bridge, qtbot)
    qtbot.wait(300)  # long enough for an answer, if one was asked for
    assert panel.message == ""
    assert "from step 1" in texts_of(panel)
    step(bridge, qtbot)
    qtbot.waitUntil(lambda: "from step" not in texts_of(panel) and not panel.is_waiting, timeout=PATIENCE_MS)
    assert panel.message == ""
    window.close()
