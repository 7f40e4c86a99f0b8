"""The form behind the button that says which dims are shown."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from hookscope.figures.axes import Role
from hookscope.gui.panels.dim_control import DimControls, ShownDim
from hookscope.gui.panels.keys import Command
from hookscope.protocol.views import Axes

_MOST_DIMS = 12


class DimsPopup(QFrame):
    """A box for each role, the entries of the other dims, and buttons that move the roles about.

    Signals:
        role_given: A `Role`, and the dim that has it from now on.
        roll_requested, transpose_requested, reset_requested: The buttons.
    """

    role_given = Signal(object, int)
    roll_requested = Signal()
    transpose_requested = Signal()
    reset_requested = Signal()

    def __init__(self, parent: QWidget, *, with_tiles: bool) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        names = {Role.ROWS: self.tr("Rows"), Role.COLUMNS: self.tr("Columns"), Role.TILES: self.tr("Grid")}
        self._boxes = {role: QComboBox() for role in Role if with_tiles or role is not Role.TILES}
        form = QFormLayout()
        for role, box in self._boxes.items():
            box.setAccessibleName(names[role])
            box.activated.connect(self._give_role)
            form.addRow(names[role], box)
        self.entries = DimControls(QBoxLayout.Direction.TopToBottom, _MOST_DIMS)
        buttons = QHBoxLayout()
        swap = self.tr("Swap rows and columns ({key})").format(key=Command.TRANSPOSE.value)
        move = self.tr("Let every role move on to the dim before ({key})").format(key=Command.ROLL.value)
        for text, tip, signal in (
            (self.tr("Roll"), move, self.roll_requested),
            (self.tr("Transpose"), swap, self.transpose_requested),
            (self.tr("Reset"), self.tr("Show the dims as they are shown first"), self.reset_requested),
        ):
            button = QPushButton(text)
            button.setToolTip(tip)
            button.clicked.connect(signal)
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.entries)
        layout.addLayout(buttons)

    def show_state(self, axes: Axes, names: Sequence[str], sizes: Sequence[int]) -> None:
        """Show which dim has which role."""
        for role, box in self._boxes.items():
            with QSignalBlocker(box):
                box.clear()
                box.addItems([f"{name}  ({size:,})" for name, size in zip(names, sizes, strict=True)])
                dim = getattr(axes, role.value)
                box.setCurrentIndex(-1 if dim is None else dim)
            box.setEnabled(dim is not None)

    def show_entries(self, dims: Sequence[ShownDim], playing: int | None) -> None:
        """Show the entries of the dims without a role."""
        self.entries.show_dims(dims, playing)
        self.entries.setVisible(bool(dims))
        self.adjustSize()

    @Slot(int)
    def _give_role(self, dim: int) -> None:
        box = self.sender()
        role = next(role for role, candidate in self._boxes.items() if candidate is box)
        self.role_given.emit(role, dim)
