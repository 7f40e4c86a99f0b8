"""Going to an element from the menu of the window, and with its key wherever the focus is."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hookscope.client.state import SessionState
from hookscope.gui.action_set import Submenu
from hookscope.gui.main_window import MainWindow
from hookscope.gui.panels.go_to_line import GoToLine
from hookscope.gui.panels.panel_area import PanelArea
from hookscope.gui.panels.picker import index_text
from hookscope.gui.panels.picking_view import PickingView
from hookscope.gui.panels.table import TableView
from hookscope.gui.session_bridge import SessionBridge
from hookscope.gui.settings import MemoryStore, Settings
from hookscope.gui.style import ThemeSwitch
from hookscope.protocol.workload import parse_source
from tests.gui.panel_fakes import pump

PATIENCE_MS = 60_000
CONTROL = Qt.KeyboardModifier.ControlModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> Iterator[MainWindow]:
    """A window that shows the output of a convolution, (1, 9, 16, 16), after a step."""
    bridge = SessionBridge()
    settings = Settings(MemoryStore())
    theme = ThemeSwitch(qapp, settings)
    window = MainWindow(bridge, settings, theme)
    window.show()
    session = bridge.session
    with qtbot.waitSignal(bridge.model_loaded, timeout=PATIENCE_MS):
        session.open(parse_source("example:cnn"))
    qtbot.waitUntil(lambda: session.state is SessionState.IDLE, timeout=PATIENCE_MS)
    session.check(["conv2"])
    window.current.select_module("conv2")
    with qtbot.waitSignal(bridge.step_finished, timeout=PATIENCE_MS):
        window.action_set["step"].trigger()
    qtbot.waitUntil(lambda: window.is_settled and session.state is SessionState.IDLE, timeout=PATIENCE_MS)
    yield window
    window.close()
    bridge.close()
    window.deleteLater()
    theme.deleteLater()


def area_of(window: MainWindow) -> PanelArea:
    assert window.panels is not None
    return window.panels


def picture_of(window: MainWindow) -> PickingView:
    view = area_of(window).panels[0].view
    assert isinstance(view, PickingView)
    return view


def value_entries(window: MainWindow) -> list[QAction]:
    menu = window.action_set["go_to_value"].menu()
    assert isinstance(menu, Submenu)
    menu.fill()
    return menu.actions()


def test_that_the_key_asks_for_an_index_while_the_focus_is_in_the_tree(window: MainWindow) -> None:
    picture, tree = picture_of(window), window.modules.view
    window.activateWindow()
    tree.setFocus()
    pump(tree.hasFocus)
    QTest.keyClick(tree, Qt.Key.Key_G, CONTROL)
    line = line_of(picture)
    assert line.isVisible()
    QTest.keyClicks(line, "0, 3, 2, 5")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert picture.picker.picked is not None
    assert picture.picker.picked.index == (0, 3, 2, 5)
    assert picture.image.hasFocus()


def test_that_the_largest_value_is_gone_to_in_a_picture_and_in_a_table(window: MainWindow, qtbot: QtBot) -> None:
    picker = picture_of(window).picker
    value_entries(window)[0].trigger()
    qtbot.waitUntil(lambda: picker.picked is not None and bool(picker.picked.text), timeout=PATIENCE_MS)
    table = area_of(window).add_panel("table")
    qtbot.waitUntil(lambda: window.is_settled, timeout=PATIENCE_MS)
    view = table.view
    assert isinstance(view, TableView)
    value_entries(window)[0].trigger()
    qtbot.waitUntil(lambda: view.remarks() != "", timeout=PATIENCE_MS)
    assert picker.picked is not None
    assert view.remarks().startswith(f"{index_text(picker.picked.index)} = ")


def test_that_a_plot_has_no_element_to_go_to_and_the_window_says_so(window: MainWindow) -> None:
    assert all(entry.isEnabled() for entry in value_entries(window))
    area_of(window).add_panel("histogram")
    assert not any(entry.isEnabled() for entry in value_entries(window))
    window.action_set["go_to_index"].trigger()
    assert window.toast.isVisible()
    assert not line_of(picture_of(window)).isVisible()


def line_of(view: PickingView) -> GoToLine:
    line = view.findChild(GoToLine)
    assert isinstance(line, GoToLine)
    return line
