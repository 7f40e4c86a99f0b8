"""The line above the module tree in which the filter is typed."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from hookscope.gui.assets import icon


class FilterField(QLineEdit):
    """The filter's text; Down leaves it for the tree, Escape empties it.

    Args:
        tree: What is filtered.
    """

    def __init__(self, tree: QWidget) -> None:
        super().__init__()
        self._tree = tree
        self.setPlaceholderText(self.tr("Filter: name, glob, class:Conv2d"))
        self.setAccessibleName(self.tr("Filter modules"))
        self.setToolTip(
            self.tr(
                "Text in path or class, a glob such as layer?.*.conv1, or class:Conv2d. "
                "Several terms must all hold; -term leaves out. Enter goes to the next match."
            )
        )
        self.setClearButtonEnabled(True)
        self._funnel = self.addAction(icon("msc.filter"), QLineEdit.ActionPosition.LeadingPosition)

    def tint(self) -> None:
        """Draw the icon in the colours of the present theme."""
        self._funnel.setIcon(icon("msc.filter"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give Down and Escape their meaning here."""
        match event.key():
            case Qt.Key.Key_Down:
                self._tree.setFocus(Qt.FocusReason.OtherFocusReason)
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case _:
                super().keyPressEvent(event)
