"""The dock with the pages of the lessons: how it comes, what it shows, and that its pages use the window's words."""

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextTable
from PySide6.QtWidgets import QApplication, QDockWidget
from pytestqt.qtbot import QtBot

from hookscope.figures.intervention_kinds import CHANGES
from hookscope.gui.action_set import plain_text, text_of
from hookscope.gui.actions import ACTIONS
from hookscope.gui.failure_text import REMEDY_LABELS
from hookscope.gui.hook_words import WORDS as HOOK_WORDS
from hookscope.gui.lessons_dock import LESSONS, lesson_text
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.protocol.tree import ModuleInfo, ModuleTree
from hookscope.protocol.workload import ExampleSource
from tests.engine.driving import driving
from tests.gui.fakes import small_tree
from tests.gui.shell import Shell

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def shell(qapp: QApplication) -> Iterator[Shell]:
    shell = Shell(qapp)
    shell.window.show()
    yield shell
    shell.close()


def open_example(shell: Shell, name: str) -> None:
    shell.session.source = ExampleSource(name)
    shell.load(small_tree())


def test_that_f1_shows_the_page_of_the_example_that_is_open(shell: Shell, qtbot: QtBot) -> None:
    dock = shell.window.lessons
    assert dock.isHidden()
    open_example(shell, "non_leaf")
    qtbot.keyClick(shell.window, Qt.Key.Key_F1)
    assert dock.isVisible()
    assert dock.choice.currentText() == "Lesson 3: The gradient of a non-leaf tensor"
    assert "c = a + b" in dock.page.toPlainText()
    assert dock.page.height() > 8 * dock.fontMetrics().lineSpacing()
    open_example(shell, "broken_nan")
    assert dock.choice.currentText() == "Fault 2: NaN after one step"
    assert "square root" in dock.page.toPlainText()


def test_that_another_page_can_be_read_and_its_example_opened(shell: Shell, qtbot: QtBot) -> None:
    open_example(shell, "digits")
    shell.window.action_set["lessons"].trigger()
    dock = shell.window.lessons
    assert dock.choice.currentText().startswith("Lesson 1: ")
    dock.choice.setFocus()
    qtbot.keyClick(dock.choice, Qt.Key.Key_Down)
    assert "every number can be worked" in dock.page.toPlainText()
    tables = [frame for frame in dock.page.document().rootFrame().childFrames() if isinstance(frame, QTextTable)]
    assert [tables[0].cellAt(0, column).firstCursorPosition().block().text() for column in range(3)] == [
        "Module",
        "Tensor",
        "Value",
    ]
    qtbot.mouseClick(dock.open_button, Qt.MouseButton.LeftButton)
    assert shell.session.wanted_source == ExampleSource("one_layer")


def test_that_an_unknown_model_leaves_the_page_as_it_is(shell: Shell) -> None:
    open_example(shell, "deep")
    shell.session.source = None
    shell.load(ModuleTree((ModuleInfo("", "Net", "Net", -1),)))
    assert shell.window.lessons.choice.currentData() == "deep"


def known_words(shell: Shell, name: str) -> set[str]:
    """Return what can be read in the window while an example is open."""
    with driving() as driver:
        modules = driver.load(f"example:{name}").tree.modules
    shell.load(ModuleTree(modules))
    shell.window.complete()
    words = {plain_text(row).removesuffix("…") for row in ACTIONS} | {
        getattr(row, "label", "").replace("&", "") for row in ACTIONS
    }
    words |= {f"{row.menu.value}›{text_of(row)}".replace("&", "").replace("›", " › ").rstrip("…") for row in ACTIONS}
    words |= set(REMEDY_LABELS.values())
    words |= {f"Hooks › {mode.title}" for mode in HOOK_WORDS.values()} | {kind.title for kind in CHANGES.values()}
    words |= {module.path or module.name for module in modules} | {dock.windowTitle() for dock in docks(shell)}
    combo = shell.window.workload.loss.combo
    words |= {combo.itemText(row) for row in range(combo.count())}
    root = modules[0].name
    return words | {"Check all modules", f"Show operations of {root}"}


def docks(shell: Shell) -> list[QDockWidget]:
    return shell.window.findChildren(QDockWidget)


@pytest.mark.parametrize("name", [example.name for example in LESSONS])
def test_that_what_a_page_says_to_press_is_in_the_window(shell: Shell, name: str) -> None:
    page = " ".join(lesson_text(name).split())
    tensors = set(re.findall(r"\| [\w.]+ \| ([^|]+) \|", page)) | {"input 0"}
    pressed = re.findall(r"\*\*(.+?)\*\*", page)
    assert pressed
    assert [text for text in pressed if text not in known_words(shell, name) | {one.strip() for one in tensors}] == []
    shortcuts = {shortcut for row in ACTIONS for shortcut in getattr(row, "shortcuts", ())}
    assert set(re.findall(r"\((F\d+|Ctrl\+[\w+]+)\)", page)) <= shortcuts


def test_that_it_finds_its_place_in_a_layout_that_was_kept_before_it_was_there(qapp: QApplication) -> None:
    settings = Settings(MemoryStore())
    first = Shell(qapp, settings)
    first.window.show()
    first.window.removeDockWidget(first.window.lessons)
    first.window.modules.hide()
    first.close()
    second = Shell(qapp, settings)
    try:
        second.window.show()
        window = second.window
        assert window.modules.isHidden(), "everything else is as it was left"
        assert window.lessons.isHidden()
        window.action_set["lessons"].trigger()
        assert window.dockWidgetArea(window.lessons) is Qt.DockWidgetArea.LeftDockWidgetArea
        assert window.lessons.isVisible()
    finally:
        second.close()
