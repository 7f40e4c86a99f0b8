from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction, QColor, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QToolBar

from hookscope.client.state import ALLOWED, SessionState
from hookscope.gui.action_rows import ActionInfo, Menu, SubmenuInfo
from hookscope.gui.action_set import Submenu, tool_tip
from hookscope.gui.actions import ACTIONS
from hookscope.gui.dialogs.shortcuts import ShortcutsDialog
from hookscope.gui.theme import DARK, LIGHT
from hookscope.protocol.examples import EXAMPLES
from hookscope.protocol.workload import ExampleSource
from tests.gui.fakes import small_tree
from tests.gui.shell import Shell

PLAIN = [row for row in ACTIONS if isinstance(row, ActionInfo)]
SUBMENUS = [row for row in ACTIONS if isinstance(row, SubmenuInfo)]
OF_SESSION = {
    "cancel": ("cancel", SessionState.LOADING),
    "reload": ("restart", SessionState.IDLE),
    "step": ("step", SessionState.IDLE),
    "run": ("run", SessionState.IDLE),
    "pause": ("pause", SessionState.RUNNING),
    "stop": ("stop", SessionState.RUNNING),
}
CONTINUES = {"step": ALLOWED["continue_"]}


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    yield shell
    shell.close()


def test_that_keys_and_shortcuts_are_unique() -> None:
    shortcuts = Counter(QKeySequence(shortcut).toString() for row in PLAIN for shortcut in row.shortcuts)
    assert "" not in shortcuts, "every shortcut can be read"
    assert [shortcut for shortcut, count in shortcuts.items() if count > 1] == []
    assert len({row.key for row in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("menu", Menu)
def test_that_mnemonics_of_a_menu_are_unique(menu: Menu) -> None:
    letters = [row.text[row.text.index("&") + 1].lower() for row in ACTIONS if row.menu is menu]
    assert len(set(letters)) == len(letters), letters


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row.key)
def test_that_a_tooltip_has_name_shortcut_and_one_sentence(row: ActionInfo) -> None:
    name, sentence = tool_tip(row).split("\n")
    assert name.startswith(row.text.replace("&", "").removesuffix("…"))
    assert all(QKeySequence(shortcut).toString() in name for shortcut in row.shortcuts[:1])
    assert sentence.endswith(".")


def test_that_what_is_enabled_follows_from_the_state_alone(shell: Shell) -> None:
    shell.load(small_tree())
    for state in SessionState:
        shell.bridge.enter(state)
        enabled = {row.key for row in ACTIONS if shell.window.action_set[row.key].isEnabled()}
        assert enabled == {row.key for row in ACTIONS if state in row.states}
        for key, (intent, _) in OF_SESSION.items():
            assert key not in enabled or state in ALLOWED[intent] | CONTINUES.get(key, frozenset())


def test_that_a_run_action_asks_the_session(shell: Shell) -> None:
    shell.load(small_tree())
    for key, (intent, state) in OF_SESSION.items():
        shell.bridge.enter(state)
        shell.window.action_set[key].trigger()
        assert shell.session.asked.pop() == intent


def test_that_every_action_can_be_triggered(shell: Shell) -> None:
    shell.window.complete()
    shell.load(small_tree())
    for row in PLAIN:
        state = next(state for state in (SessionState.IDLE, *SessionState) if state in row.states)
        shell.bridge.enter(state)
        if row.key != "log_folder":  # starts a program of the desktop
            shell.window.action_set[row.key].trigger()
        for dialog in shell.window.findChildren(QDialog):
            dialog.close()


@pytest.mark.parametrize("row", SUBMENUS, ids=lambda row: row.key)
def test_that_every_submenu_has_entries(shell: Shell, row: SubmenuInfo) -> None:
    shell.window.complete()
    assert entries_of(shell, row.key)


def test_that_an_example_is_opened_from_its_entry(shell: Shell) -> None:
    entries = entries_of(shell, "examples")
    ordinary, faults = ([one.title for one in EXAMPLES if one.is_fault is is_fault] for is_fault in (False, True))
    assert [entry.text() for entry in entries] == [*ordinary, "", *faults]
    assert entries[len(ordinary)].isSeparator()
    entries[2].trigger()
    assert shell.session.wanted_source == ExampleSource(EXAMPLES[2].name)


def test_that_recent_models_can_be_opened_and_forgotten(shell: Shell) -> None:
    assert not entries_of(shell, "recent")[0].isEnabled()
    shell.settings.add_recent("example:cnn")
    entries_of(shell, "recent")[0].trigger()
    assert shell.session.wanted_source == ExampleSource("cnn")
    entries_of(shell, "recent")[-1].trigger()
    assert shell.settings.recent == ()


def test_that_a_panel_of_a_kind_can_be_added(shell: Shell) -> None:
    shell.window.complete()
    shell.load(small_tree())
    panels = shell.window.panels
    assert panels is not None
    before = len(panels.panels)
    entries_of(shell, "add_panel")[0].trigger()
    assert len(panels.panels) == before + 1


def test_that_the_tool_bar_has_the_step_as_its_one_filled_button(shell: Shell) -> None:
    bar = shell.window.findChild(QToolBar, "tool_bar")
    filled = [button for button in bar.findChildren(QPushButton) if button.property("primary")]
    assert [button.text() for button in filled] == ["Step"]
    assert not filled[0].isEnabled()
    shell.load(small_tree())
    filled[0].click()
    assert shell.session.asked == ["step"]


def test_that_the_icon_of_the_filled_button_can_be_seen_on_it_in_either_theme(shell: Shell) -> None:
    bar = shell.window.findChild(QToolBar, "tool_bar")
    (button,) = (button for button in bar.findChildren(QPushButton) if button.property("primary"))
    shell.window.show()
    shell.load(small_tree())
    for key, theme in (("theme_light", LIGHT), ("theme_dark", DARK)):
        shell.window.action_set[key].trigger()
        picture = button.icon().pixmap(16).toImage()
        drawn = max((picture.pixelColor(x, y) for x in range(16) for y in range(16)), key=QColor.alpha)
        assert drawn.value() == pytest.approx(QColor(theme.on_accent).value(), abs=12)


def test_that_the_list_of_shortcuts_is_the_table(shell: Shell) -> None:
    dialog = ShortcutsDialog(shell.window)
    assert dialog.table.rowCount() == sum(bool(row.shortcuts) for row in PLAIN)
    dialog.close()


def entries_of(shell: Shell, key: str) -> list[QAction]:
    menu = shell.window.action_set[key].menu()
    assert isinstance(menu, QMenu)
    assert isinstance(menu, Submenu)
    menu.fill()
    return menu.actions()
