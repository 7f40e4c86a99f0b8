"""How the window's parts for series come together: what asks for which dock, and what is told."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from hookscope.gui.action_rows import ActionInfo
from hookscope.gui.current import Current
from hookscope.gui.notifications import Notifications
from hookscope.gui.series.actions import SERIES_ACTIONS
from hookscope.gui.series.parts import SeriesParts
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.series import Distribution, StatisticOf
from tests.gui.fakes import FakeBridge, record, spec

OUT = TensorRef("features.3", Slot.OUTPUT, "out")


class NotedDocks:
    """Notes which docks there are, and shows the one that is asked for."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self.docks: dict[str, QDockWidget] = {}
        self.asked: list[str] = []

    def add(self, name: str, dock: QDockWidget) -> None:
        self.docks[name] = dock
        self._window.setCentralWidget(dock) if name == "series" else dock.hide()

    def bring_up(self, name: str) -> None:
        self.asked.append(name)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QMainWindow]:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(700, 400)
    window.show()
    yield window
    window.close()


@pytest.fixture
def docks(window: QMainWindow) -> NotedDocks:
    return NotedDocks(window)


@pytest.fixture
def toast(window: QMainWindow) -> Notifications:
    return Notifications(window)


@pytest.fixture
def parts(
    bridge: FakeBridge, current: Current, window: QMainWindow, docks: NotedDocks, toast: Notifications
) -> SeriesParts:
    parts = SeriesParts(bridge, current, Settings(MemoryStore()), window)
    parts.join(docks, toast)  # type: ignore[arg-type]
    return parts


def test_that_plots_come_later_and_what_was_followed_before_is_there(
    parts: SeriesParts, docks: NotedDocks, qtbot: QtBot
) -> None:
    assert set(docks.docks) == {"layers"}
    assert parts.follow(OUT, StatisticOf()) is not None
    assert docks.asked == []
    parts.complete()
    assert set(docks.docks) == {"layers", "series"}
    assert parts.dock is not None
    assert [plot.series for plot in parts.dock.plots] == list(parts.following.series)
    parts.follow(OUT, Distribution())
    assert docks.asked == ["series"]
    dock = parts.dock
    parts.complete()
    assert parts.dock is dock
    qtbot.waitUntil(lambda: parts.is_settled)


def test_that_a_module_that_is_checked_for_a_series_is_told(parts: SeriesParts, toast: Notifications) -> None:
    parts.follow(OUT, StatisticOf())
    assert toast.accessibleName() == "features.3 is captured from now on"


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_that_the_action_opens_the_menu_of_the_dock(
    parts: SeriesParts, docks: NotedDocks, bridge: FakeBridge, current: Current
) -> None:
    parts.complete()
    assert parts.dock is not None
    parts.handlers.follow()
    assert docks.asked == ["series"]
    assert not parts.dock.menu.isVisible()  # there is nothing to follow yet
    bridge.record(record("features.3", of=spec(2)))
    current.select_module("features.3")
    parts.handlers.follow()
    assert parts.dock.menu.isVisible()
    parts.dock.menu.close()


def test_that_layers_are_shown_and_all_modules_checked(
    parts: SeriesParts, docks: NotedDocks, bridge: FakeBridge, toast: Notifications
) -> None:
    parts.handlers.show_layers()
    assert docks.asked == ["layers"]
    parts.layers.check_all_requested.emit()
    assert len(bridge.session.checked) == 14
    assert toast.accessibleName() == "All modules are checked: the next step shows them."


def test_that_every_action_has_its_handler(parts: SeriesParts) -> None:
    for row in SERIES_ACTIONS:
        assert isinstance(row, ActionInfo)
        group, _, name = row.handler.partition(".")
        assert group == "series"
        assert callable(getattr(parts.handlers, name))
