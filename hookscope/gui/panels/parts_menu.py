"""Which number is drawn of each complex value."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from hookscope.protocol.views import Part


class PartsMenu(QObject):
    """A submenu, offered for complex tensors only.

    Signals:
        part_chosen: A `Part`.
    """

    part_chosen = Signal(object)

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        self._submenu = menu.addMenu(self.tr("Complex values as"))
        self._group = QActionGroup(self)
        names = {
            Part.MAGNITUDE: self.tr("Magnitude"),
            Part.PHASE: self.tr("Phase"),
            Part.REAL: self.tr("Real part"),
            Part.IMAG: self.tr("Imaginary part"),
        }
        for part, name in names.items():
            action = self._submenu.addAction(name)
            action.setCheckable(True)
            action.setData(part)
            self._group.addAction(action)
        self._group.triggered.connect(self._choose)

    def show_part(self, part: Part, dtype: str) -> None:
        """Show what is drawn of a tensor of a dtype."""
        self._submenu.menuAction().setVisible(dtype.startswith("complex"))
        shown = Part.MAGNITUDE if part is Part.VALUE else part
        for action in self._group.actions():
            action.setChecked(Part(action.data()) is shown)  # Qt keeps a plain str

    @Slot(object)
    def _choose(self, action: QAction) -> None:
        self.part_chosen.emit(Part(action.data()))
