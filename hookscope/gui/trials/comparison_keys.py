"""The keys that show what was before the changes, or what differs, while a panel or something in it has the focus."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from hookscope.gui.trials.comparison import CompareMode

if TYPE_CHECKING:
    from hookscope.gui.current import Current


class ComparisonKeys(QObject):
    """B and D; pressed again they go back to the values after.

    Args:
        current: What the window is looking at.
        panel: Where the keys are heard; the Qt parent.
    """

    def __init__(self, current: "Current", panel: QWidget) -> None:
        super().__init__(panel)
        self._current = current
        for key, toggle in (("B", self._toggle_before), ("D", self._toggle_difference)):
            shortcut = QShortcut(QKeySequence(key), panel)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(toggle)

    @Slot()
    def _toggle_before(self) -> None:
        self._current.toggle_comparison(CompareMode.BEFORE)

    @Slot()
    def _toggle_difference(self) -> None:
        self._current.toggle_comparison(CompareMode.DIFFERENCE)
