"""Module tree and workload dock over a real session: a real process, a real model, a real step."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.model import Column
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.workload_dock import WorkloadDock
from hookscope.protocol.identity import Slot
from hookscope.protocol.workload import parse_source

PATIENCE_MS = 60_000


@pytest.fixture
def bridge(qapp: object) -> Iterator[SessionBridge]:
    bridge = SessionBridge()
    yield bridge
    bridge.close()


def settled(bridge: SessionBridge, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bridge.session.state is SessionState.IDLE, timeout=PATIENCE_MS)


def test_that_a_checked_module_shows_its_output_after_a_step_and_its_input_gradient_when_ticked(
    bridge: SessionBridge, qtbot: QtBot
) -> None:
    current = Current(bridge, bridge)
    modules, workload = ModuleTreeDock(bridge, current), WorkloadDock(bridge)
    for dock in (modules, workload):
        qtbot.addWidget(dock)
        dock.show()
    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        bridge.session.open(parse_source("example:cnn"))
    settled(bridge, qtbot)
    convolution = next(i for i, module in enumerate(modules.model.layout.modules) if module.class_name == "Conv2d")
    path = modules.model.layout.modules[convolution].path
    index = modules.model.index_of(convolution)
    QTest.mouseClick(modules.view.viewport(), Qt.MouseButton.LeftButton, pos=modules.view.visualRect(index).center())
    QTest.keyClick(modules.view, Qt.Key.Key_Space)
    assert bridge.session.checked == (path,)
    assert workload.inputs.topLevelItemCount() == 1
    with qtbot.waitSignal(bridge.settings_changed, timeout=PATIENCE_MS):
        workload.inputs.setCurrentItem(workload.inputs.topLevelItem(0))
        QTest.keyClick(workload.inputs, Qt.Key.Key_Space)
    assert bridge.session.settings.requires_grad == ("args.0",)
    with qtbot.waitSignal(bridge.step_finished, timeout=PATIENCE_MS):
        bridge.session.step()
    settled(bridge, qtbot)
    qtbot.waitUntil(lambda: "×" in index.siblingAtColumn(Column.OUTPUT).data())
    assert current.ref is not None
    assert (current.ref.path, current.ref.slot) == (path, Slot.OUTPUT)
    gradients = [record for record in bridge.session.records.of(path) if record.ref.slot is Slot.GRAD_INPUT]
    assert [record.spec is not None for record in gradients] == [True]
    for dock in (modules, workload):
        dock.close()
