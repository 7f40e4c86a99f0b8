"""The table of actions made real: `QAction`s, the menu bar, the tool bar, and what is enabled in which state."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from hookscope.client.state import SessionState
from hookscope.gui.action_rows import ActionInfo, Menu, MenuEntry, Row, SubmenuInfo, Tint, ToolGroup
from hookscope.gui.actions import ACTIONS
from hookscope.gui.assets import icon
from hookscope.gui.theme import theme_of

Entries = Sequence[MenuEntry | QAction]


class ActionSet(QObject):
    """Owns the actions of one window.

    Args:
        handlers: Object whose attributes the table's `handler` and `entries` name, dotted.
        window: It gets every action, so that shortcuts work wherever the focus is.
    """

    def __init__(self, handlers: object, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._groups: dict[str, QActionGroup] = {}
        self._actions = {row.key: self._make(row, handlers) for row in ACTIONS}
        self.refresh_icons()
        window.installEventFilter(self)

    def __getitem__(self, key: str) -> QAction:
        """Return the action of a key (of a submenu: the one that opens it)."""
        return self._actions[key]

    def fill_menu_bar(self, bar: QMenuBar) -> None:
        """Add every menu with its actions."""
        for menu in Menu:
            widget = bar.addMenu(QCoreApplication.translate("actions", menu.value))
            widget.setToolTipsVisible(True)
            for row in ACTIONS:
                if row.menu is menu:
                    widget.addAction(self._actions[row.key])
                    if row.ends_section:
                        widget.addSeparator()

    def fill_tool_bar(self, bar: QToolBar, controls: Mapping[ToolGroup, QWidget]) -> None:
        """Add the actions of the tool bar.

        Args:
            bar: The tool bar.
            controls: Widgets to put behind a group.
        """
        *groups, last = (group for group in ToolGroup if group is not ToolGroup.NONE)
        for number, group in enumerate(groups):
            if number:
                bar.addSeparator()
            self._fill_group(bar, group)
            if group in controls:
                bar.addSeparator()
                bar.addWidget(controls[group])
        gap = QWidget(bar)
        gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(gap)
        self._fill_group(bar, last)

    def of_groups(self, *groups: ToolGroup) -> list[QAction]:
        """Return the actions of some groups of the tool bar."""
        rows = (row for row in ACTIONS if isinstance(row, ActionInfo) and row.toolbar in groups)
        return [self._actions[row.key] for row in rows]

    def update_states(self, state: SessionState) -> None:
        """Enable what the session's state allows."""
        for row in ACTIONS:
            action = self._actions[row.key]
            action.setEnabled(state in row.states)
            if isinstance(row, ActionInfo) and row.paused_text:
                is_paused = state is SessionState.STOPPED
                action.setText(QCoreApplication.translate("actions", row.paused_text if is_paused else row.text))
                action.setIconText(action.text().replace("&", ""))

    @Slot()
    def refresh_icons(self) -> None:
        """Draw the icons in the colours of the theme."""
        theme = theme_of(QGuiApplication.palette())
        for row in ACTIONS:
            if row.icon:
                tint = row.tint if isinstance(row, ActionInfo) else Tint.PLAIN
                self._actions[row.key].setIcon(icon(row.icon, getattr(theme, tint.value)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the theme of the window."""
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh_icons()
        return super().eventFilter(watched, event)

    def _make(self, row: Row, handlers: object) -> QAction:
        match row:
            case SubmenuInfo():
                menu = Submenu(attrgetter(row.entries)(handlers), attrgetter(row.handler)(handlers), self._window)
                menu.setTitle(text_of(row))
                return menu.menuAction()
            case ActionInfo():
                action = QAction(text_of(row), self._window)
                action.setToolTip(tool_tip(row))
                action.setIconText(QCoreApplication.translate("actions", row.label) if row.label else plain_text(row))
                action.setShortcuts([QKeySequence(shortcut) for shortcut in row.shortcuts])
                action.setCheckable(row.checkable)
                if row.group:
                    self._group(row.group).addAction(action)
                self._window.addAction(action)
                signal = action.toggled if row.checkable and not row.group else action.triggered
                signal.connect(attrgetter(row.handler)(handlers))
                return action

    def _group(self, name: str) -> QActionGroup:
        return self._groups.setdefault(name, QActionGroup(self))

    def _fill_group(self, bar: QToolBar, group: ToolGroup) -> None:
        for row in ACTIONS:
            if isinstance(row, ActionInfo) and row.toolbar is group:
                action = self._actions[row.key]
                if row.tint is Tint.PRIMARY:
                    bar.addWidget(PrimaryButton(action, row.icon, bar))
                    continue
                bar.addAction(action)
                button = bar.widgetForAction(action)
                if isinstance(button, QToolButton):
                    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class PrimaryButton(QPushButton):
    """The one filled button of the tool bar; it follows its action.

    (A `QToolButton` would take the menu's icon, which has another colour.)
    """

    def __init__(self, action: QAction, icon_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self._icon_name = icon_name
        self.setProperty("primary", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.setText(self._action.iconText())
        self.setToolTip(self._action.toolTip())
        self.setEnabled(self._action.isEnabled())
        # Not of its own palette, which the style sheet gives the colours of the button.
        self.setIcon(icon(self._icon_name, theme_of(QGuiApplication.palette()).on_accent))


class Submenu(QMenu):
    """A menu that is filled each time it opens.

    Args:
        entries: Gives what to show now.
        choose: Is given the `data` of the entry that was chosen.
        parent: The window.
    """

    def __init__(self, entries: Callable[[], Entries], choose: Callable[[object], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._entries = entries
        self._choose = choose
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        self.triggered.connect(self._take)

    @Slot()
    def fill(self) -> None:
        """Make the entries anew."""
        self.clear()
        for entry in self._entries():
            if isinstance(entry, QAction):
                self.addAction(entry)
                continue
            if entry.begins_section:
                self.addSeparator()
            action = self.addAction(entry.text)
            action.setData(entry)
            action.setToolTip(entry.tip or entry.text)
            action.setEnabled(entry.data is not None)
            if entry.icon:
                action.setIcon(icon(entry.icon))

    @Slot(QAction)
    def _take(self, action: QAction) -> None:
        entry = action.data()
        if isinstance(entry, MenuEntry):
            self._choose(entry.data)


def text_of(row: Row) -> str:
    """Return the name of an action in the person's language, with its mnemonic."""
    return QCoreApplication.translate("actions", row.text)


def plain_text(row: Row) -> str:
    """Return the name of an action without its mnemonic."""
    return text_of(row).replace("&", "")


def tip_of(row: ActionInfo) -> str:
    """Return the sentence that says what an action does."""
    return QCoreApplication.translate("actions", row.tip)


def shortcut_text(row: ActionInfo) -> str:
    """Return the first shortcut as this platform writes it, or `""`."""
    return QKeySequence(row.shortcuts[0]).toString(QKeySequence.SequenceFormat.NativeText) if row.shortcuts else ""


def tool_tip(row: ActionInfo) -> str:
    """Return name, shortcut and sentence."""
    return f"{plain_text(row).removesuffix('…')}  {shortcut_text(row)}".rstrip() + f"\n{tip_of(row)}"
