"""Every action of the window: one table, of which menus, toolbar, tooltips and the list of shortcuts are made."""

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
    MODULES = "&Modules"
    VIEW = "&View"
    HELP = "&Help"


class ToolGroup(StrEnum):
    """Groups of the tool bar, in their order; the last one stands at its far end."""

    NONE = ""
    OPEN = "open"
    RUN = "run"
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
    """One entry of a submenu; `None` as data makes it a remark that cannot be chosen."""

    text: str
    data: object
    icon: str = ""
    tip: str = ""


Row = ActionInfo | SubmenuInfo

ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "open",
        "&Open model…",
        "msc.folder-opened",
        "Open a model from a Python file, an importable module or the examples.",
        Menu.FILE,
        "opening.open_model",
        ("Ctrl+O",),
        toolbar=ToolGroup.OPEN,
        label="Open",
    ),
    SubmenuInfo("examples", "Open &example", "msc.beaker", Menu.FILE, "opening.example_entries", "opening.open_text"),
    SubmenuInfo("recent", "Open &recent", "msc.history", Menu.FILE, "opening.recent_entries", "opening.open_recent"),
    ActionInfo(
        "reload",
        "Re&load model",
        "msc.debug-restart",
        "Start a fresh process with the same model, inputs, settings and check marks.",
        Menu.FILE,
        "session.reload_model",
        ("Ctrl+R",),
        LOADED,
    ),
    ActionInfo(
        "cancel",
        "Ca&ncel loading",
        "msc.close",
        "Give up loading; a model that was open before stays open.",
        Menu.FILE,
        "session.cancel_loading",
        states=ALLOWED["cancel"],
        ends_section=True,
    ),
    ActionInfo(
        "screenshot",
        "&Screenshot of the window…",
        "msc.device-camera",
        "Save a picture of the window as PNG, with model, step and versions written into the file.",
        Menu.FILE,
        "pictures.save_window",
        ("Ctrl+Shift+S",),
        toolbar=ToolGroup.PICTURE,
        label="Screenshot",
    ),
    ActionInfo(
        "save_panel",
        "Save panel as &PNG…",
        "msc.save",
        "Save a picture of the focused panel, with the module, slot, step and shape written into the file.",
        Menu.FILE,
        "pictures.save_panel_png",
        states=LOADED,
    ),
    ActionInfo(
        "save_svg",
        "Save panel as S&VG…",
        "msc.export",
        "Save the plot of the focused panel as vector graphics.",
        Menu.FILE,
        "pictures.save_panel_svg",
        states=LOADED,
    ),
    ActionInfo(
        "copy_panel",
        "&Copy panel",
        "msc.copy",
        "Put a picture of the focused panel on the clipboard.",
        Menu.FILE,
        "pictures.copy_panel",
        ("Ctrl+Shift+C",),
        LOADED,
        ends_section=True,
    ),
    ActionInfo(
        "preferences",
        "Pre&ferences…",
        "msc.settings-gear",
        "Choose how gradients are captured, how much memory captures may take, and the theme.",
        Menu.FILE,
        "preferences.show_preferences",
        ("Ctrl+,",),
        ends_section=True,
    ),
    ActionInfo(
        "quit",
        "&Quit",
        "msc.chrome-close",
        "End the model's process and close the window.",
        Menu.FILE,
        "view.quit",
        ("Ctrl+Q",),
    ),
    ActionInfo(
        "step",
        "&Step",
        "msc.debug-continue",
        "Run one forward pass, the loss and one backward pass.",
        Menu.RUN,
        "session.step",
        ("F5",),
        ALLOWED["step"],
        ToolGroup.RUN,
        tint=Tint.PRIMARY,
    ),
    ActionInfo(
        "run",
        "&Run",
        "msc.debug-start",
        "Step again and again until Pause or Stop.",
        Menu.RUN,
        "session.run",
        ("Ctrl+F5",),
        ALLOWED["run"],
        ToolGroup.RUN,
        tint=Tint.GO,
    ),
    ActionInfo(
        "pause",
        "&Pause",
        "msc.debug-pause",
        "Finish the step that is running, then wait.",
        Menu.RUN,
        "session.pause",
        ("F6",),
        ALLOWED["pause"],
        ToolGroup.RUN,
    ),
    ActionInfo(
        "stop",
        "S&top",
        "msc.debug-stop",
        "Stop inside the step, at the next hook; a step that does not answer is ended with its process.",
        Menu.RUN,
        "session.stop",
        ("Shift+F5",),
        ALLOWED["stop"],
        ToolGroup.RUN,
        tint=Tint.HALT,
    ),
    ActionInfo(
        "filter",
        "&Find module",
        "msc.search",
        "Go to the filter over the module tree: text, a glob, or class:Conv2d.",
        Menu.MODULES,
        "modules.focus_filter",
        ("Ctrl+F",),
        LOADED,
    ),
    ActionInfo(
        "check_matching",
        "&Check all matching",
        "msc.check-all",
        "Check every module that the filter shows.",
        Menu.MODULES,
        "modules.check_matching",
        ("Ctrl+Shift+A",),
        HOOKABLE,
    ),
    ActionInfo(
        "uncheck_all",
        "&Uncheck all",
        "msc.clear-all",
        "Take every hook off the model.",
        Menu.MODULES,
        "modules.uncheck_all",
        ("Ctrl+Shift+U",),
        HOOKABLE,
        ends_section=True,
    ),
    ActionInfo(
        "show_operations",
        "Show &operations",
        "msc.symbol-operator",
        "List what the forward of the current module does itself, besides calling the modules inside it.",
        Menu.MODULES,
        "operations.show_operations",
        ("Ctrl+Shift+O",),
        ALLOWED["trace_operations"],
    ),
    SubmenuInfo("add_panel", "&Add panel", "msc.add", Menu.VIEW, "view.panel_entries", "view.add_panel", LOADED),
    SubmenuInfo("docks", "D&ocks", "msc.layout", Menu.VIEW, "view.dock_entries", "view.float_dock"),
    ActionInfo(
        "reset_layout",
        "&Reset layout",
        "msc.discard",
        "Put every dock and panel back to where it was at first.",
        Menu.VIEW,
        "view.reset_layout",
        ends_section=True,
    ),
    ActionInfo(
        "theme_system",
        "Theme of the &system",
        "",
        "Follow the desktop's choice of dark or light.",
        Menu.VIEW,
        "view.use_system_theme",
        checkable=True,
        group="theme",
    ),
    ActionInfo(
        "theme_dark",
        "&Dark theme",
        "",
        "Always dark.",
        Menu.VIEW,
        "view.use_dark_theme",
        checkable=True,
        group="theme",
    ),
    ActionInfo(
        "theme_light",
        "&Light theme",
        "",
        "Always light.",
        Menu.VIEW,
        "view.use_light_theme",
        checkable=True,
        group="theme",
        ends_section=True,
    ),
    ActionInfo(
        "full_screen",
        "&Full screen",
        "msc.screen-full",
        "Use the whole screen, or go back.",
        Menu.VIEW,
        "view.set_full_screen",
        ("Ctrl+Shift+F",),
        checkable=True,
    ),
    ActionInfo(
        "shortcuts",
        "&Keyboard shortcuts",
        "msc.keyboard",
        "List every shortcut.",
        Menu.HELP,
        "help.show_shortcuts",
        ("Ctrl+/",),
    ),
    ActionInfo(
        "log_folder",
        "Open &log folder",
        "msc.folder",
        "Show the folder with hookscope's own log files.",
        Menu.HELP,
        "help.open_log_folder",
    ),
    ActionInfo(
        "about",
        "&About hookscope",
        "msc.info",
        "Show the versions of everything involved, ready to be copied into a report.",
        Menu.HELP,
        "help.show_about",
    ),
)
