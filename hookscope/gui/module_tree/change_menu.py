"""The submenu that changes a tensor of a module: the usual changes at once, and any other in the form."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from hookscope.protocol.tensor_changes import Change, ClipNorm, Flip, Scale, Zero


@dataclass(frozen=True)
class UsualChange:
    """One entry.

    Attributes:
        text: What it is called; an ellipsis says that a number is to be chosen then.
        change: What is done; `None` lets the person choose.
        of_gradient: Whether it is a gradient that it changes, also while an output is looked at.
    """

    text: str
    change: Change | None
    of_gradient: bool = False


USUAL: tuple[UsualChange, ...] = (
    UsualChange("Zero", Zero()),
    UsualChange("Scale…", Scale()),
    UsualChange("Clip gradient norm…", ClipNorm(), of_gradient=True),
    UsualChange("Reverse gradient", Flip(), of_gradient=True),
    UsualChange("More…", None),
)


class ChangeMenu(QMenu):
    """Offers the usual changes.

    Signals:
        change_chosen: The change (`Change`) or `None`, and whether it must be a gradient (`bool`).
    """

    change_chosen = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Change"))
        self._usual: dict[QAction, UsualChange] = {}
        for usual in USUAL:
            self._usual[self.addAction(QCoreApplication.translate("interventions", usual.text))] = usual
        self.triggered.connect(self._choose)

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        usual = self._usual[action]
        self.change_chosen.emit(usual.change, usual.of_gradient)
