"""The actions that write tensors, steps and all panels to files."""

from hookscope.client.state import ALLOWED
from hookscope.gui.action_rows import LOADED, ActionInfo, Menu, Row

EXPORT_ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "export_panels",
        "Save panels as one s&heet…",
        "msc.table",
        "Save all panels in sight in one PNG, each under the name of its module, slot and step.",
        Menu.FILE,
        "exports.export_panels",
        states=LOADED,
    ),
    ActionInfo(
        "export_tensor",
        "Export &tensor…",
        "msc.symbol-array",
        "Write all values of the focused panel's tensor to a .npy or .csv file.",
        Menu.FILE,
        "exports.export_tensor",
        ("Ctrl+S",),
        ALLOWED["export_tensor"] & LOADED,
    ),
    ActionInfo(
        "export_step",
        "E&xport step…",
        "msc.archive",
        "Write every captured tensor of the step to a folder as .npy, with an index of what is what.",
        Menu.FILE,
        "exports.export_step",
        states=ALLOWED["export_step"] & LOADED,
        ends_section=True,
    ),
)
