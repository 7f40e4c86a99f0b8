"""The module tree as a person sees it: what rows say, which one is current, how it looks."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.gui.current import Current
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.model import Column
from hookscope.gui.style import apply_theme
from hookscope.gui.theme import DARK, LIGHT, Theme
from hookscope.protocol.tensors import Badge, BadgeKind
from tests.gui.fakes import FakeBridge, FakeSession, large_tree, record, small_tree, spec, tree_of
from tests.gui.tree_driving import (
    LEFT,
    cell,
    click_box,
    click_row,
    index_of,
    labels,
    press,
    shown,
    type_filter,
)

# Of the offscreen platform, when a menu opens or a window is raised.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


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


def test_that_names_have_the_room_of_the_outputs_until_there_are_any(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    header = dock.view.header()
    dock.resize(280, 600)
    before = [header.sectionSize(column) for column in (Column.MODULE, Column.OUTPUT)]
    bridge.record(record("features.0", of=spec(16, 16, 8, 8)))
    qtbot.waitUntil(lambda: header.sectionSize(Column.OUTPUT) > before[1])
    after = [header.sectionSize(column) for column in (Column.MODULE, Column.OUTPUT)]
    assert sum(before) == sum(after)
    assert before[0] > 1.3 * after[0]
    dock.resize(1000, 600)
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


@pytest.fixture(params=[DARK, LIGHT], ids=["dark", "light"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Theme]:
    palette, sheet = qapp.palette(), qapp.styleSheet()
    apply_theme(qapp, request.param)
    yield request.param
    qapp.setPalette(palette)
    qapp.setStyleSheet(sheet)


def colors_of(dock: ModuleTreeDock, path: str) -> set[str]:
    picture = dock.view.viewport().grab(dock.view.visualRect(index_of(dock, path))).toImage()
    return {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}


def test_that_letters_are_drawn_in_the_colours_of_the_theme(theme: Theme, dock: ModuleTreeDock) -> None:
    colors = colors_of(dock, "features.0")
    assert {theme.text, theme.quiet} & colors
    assert theme.panel in colors
