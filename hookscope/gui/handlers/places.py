"""Going to an element of the tensor that a panel shows."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from hookscope.gui.action_rows import MenuEntry
from hookscope.gui.notifications import Notifications
from hookscope.protocol.views import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from hookscope.gui.panels.base import TensorView
    from hookscope.gui.panels.panel import TensorPanel


class PlaceHandlers(QObject):
    """Has the focused panel go to an element, if it shows elements: a picture or a table does, a plot does not.

    Args:
        focused_panel: Returns the panel that was used last, if there is one.
        toast: Where it is told that there is nothing to go to.
        parent: Qt parent.
    """

    def __init__(
        self, focused_panel: "Callable[[], TensorPanel | None]", toast: Notifications, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._focused_panel = focused_panel
        self._toast = toast

    @Slot()
    def go_to_index(self) -> None:
        """Ask for an index, over the picture or the table."""
        view = self._view()
        if view is None:
            self._toast.show_text(self.tr("Go to a picture or a table first: this panel shows no single elements."))
            return
        view.ask_for_index()

    def value_entries(self) -> list[MenuEntry]:
        """Return what values can be gone to; they cannot be chosen while the focused panel shows no elements."""
        texts = {
            Target.MAXIMUM: self.tr("Largest value") + "\tHome",
            Target.MINIMUM: self.tr("Smallest value") + "\tEnd",
            Target.FIRST_NON_FINITE: self.tr("First NaN or infinity") + "\tF",
        }
        can_go = self._view() is not None
        tip = self.tr("The key acts while a picture has the focus.")
        return [MenuEntry(text, target if can_go else None, tip=tip) for target, text in texts.items()]

    def go_to_value(self, target: object) -> None:
        """Go to the largest, the smallest, or the first value that is not finite."""
        view = self._view()
        if view is not None:
            assert isinstance(target, Target)
            view.look_for(target)

    def _view(self) -> "TensorView | None":
        panel = self._focused_panel()
        view = panel.view if panel is not None and not panel.message else None
        return view if view is not None and view.has_elements else None
