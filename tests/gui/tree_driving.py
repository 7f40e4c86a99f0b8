"""Real clicks and keys on a real module tree, and what a person sees of it."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QLabel, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from hookscope.gui.module_tree.dock import ModuleTreeDock
from hookscope.gui.module_tree.menu import ModuleMenu
from hookscope.gui.module_tree.model import Column

LEFT = Qt.MouseButton.LeftButton


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


def open_menu(dock: ModuleTreeDock, path: str) -> ModuleMenu:
    """Ask for the menu of a module."""
    viewport = dock.view.viewport()
    place = dock.view.visualRect(index_of(dock, path)).center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QGuiApplication.sendEvent(viewport, asked)
    assert dock.view.menu.isVisible()
    return dock.view.menu


def choose(dock: ModuleTreeDock, path: str, text: str, qtbot: QtBot) -> None:
    """Ask for the menu of a module, and click the entry that begins with a text."""
    menu = open_menu(dock, path)
    action = next(action for action in menu.actions() if action.text().startswith(text))
    assert action.isVisible()
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    menu.hide()
