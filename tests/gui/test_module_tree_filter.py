"""The filter over the module tree: what is typed, what stays, what is checked and visited."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from tests.gui.fakes import FakeBridge
from tests.gui.tree_driving import LEFT, click_box, index_of, labels, shown, state_of, type_filter

# Of the offscreen platform, when a menu opens or a window is raised.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_that_typing_filters_and_clearing_brings_back_what_was_open(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    dock.view.collapse(index_of(dock, "classifier"))
    before = shown(dock)
    type_filter(dock, "class:Linear", qtbot)
    assert shown(dock) == ["", "classifier", "classifier.1", "classifier.3"]
    assert "2 of 14 modules" in labels(dock)
    qtbot.keyClick(dock.filter_field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: shown(dock) == before)
    assert "modules" not in labels(dock)


def test_that_the_button_checks_what_the_filter_matches_and_keeps_other_checks(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.session.check(["classifier.3"])
    bridge.hooks_changed.emit()
    qtbot.keyClicks(dock.filter_field, "class:Conv2d")
    qtbot.mouseClick(dock.check_button, LEFT)
    assert bridge.session.checked == ("features.0", "features.3", "classifier.3")


def test_that_enter_goes_round_the_matches(current: Current, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    qtbot.keyClicks(dock.filter_field, "relu")
    visited = []
    for _ in range(4):
        qtbot.keyClick(dock.filter_field, Qt.Key.Key_Return)
        visited.append(current.path)
    assert visited == ["features.2", "features.5", "classifier.2", "features.2"]
    assert dock.view.currentIndex() == index_of(dock, "features.2")


def test_that_a_filter_without_matches_says_so(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    type_filter(dock, "zzz", qtbot)
    assert shown(dock) == []
    assert "0 of 14 modules" in labels(dock)
    assert not dock.check_button.isEnabled()


def test_that_the_filter_is_reached_and_left_with_the_keyboard(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    dock.activateWindow()
    dock.view.setFocus()
    dock.focus_filter()
    qtbot.waitUntil(dock.filter_field.hasFocus)
    qtbot.keyClick(dock.filter_field, Qt.Key.Key_Down)
    qtbot.waitUntil(dock.view.hasFocus)


def test_that_marks_of_filtered_containers_still_count_their_whole_subtree(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    type_filter(dock, "class:Conv2d", qtbot)
    dock.check_matching()
    assert state_of(dock, "features") == Qt.CheckState.PartiallyChecked
    click_box(dock, "features", qtbot)
    assert len(bridge.session.checked) == 8
