"""What describes an action of the window: the rows of the table, and the groups that they are in."""

from dataclasses import dataclass
from enum import StrEnum

from hookscope.client.state import ALLOWED, SessionState

ANY_STATE = frozenset(SessionState)
LOADED = ANY_STATE - {SessionState.NO_MODEL} - ALLOWED["cancel"]
HOOKABLE = ALLOWED["check"] & LOADED - {SessionState.STOPPING, SessionState.LOST}


class Menu(StrEnum):
    """The menus, in their order; the values are their texts."""

    FILE = "&File"
    RUN = "&Run"
    STEPPING = "&Debug"
    CHANGES = "&Changes"
    MODULES = "&Modules"
    VIEW = "&View"
    HELP = "&Help"


class ToolGroup(StrEnum):
    """Groups of the tool bar, in their order; the last one stands at its far end."""

    NONE = ""
    OPEN = "open"
    RUN = "run"
    STEPPING = "stepping"
    PICTURE = "picture"


class Tint(StrEnum):
    """Colour of an icon by meaning; the values are names of `Theme` colours. `PRIMARY` is the window's main button."""

    PLAIN = "text"
    GO = "forward"
    HALT = "trouble"
    PRIMARY = "accent"


@dataclass(frozen=True)
class ActionInfo:
    """One action.

    Attributes:
        key: Its name in the program.
        text: Its name in the menu, with a mnemonic.
        icon: Codicon, or `""`.
        tip: One sentence that says what it does.
        menu: Which menu it is in.
        handler: Function of `Handlers` that does it; a checkable one without a group is given the new value.
        shortcuts: Key sequences; the first is shown.
        states: Session states in which it is enabled.
        toolbar: Group of the tool bar.
        label: Shorter name for the tool bar; the menu's by default.
        paused_text: Another name, with a mnemonic, while a step is stopped; in the menu and in the tool bar.
        tint: Colour of the icon.
        checkable: Whether it is on or off.
        group: Name of a set of checkable actions of which exactly one is on.
        ends_section: Whether a line follows it in the menu.
    """

    key: str
    text: str
    icon: str
    tip: str
    menu: Menu
    handler: str
    shortcuts: tuple[str, ...] = ()
    states: frozenset[SessionState] = ANY_STATE
    toolbar: ToolGroup = ToolGroup.NONE
    label: str = ""
    paused_text: str = ""
    tint: Tint = Tint.PLAIN
    checkable: bool = False
    group: str = ""
    ends_section: bool = False


@dataclass(frozen=True)
class SubmenuInfo:
    """A submenu whose entries are made anew each time it opens.

    Attributes:
        key: Its name in the program.
        text: Its name in the menu, with a mnemonic.
        icon: Codicon.
        menu: Which menu it is in.
        entries: Function of `Handlers` that returns the entries.
        handler: Function of `Handlers` that is given the `data` of the chosen entry.
        states: Session states in which it is enabled.
        ends_section: Whether a line follows it in the menu.
    """

    key: str
    text: str
    icon: str
    menu: Menu
    entries: str
    handler: str
    states: frozenset[SessionState] = ANY_STATE
    ends_section: bool = False


@dataclass(frozen=True)
class MenuEntry:
    """One entry of a submenu; `None` as data makes it a remark that cannot be chosen.

    Attributes:
        text: What it says.
        data: What is chosen with it.
        icon: Codicon, or `""`.
        tip: Its tool tip.
        begins_section: Whether a line stands before it.
    """

    text: str
    data: object
    icon: str = ""
    tip: str = ""
    begins_section: bool = False


Row = ActionInfo | SubmenuInfo
