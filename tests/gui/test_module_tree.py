"""The module tree as a person uses it: real clicks and keys on a real dock, a session that notes what is asked."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.current import Current
from hookscope.gui.module_tree.delegate import ModuleDelegate
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.model import Column
from hookscope.gui.style import palette_of
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.tensors import Badge, BadgeKind
from tests.gui.fakes import FakeBridge, FakeSession, large_tree, record, small_tree, spec, tree_of

LEFT = Qt.MouseButton.LeftButton

# Of the offscreen platform, when a menu opens or a window is raised.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


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


def index_of(dock: ModuleTreeDock, path: str, column: Column = Column.MODULE) -> QModelIndex:
    return dock.model.index_of(dock.model.layout.index_of[path]).siblingAtColumn(column)


def cell(dock: ModuleTreeDock, path: str, column: Column = Column.MODULE) -> str:
    return str(index_of(dock, path, column).data())


def shown(dock: ModuleTreeDock) -> list[str]:
    """Return the paths of the rows that a person sees, from top to bottom."""
    paths, index = [], dock.model.index(0, 0)
    while index.isValid():
        paths.append(dock.model.layout.modules[index.internalId()].path)
        index = dock.view.indexBelow(index)
    return paths


def state_of(dock: ModuleTreeDock, path: str) -> Qt.CheckState:
    return Qt.CheckState(index_of(dock, path).data(Qt.ItemDataRole.CheckStateRole))


def click_box(dock: ModuleTreeDock, path: str, qtbot: QtBot) -> None:
    option, index, view = QStyleOptionViewItem(), index_of(dock, path), dock.view
    view.scrollTo(index)
    option.rect, option.widget = view.visualRect(index), view
    view.itemDelegate().initStyleOption(option, index)
    box = view.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, view)
    qtbot.mouseClick(view.viewport(), LEFT, pos=box.center())


def click_row(dock: ModuleTreeDock, path: str, qtbot: QtBot, column: Column = Column.OUTPUT) -> None:
    qtbot.mouseClick(dock.view.viewport(), LEFT, pos=dock.view.visualRect(index_of(dock, path, column)).center())


def press(dock: ModuleTreeDock, key: Qt.Key, qtbot: QtBot) -> None:
    qtbot.keyClick(dock.view, key)


def type_filter(dock: ModuleTreeDock, text: str, qtbot: QtBot) -> None:
    dock.filter_field.clear()
    qtbot.keyClicks(dock.filter_field, text)
    qtbot.waitUntil(lambda: not dock._filter_timer.isActive())


def labels(dock: ModuleTreeDock) -> str:
    return " | ".join(label.text() for label in dock.findChildren(QLabel) if label.text())


def choose(dock: ModuleTreeDock, path: str, text: str, qtbot: QtBot) -> None:
    """Ask for the menu of a module, and click the entry that begins with a text."""
    menu, viewport = dock.view.menu, dock.view.viewport()
    place = dock.view.visualRect(index_of(dock, path)).center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QGuiApplication.sendEvent(viewport, asked)
    assert menu.isVisible()
    action = next(action for action in menu.actions() if action.text().startswith(text))
    assert action.isVisible()
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    menu.hide()


# -- what is shown ----------------------------------------------------------------------------------------------------


def test_that_the_model_keeps_the_contract_of_item_models(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    tester = QAbstractItemModelTester(dock.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    type_filter(dock, "class:Conv2d", qtbot)
    click_box(dock, "features.0", qtbot)
    type_filter(dock, "", qtbot)
    assert tester.model() is dock.model


def test_that_every_module_has_a_row_under_its_container(dock: ModuleTreeDock) -> None:
    assert shown(dock) == [module.path for module in small_tree().modules]
    assert index_of(dock, "features.3").parent() == index_of(dock, "features")
    assert cell(dock, "features.3") == "3"
    assert cell(dock, "") == "Net"


def test_that_a_row_says_class_parameters_and_device(dock: ModuleTreeDock) -> None:
    assert cell(dock, "features.0", Column.PARAMETERS) == "1,440"
    assert cell(dock, "features.0", Column.DEVICE) == "cpu"
    assert cell(dock, "features.2", Column.PARAMETERS) == ""
    name = index_of(dock, "features.2").data(Qt.ItemDataRole.AccessibleTextRole)
    assert name == "2, ReLU (in-place)"


def test_that_a_shared_module_tells_its_other_names(dock: ModuleTreeDock) -> None:
    assert "also: act, head.act" in index_of(dock, "classifier.2").data(Qt.ItemDataRole.ToolTipRole)


def test_that_output_shape_and_dtype_come_with_a_step(bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    assert cell(dock, "features.0", Column.OUTPUT) == ""
    bridge.record(record("features.0", of=spec(16, 16, 8, 8)), record("features.3", of=spec(dtype="float16")))
    qtbot.waitUntil(lambda: cell(dock, "features.0", Column.OUTPUT) == "16 × 16 × 8 × 8")
    assert cell(dock, "features.0", Column.DTYPE) == "float32"
    assert cell(dock, "features.3", Column.OUTPUT) == "scalar"


def test_that_a_checked_module_that_was_not_called_has_a_dash_and_the_reason(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.record(record("features.6", badges=(Badge(BadgeKind.NEVER_CALLED),)))
    qtbot.waitUntil(lambda: cell(dock, "features.6", Column.OUTPUT) == "–")
    assert "did not call this module" in index_of(dock, "features.6").data(Qt.ItemDataRole.ToolTipRole)


def test_that_only_rows_whose_output_looks_different_are_announced_and_nothing_is_reset(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.record(record("features.0", of=spec(16, 8)), record("features.3", of=spec(16, 8)))
    qtbot.waitUntil(lambda: cell(dock, "features.3", Column.OUTPUT) == "16 × 8")
    changed: list[str] = []
    dock.model.dataChanged.connect(
        lambda first, last, _: changed.extend(
            dock.model.layout.modules[first.siblingAtRow(row).internalId()].path
            for row in range(first.row(), last.row() + 1)
        )
    )
    with qtbot.assertNotEmitted(dock.model.modelReset):
        bridge.record(record("features.0", of=spec(16, 8), step=2), record("features.3", of=spec(4, 8), step=2))
        qtbot.waitUntil(lambda: bool(changed))
    assert changed == ["features.3"]


def test_that_a_hidden_tree_waits_until_it_is_shown(bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    assert cell(dock, "features.0", Column.OUTPUT) == ""
    dock.hide()
    bridge.record(record("features.0", of=spec(2, 3)))
    qtbot.waitUntil(lambda: not dock._output_timer.isActive())
    assert cell(dock, "features.0", Column.OUTPUT) == ""
    dock.show()
    qtbot.waitUntil(lambda: cell(dock, "features.0", Column.OUTPUT) == "2 × 3")


def test_that_another_model_replaces_the_tree_and_its_outputs(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.record(record("", of=spec(2, 3)))
    qtbot.waitUntil(lambda: cell(dock, "", Column.OUTPUT) == "2 × 3")
    bridge.session.records.clear()
    bridge.load(tree_of([("", "Other"), ("encoder", "Linear")]))
    assert shown(dock) == ["", "encoder"]
    assert cell(dock, "", Column.OUTPUT) == ""


def test_that_a_reload_of_the_same_model_keeps_what_is_open_and_the_current_row(
    bridge: FakeBridge, current: Current, dock: ModuleTreeDock
) -> None:
    dock.view.collapse(index_of(dock, "classifier"))
    current.select_module("features.3")
    bridge.load(tree_of([(module.path, module.class_name) for module in small_tree().modules]))
    assert "features.3" in shown(dock)
    assert "classifier.1" not in shown(dock)
    assert dock.view.currentIndex() == index_of(dock, "features.3")


def test_that_no_model_says_what_to_do(qapp: object, qtbot: QtBot) -> None:
    bridge = FakeBridge(FakeSession())
    dock = ModuleTreeDock(bridge, Current(bridge, bridge))
    qtbot.addWidget(dock)
    dock.show()
    dock.check_matching()
    dock.uncheck_all()
    dock.go_to_next_match()
    assert bridge.session.check_calls == 0
    assert not dock.check_button.isEnabled()
    assert labels(dock) == ""
    dock.close()


# -- check marks ------------------------------------------------------------------------------------------------------


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


# -- filter -----------------------------------------------------------------------------------------------------------


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


# -- the current module -----------------------------------------------------------------------------------------------


def test_that_a_clicked_row_is_current_and_stays_so_under_a_filter_that_hides_it(
    current: Current, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    click_row(dock, "classifier.1", qtbot)
    assert current.path == "classifier.1"
    type_filter(dock, "conv", qtbot)
    assert current.path == "classifier.1"
    assert not dock.view.selectionModel().hasSelection()
    type_filter(dock, "", qtbot)
    assert dock.view.currentIndex() == index_of(dock, "classifier.1")


def test_that_arrows_move_the_current_module(current: Current, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    click_row(dock, "features.0", qtbot)
    press(dock, Qt.Key.Key_Down, qtbot)
    assert current.path == "features.1"
    press(dock, Qt.Key.Key_Left, qtbot)
    assert current.path == "features"


def test_that_enter_comes_back_to_the_focused_row(current: Current, dock: ModuleTreeDock, qtbot: QtBot) -> None:
    click_row(dock, "features.0", qtbot)
    dock.view.selectionModel().setCurrentIndex(index_of(dock, "features.4"), QItemSelectionModel.SelectionFlag.NoUpdate)
    assert current.path == "features.0"
    press(dock, Qt.Key.Key_Return, qtbot)
    assert current.path == "features.4"


def test_that_a_module_chosen_elsewhere_is_opened_and_marked(current: Current, dock: ModuleTreeDock) -> None:
    dock.view.collapseAll()
    current.select_module("classifier.3")
    assert dock.view.currentIndex() == index_of(dock, "classifier.3")
    assert "classifier.3" in shown(dock)


# -- many modules, columns, theme -------------------------------------------------------------------------------------


def test_that_ten_thousand_modules_have_their_rows_and_filter_to_the_right_ones(
    bridge: FakeBridge, current: Current, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    bridge.load(large_tree())
    assert len(shown(dock)) == 1001, "a large model opens with its root open"
    assert rows_of(dock.model) == 10_001
    type_filter(dock, "class:Conv2d block12.*", qtbot)
    assert shown(dock) == ["", "block12", "block12.layer0", "block12.layer3", "block12.layer6"]
    dock.check_matching()
    assert bridge.session.checked == ("block12.layer0", "block12.layer3", "block12.layer6")
    type_filter(dock, "", qtbot)
    assert len(shown(dock)) == 1001
    current.select_module("block999.layer8")
    assert len(shown(dock)) == 1010
    click_box(dock, "", qtbot)
    assert len(bridge.session.checked) == 10_001
    assert "10001 of 10001 checked" in labels(dock).replace(",", "")


def rows_of(model: QAbstractItemModel, parent: QModelIndex | None = None) -> int:
    parent = parent if parent is not None else QModelIndex()
    count = model.rowCount(parent)
    return count + sum(rows_of(model, model.index(row, 0, parent)) for row in range(count))


def test_that_a_narrow_dock_shows_module_and_output_and_a_wide_one_everything(dock: ModuleTreeDock) -> None:
    header = dock.view.header()
    dock.resize(280, 600)
    assert [column for column in Column if not header.isSectionHidden(column)] == [Column.MODULE, Column.OUTPUT]
    assert header.length() <= dock.view.viewport().width()
    dock.resize(900, 600)
    assert not any(header.isSectionHidden(column) for column in Column)


def test_that_a_column_hidden_in_the_header_menu_stays_hidden(dock: ModuleTreeDock, qtbot: QtBot) -> None:
    header = dock.view.header()
    dock.resize(900, 600)
    header.customContextMenuRequested.emit(QPoint(5, 5))
    menu = header.findChild(type(dock.view.menu).__base__)
    action = next(action for action in menu.actions() if action.text() == "dtype")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    menu.hide()
    assert header.isSectionHidden(Column.DTYPE)
    dock.resize(1000, 600)
    assert header.isSectionHidden(Column.DTYPE)
    assert not header.isSectionHidden(Column.DEVICE)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_that_the_class_is_quieter_than_the_name_in_both_themes(dock: ModuleTreeDock, theme: object) -> None:
    assert isinstance(dock.view.itemDelegate(), ModuleDelegate)
    dock.setPalette(palette_of(theme))  # type: ignore[arg-type]
    picture = dock.view.viewport().grab(dock.view.visualRect(index_of(dock, "features.0"))).toImage()
    colors = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert {theme.text, theme.quiet} & colors, "letters are drawn in the theme's colours"  # type: ignore[attr-defined]
    assert theme.panel in colors  # type: ignore[attr-defined]
