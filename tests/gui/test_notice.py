"""The notice above the panels of a model in which hooks are blind."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.notice import Notice
from hookscope.protocol.tensors import Badge, BadgeKind
from hookscope.protocol.tree import ModuleInfo, ModuleTree
from hookscope.protocol.workload import RunSettings
from tests.gui.fakes import FakeBridge, FakeSession, small_tree

LEFT = Qt.MouseButton.LeftButton


def tree_with(kind: BadgeKind, *paths: str) -> ModuleTree:
    """A root and two layers, of which some have a badge."""
    modules = (("", -1), ("a", 0), ("b", 0))
    return ModuleTree(
        tuple(
            ModuleInfo(path, path or "Net", "Net", parent, badges=(Badge(kind),) if path in paths else ())
            for path, parent in modules
        )
    )


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge(FakeSession(small_tree()))


@pytest.fixture
def notice(bridge: FakeBridge, qtbot: QtBot) -> Iterator[Notice]:
    notice = Notice(bridge)
    qtbot.addWidget(notice)
    yield notice
    notice.close()


def test_that_a_plain_model_needs_none(notice: Notice) -> None:
    assert notice.isHidden()
    assert notice.text == ""


def test_that_a_click_lets_a_compiled_model_run_eagerly_and_ends_the_notice(
    bridge: FakeBridge, notice: Notice, qtbot: QtBot
) -> None:
    bridge.load(tree_with(BadgeKind.COMPILED, "", "a", "b"))
    assert notice.isVisible()
    assert notice.text.startswith("This model is compiled")
    qtbot.mouseClick(notice.eagerly_button, LEFT)
    assert bridge.session.settings == RunSettings(run_eagerly=True)
    assert notice.isHidden()


def test_that_compiled_parts_are_counted(bridge: FakeBridge, notice: Notice) -> None:
    bridge.load(tree_with(BadgeKind.COMPILED, "a", "b"))
    assert notice.text.startswith("2 modules are compiled")


@pytest.mark.parametrize("kind", [BadgeKind.SCRIPTED, BadgeKind.EXPORTED])
def test_that_what_cannot_run_eagerly_offers_no_button(bridge: FakeBridge, notice: Notice, kind: BadgeKind) -> None:
    bridge.load(tree_with(kind, ""))
    assert notice.isVisible()
    assert notice.eagerly_button.isHidden()


def test_that_it_can_be_closed_for_this_model(bridge: FakeBridge, notice: Notice, qtbot: QtBot) -> None:
    bridge.load(tree_with(BadgeKind.COMPILED, ""))
    qtbot.mouseClick(notice.close_button, LEFT)
    bridge.settings_changed.emit()
    assert notice.isHidden()
    bridge.load(tree_with(BadgeKind.COMPILED, "", "a"))
    assert notice.isVisible()


def test_that_nothing_is_changed_while_a_step_runs(bridge: FakeBridge, notice: Notice) -> None:
    bridge.load(tree_with(BadgeKind.COMPILED, ""))
    bridge.enter(SessionState.RUNNING)
    assert not notice.eagerly_button.isEnabled()
