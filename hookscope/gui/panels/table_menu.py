"""What can be done with the values of a table."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from hookscope.protocol.views import Target, TextForm


class TableMenu(QMenu):
    """Copies the selection, goes to a cell, colours all cells.

    Attributes:
        colored: Whether the cells have backgrounds by their values (checkable).

    Signals:
        copy_requested: The selection is to be put on the clipboard, in a `TextForm`.
        find_requested: A value is to be gone to (`Target`).
        go_to_requested: An index is to be asked for, and gone to.
    """

    copy_requested = Signal(object)
    find_requested = Signal(object)
    go_to_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        copy = QKeySequence(QKeySequence.StandardKey.Copy).toString(QKeySequence.SequenceFormat.NativeText)
        self._forms = {
            self.addAction(self.tr("Copy as text") + f"\t{copy}"): TextForm.TEXT,
            self.addAction(self.tr("Copy as CSV")): TextForm.CSV,
            self.addAction(self.tr("Copy as Python expression")): TextForm.PYTHON,
        }
        self.addSeparator()
        self.addAction(self.tr("Go to index…") + "\tCtrl+G").triggered.connect(self.go_to_requested)
        self._targets = {
            self.addAction(self.tr("Go to the largest value")): Target.MAXIMUM,
            self.addAction(self.tr("Go to the smallest value")): Target.MINIMUM,
            self.addAction(self.tr("Go to the first NaN or infinity")): Target.FIRST_NON_FINITE,
        }
        self.addSeparator()
        self.colored = self.addAction(self.tr("Colour the cells"))
        self.colored.setCheckable(True)
        self.triggered.connect(self._obey)

    @Slot(QAction)
    def _obey(self, action: QAction) -> None:
        if action in self._forms:
            self.copy_requested.emit(self._forms[action])
        elif action in self._targets:
            self.find_requested.emit(self._targets[action])
