"""What the actions do that set breakpoints."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from hookscope.gui.breakpoints.book import BreakpointBook
from hookscope.gui.breakpoints.form import BreakpointForm
from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.stops import Breakpoint


class BreakpointHandlers(QObject):
    """Sets breakpoints on the current module, and has any of them edited.

    Args:
        bridge: The session.
        book: The breakpoints.
        current: What the window is looking at.
        window: Parent of the dialog.

    Signals:
        list_requested: The list of breakpoints should be seen.
    """

    list_requested = Signal()

    def __init__(self, bridge: SessionBridge, book: BreakpointBook, current: Current, window: QWidget) -> None:
        super().__init__(window)
        self._bridge = bridge
        self._book = book
        self._current = current
        self._window = window

    @Slot()
    def toggle_current(self) -> None:
        """Set a breakpoint on the current module, or take it away."""
        if self._current.path is not None:
            self._book.toggle_at(self._current.path)

    @Slot(str)
    def toggle_at(self, path: str) -> None:
        """Set a breakpoint on a module, or take it away."""
        self._book.toggle_at(path)

    @Slot()
    def edit_current(self) -> None:
        """Edit the breakpoint of the current module, or a new one there."""
        if self._current.path is not None:
            self.edit_at(self._current.path)

    @Slot(str)
    def edit_at(self, path: str) -> None:
        """Edit the breakpoint of a module, or a new one there."""
        self.edit(self._book.at(path) or self._book.new_at(path))

    @Slot(object)
    def edit(self, point: Breakpoint) -> None:
        """Show the form of a breakpoint."""
        BreakpointForm(self._bridge, self._book, point, self._window).open()

    @Slot()
    def show_list(self) -> None:
        """Show the list."""
        self.list_requested.emit()
