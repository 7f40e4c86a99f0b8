"""Check marks as a person sets them: with boxes, keys and the menu of a module."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.module_tree.dock import ModuleTreeDock
from tests.gui.fakes import FakeBridge
from tests.gui.tree_driving import choose, click_box, click_row, labels, press, shown, state_of, type_filter

# Of the offscreen platform, when a menu opens or a window is raised.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_that_a_click_on_a_box_checks_that_module(bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    click_box(dock, "features.3", qtbot)
    assert bridge.session.checked == ("features.3",)
    assert state_of(dock, "features.3") == Qt.CheckState.Checked
    assert state_of(dock, "features") == Qt.CheckState.PartiallyChecked
    assert state_of(dock, "classifier") == Qt.CheckState.Unchecked
    assert "1 of 14 checked" in labels(dock)
    click_box(dock, "features.3", qtbot)
    assert bridge.session.checked == ()


def test_that_the_box_of_a_container_takes_its_whole_subtree(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    click_box(dock, "classifier.1", qtbot)
    click_box(dock, "classifier", qtbot)
    assert bridge.session.checked == ("classifier", *(f"classifier.{number}" for number in range(4)))
    assert state_of(dock, "classifier") == Qt.CheckState.Checked
    click_box(dock, "classifier", qtbot)
    assert bridge.session.checked == ()


def test_that_space_toggles_the_row_that_the_arrows_went_to(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    click_row(dock, "features.0", qtbot)
    press(dock, Qt.Key.Key_Down, qtbot)
    press(dock, Qt.Key.Key_Space, qtbot)
    assert bridge.session.checked == ("features.1",)
    press(dock, Qt.Key.Key_Space, qtbot)
    assert bridge.session.checked == ()


@pytest.mark.parametrize("state", [SessionState.IDLE, SessionState.RUNNING, SessionState.LOST])
def test_that_boxes_can_be_clicked_while_the_session_takes_checks(
    state: SessionState, bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.enter(state)
    click_box(dock, "features.0", qtbot)
    assert bridge.session.checked == ("features.0",)


def test_that_boxes_cannot_be_clicked_without_a_session_that_takes_checks(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.enter(SessionState.NO_MODEL)
    click_box(dock, "features.0", qtbot)
    click_row(dock, "features.0", qtbot)
    press(dock, Qt.Key.Key_Space, qtbot)
    assert bridge.session.check_calls == 0


def test_that_checks_made_elsewhere_are_shown(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    bridge.session.check(["features.0", "features.1"])
    bridge.hooks_changed.emit()
    assert state_of(dock, "features.1") == Qt.CheckState.Checked
    assert "2 of 14 checked" in labels(dock)


def test_that_the_menu_checks_a_container_alone(bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    choose(dock, "features", "Check only this module", qtbot)
    assert bridge.session.checked == ("features",)
    assert state_of(dock, "features") == Qt.CheckState.PartiallyChecked
    choose(dock, "features", "Uncheck only this module", qtbot)
    assert bridge.session.checked == ()


def test_that_the_menu_checks_subtrees_and_classes(bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    choose(dock, "classifier", "Check subtree", qtbot)
    assert len(bridge.session.checked) == 5
    choose(dock, "features.0", "Check all Conv2d (2)", qtbot)
    assert set(bridge.session.checked) >= {"features.0", "features.3"}
    choose(dock, "classifier", "Uncheck subtree", qtbot)
    assert bridge.session.checked == ("features.0", "features.3")
    choose(dock, "features.0", "Uncheck all Conv2d (2)", qtbot)
    assert bridge.session.checked == ()


def test_that_the_menu_copies_the_path_and_opens_and_closes_everything(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    choose(dock, "features.3", "Copy path", qtbot)
    assert QGuiApplication.clipboard().text() == "features.3"
    choose(dock, "features.3", "Collapse all", qtbot)
    assert shown(dock) == [""]
    choose(dock, "", "Expand all", qtbot)
    assert len(shown(dock)) == 14


def test_that_the_menu_key_opens_the_menu_of_the_current_row(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    click_row(dock, "classifier.1", qtbot)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QGuiApplication.sendEvent(dock.view.viewport(), asked)
    qtbot.keyClick(dock.view.menu, Qt.Key.Key_Down)
    qtbot.keyClick(dock.view.menu, Qt.Key.Key_Return)
    assert bridge.session.checked == ("classifier.1",)


def test_that_everything_can_be_unchecked_whatever_the_filter_shows(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.session.check(["features.0", "classifier.1"])
    type_filter(dock, "conv", qtbot)
    dock.uncheck_all()
    assert bridge.session.checked == ()
