"""The module tree over a session that only notes what is asked; files about something else have their own fixtures."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from tests.gui.fakes import FakeBridge, FakeSession, small_tree


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge(FakeSession(small_tree()))


@pytest.fixture
def current(bridge: FakeBridge) -> Current:
    return Current(bridge, bridge)


@pytest.fixture
def dock(bridge: FakeBridge, current: Current, qtbot: QtBot) -> Iterator[ModuleTreeDock]:
    dock = ModuleTreeDock(bridge, current)
    qtbot.addWidget(dock)
    dock.resize(420, 600)
    dock.show()
    yield dock
    dock.close()
