"""The actions that show what interventions do."""

from hookscope.client.state import ALLOWED
from hookscope.gui.action_rows import LOADED, ActionInfo, Menu, Row

TRIAL_ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "try_now",
        "&Try now",
        "msc.debug-rerun",
        "Run one step with the changes and one without, and put everything back.",
        Menu.CHANGES,
        "trials.try_now",
        ("F7",),
        ALLOWED["try_interventions"],
    ),
    ActionInfo(
        "toggle_before",
        "Show &before or after",
        "msc.eye",
        "Show every panel without the changes, and with them again.",
        Menu.CHANGES,
        "trials.toggle_before",
        ("Ctrl+Shift+B",),
        LOADED,
    ),
    ActionInfo(
        "toggle_difference",
        "Show &difference",
        "msc.diff",
        "Show in every panel what the changes make of the values: after minus before.",
        Menu.CHANGES,
        "trials.toggle_difference",
        ("Ctrl+Shift+D",),
        LOADED,
    ),
    ActionInfo(
        "show_changed",
        "Show what changed &most",
        "msc.list-ordered",
        "List the tensors that moved, the largest change first.",
        Menu.CHANGES,
        "trials.show_list",
    ),
    ActionInfo(
        "sweep",
        "&Sweep…",
        "msc.graph-line",
        "Try a number of a change at one value after the other, and plot what comes of it.",
        Menu.CHANGES,
        "trials.sweep",
        states=LOADED,
        ends_section=True,
    ),
    ActionInfo(
        "turn_all_off",
        "Turn all &off",
        "msc.circle-slash",
        "Turn every change off; undo brings them back.",
        Menu.CHANGES,
        "trials.turn_all_off",
    ),
    ActionInfo(
        "remove_and_prove",
        "Remove all and &prove",
        "msc.verified",
        "Remove every change, run the step again and compare every bit with the untouched model.",
        Menu.CHANGES,
        "trials.remove_and_prove",
        states=ALLOWED["prove_unchanged"],
    ),
)
