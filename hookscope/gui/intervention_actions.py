"""The actions that change tensors, and those that keep the list of changes."""

from hookscope.client.state import ALLOWED
from hookscope.gui.action_rows import LOADED, ActionInfo, Menu, Row

INTERVENTION_ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "add_intervention",
        "&Add intervention…",
        "msc.wand",
        "Change the tensor that the window looks at, in every step: scale it, clip it, replace it and more.",
        Menu.CHANGES,
        "interventions.add",
        ("Ctrl+I",),
        LOADED,
    ),
    ActionInfo(
        "change_at_hand",
        "Change the tensor at &hand…",
        "msc.pencil",
        "While a step is stopped, change the tensor at hand for this event alone.",
        Menu.CHANGES,
        "interventions.change_at_hand",
        ("Ctrl+Shift+I",),
        ALLOWED["change_at_hand"],
    ),
    ActionInfo(
        "show_interventions",
        "Show &interventions",
        "msc.list-unordered",
        "Show the list of everything that is changed.",
        Menu.CHANGES,
        "interventions.show_list",
        ends_section=True,
    ),
)

INTERVENTION_FILE_ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "save_interventions",
        "Sa&ve list…",
        "msc.save",
        "Keep the list of interventions in a file.",
        Menu.CHANGES,
        "interventions.save_list",
    ),
    ActionInfo(
        "load_interventions",
        "&Load list…",
        "msc.folder-opened",
        "Take a list of interventions from a file; undo brings the present one back.",
        Menu.CHANGES,
        "interventions.load_list",
    ),
    ActionInfo(
        "export_script",
        "&Export script…",
        "msc.export",
        "Write a Python script of plain PyTorch hooks that does the same without hookscope.",
        Menu.CHANGES,
        "interventions.export_script",
        states=LOADED,
    ),
)
