"""Hook modes and badges in the module tree: the submenu, the tag behind the class, the glyph at the end of the name."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.hook_words import WORDS, mode_sentence, mode_title
from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.mode_tag import ModeTag
from hookscope.gui.module_tree.model import BADGES_ROLE, TAG_ROLE
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import Badge, BadgeKind
from hookscope.protocol.tree import ModuleInfo, ModuleTree
from tests.gui.fakes import FakeBridge, record, spec
from tests.gui.tree_driving import LEFT, choose, index_of

# Of the offscreen platform, when a menu opens or a window is raised.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def choose_mode(dock: ModuleTreeDock, path: str, text: str, qtbot: QtBot) -> None:
    """Open the menu of a module with the mouse, go to its submenu with the keyboard, and click an entry."""
    open_menu(dock, path)
    menu = dock.view.menu
    menu.setActiveAction(menu.hooks.menuAction())
    qtbot.keyClick(menu, Qt.Key.Key_Right)
    assert menu.hooks.isVisible()
    action = next(action for action in menu.hooks.actions() if action.text() == text)
    qtbot.mouseClick(menu.hooks, LEFT, pos=menu.hooks.actionGeometry(action).center())
    menu.hooks.hide()
    menu.hide()


def open_menu(dock: ModuleTreeDock, path: str) -> None:
    viewport = dock.view.viewport()
    place = dock.view.visualRect(index_of(dock, path)).center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QGuiApplication.sendEvent(viewport, asked)


def tag(dock: ModuleTreeDock, path: str) -> ModeTag | None:
    found: ModeTag | None = index_of(dock, path).data(TAG_ROLE)
    return found


def tooltip(dock: ModuleTreeDock, path: str) -> str:
    return str(index_of(dock, path).data(Qt.ItemDataRole.ToolTipRole))


def badges(dock: ModuleTreeDock, path: str) -> list[BadgeKind]:
    return [badge.kind for badge in index_of(dock, path).data(BADGES_ROLE)]


def picture_of(dock: ModuleTreeDock, path: str) -> QImage:
    return dock.view.viewport().grab(dock.view.visualRect(index_of(dock, path))).toImage()


def colors_of(dock: ModuleTreeDock, path: str) -> set[str]:
    picture = picture_of(dock, path)
    return {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}


# -- modes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", HookMode)
def test_that_every_mode_has_words_and_one_sentence(mode: HookMode) -> None:
    assert mode_title(mode)
    assert mode_sentence(mode).count(".") == 1
    assert tuple(WORDS) == tuple(HookMode)


def test_that_a_mode_is_chosen_in_the_menu_and_said_behind_the_class(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    assert tag(dock, "features.0") is None
    choose_mode(dock, "features.0", "Native (full backward hook)", qtbot)
    assert bridge.session.hook_modes == {"features.0": HookMode.NATIVE}
    shown = tag(dock, "features.0")
    assert shown is not None
    assert (shown.text, shown.is_refused) == ("native", False)
    assert "register_full_backward_hook" in tooltip(dock, "features.0")
    assert "native" in index_of(dock, "features.0").data(Qt.ItemDataRole.AccessibleTextRole)
    choose_mode(dock, "features.0", "Exact", qtbot)
    assert bridge.session.hook_modes == {"features.0": HookMode.EXACT}
    assert tag(dock, "features.0") is None


def test_that_exactly_the_mode_that_holds_is_on(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    bridge.session.set_default_hook_mode(HookMode.ALIAS)
    bridge.session.set_hook_mode(["features.3"], HookMode.LEGACY)
    for path, mode in (("features.0", HookMode.ALIAS), ("features.3", HookMode.LEGACY)):
        open_menu(dock, path)
        menu = dock.view.menu
        assert [action.data() for action in menu.hooks.actions() if action.isChecked()] == [mode]
        assert all(action.toolTip() == mode_sentence(action.data()) for action in menu.hooks.actions()[:4])
        menu.hide()


def test_that_a_container_can_give_its_mode_to_everything_inside(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    choose_mode(dock, "classifier", "Alias", qtbot)
    assert bridge.session.hook_modes == {"classifier": HookMode.ALIAS}
    choose_mode(dock, "classifier", "Same for the subtree", qtbot)
    inside = ["classifier", *(f"classifier.{number}" for number in range(4))]
    assert bridge.session.hook_modes == dict.fromkeys(inside, HookMode.ALIAS)
    open_menu(dock, "classifier.1")
    assert "Same for the subtree" not in [
        action.text() for action in dock.view.menu.hooks.actions() if action.isVisible()
    ]
    dock.view.menu.hide()


def test_that_the_default_mode_is_said_of_checked_modules_only(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    bridge.session.set_default_hook_mode(HookMode.NATIVE)
    bridge.session.check(["features.0"])
    bridge.hooks_changed.emit()
    assert tag(dock, "features.0") is not None
    assert tag(dock, "features.3") is None


def test_that_a_refusal_is_in_the_colour_of_trouble_and_says_why(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    dock.resize(700, 600)
    bridge.session.check(["features.0"])
    bridge.session.set_hook_mode(["features.0"], HookMode.NATIVE)
    bridge.hooks_changed.emit()
    before = colors_of(dock, "features.0")
    bridge.session.refused_modes["features.0"] = "output is modified in place by relu"
    bridge.hooks_changed.emit()
    shown = tag(dock, "features.0")
    assert shown is not None
    assert shown.is_refused
    assert "modified in place by relu" in tooltip(dock, "features.0")
    assert colors_of(dock, "features.0") - before, "the tag is drawn in another colour"
    open_menu(dock, "features.0")
    chosen = next(action for action in dock.view.menu.hooks.actions() if action.isChecked())
    assert "modified in place by relu" in chosen.toolTip()
    dock.view.menu.hide()


def test_that_modes_cannot_be_chosen_without_a_session_that_takes_checks(
    bridge: FakeBridge, dock: ModuleTreeDock
) -> None:
    bridge.enter(SessionState.NO_MODEL)
    open_menu(dock, "features.0")
    assert not dock.view.menu.hooks.isEnabled()
    dock.view.menu.hide()


def test_that_the_menu_asks_for_the_operations_of_a_module_while_none_runs(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(dock.operations_requested) as asked:
        choose(dock, "classifier", "Show operations", qtbot)
    assert asked.args == ["classifier"]
    bridge.enter(SessionState.RUNNING)
    with qtbot.assertNotEmitted(dock.operations_requested):
        choose(dock, "classifier", "Show operations", qtbot)


# -- badges -----------------------------------------------------------------------------------------------------------


def test_that_what_is_known_before_a_step_is_said_at_once(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    assert badges(dock, "features.0") == []
    plain = colors_of(dock, "features.0")
    module = ModuleInfo("", "Net", "Net", -1, badges=(Badge(BadgeKind.COMPILED),))
    bridge.load(ModuleTree((module,)))
    assert badges(dock, "") == [BadgeKind.COMPILED]
    assert colors_of(dock, "") - plain, "a glyph is drawn"
    assert "<b>compiled</b>" in tooltip(dock, "")


def test_that_badges_come_with_a_step_the_most_important_first_and_all_in_the_tooltip(
    bridge: FakeBridge, dock: ModuleTreeDock, qtbot: QtBot
) -> None:
    assert badges(dock, "features.2") == []
    bridge.record(
        record("features.2", Slot.INPUT, "args.0", spec(2, 3), badges=(Badge(BadgeKind.MODIFIED_IN_PLACE),)),
        record("features.2", Slot.OUTPUT, badges=(Badge(BadgeKind.RAISED, "ValueError: no"),)),
    )
    qtbot.waitUntil(lambda: badges(dock, "features.2") == [BadgeKind.RAISED, BadgeKind.MODIFIED_IN_PLACE])
    assert "ValueError: no" in tooltip(dock, "features.2")
    assert "overwrites this tensor in place" in tooltip(dock, "features.2")
    assert "modified in place" in index_of(dock, "features.2").data(Qt.ItemDataRole.AccessibleTextRole)


def test_that_a_compiled_module_that_runs_eagerly_is_no_longer_marked(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    bridge.load(ModuleTree((ModuleInfo("", "Net", "Net", -1, badges=(Badge(BadgeKind.COMPILED),)),)))
    assert badges(dock, "") == [BadgeKind.COMPILED]
    bridge.session.settings = type(bridge.session.settings)(run_eagerly=True)
    bridge.settings_changed.emit()
    assert badges(dock, "") == []


def test_that_a_name_is_not_cut_short_for_a_glyph(bridge: FakeBridge, dock: ModuleTreeDock) -> None:
    for width, is_drawn in ((dock.minimumSizeHint().width(), False), (420, True)):
        dock.resize(width, 600)
        bridge.session.records.clear()
        dock.model.forget_findings()
        plain = picture_of(dock, "classifier")
        bridge.session.records.add([record("classifier", badges=(Badge(BadgeKind.NEVER_CALLED),))])
        dock.model.forget_findings()
        assert (picture_of(dock, "classifier") != plain) is is_drawn
