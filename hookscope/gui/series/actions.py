"""The actions that follow numbers over the steps and compare layers."""

from hookscope.gui.action_rows import LOADED, ActionInfo, Menu, Row

SERIES_ACTIONS: tuple[Row, ...] = (
    ActionInfo(
        "follow",
        "Follow over s&teps…",
        "msc.graph-line",
        "Have a number of the tensor that the window looks at told after every step, and plot it.",
        Menu.VIEW,
        "series.follow",
        ("Ctrl+T",),
        LOADED,
    ),
    ActionInfo(
        "show_layers",
        "Compare la&yers",
        "msc.graph",
        "Show how large the gradients, outputs and parameters of all layers are, side by side.",
        Menu.VIEW,
        "series.show_layers",
        ("Ctrl+L",),
    ),
    ActionInfo(
        "export_series",
        "&Export followed numbers…",
        "msc.table",
        "Write everything that is followed over the steps to a CSV file, one row a step.",
        Menu.VIEW,
        "series.export_all",
        states=LOADED,
        ends_section=True,
    ),
)
