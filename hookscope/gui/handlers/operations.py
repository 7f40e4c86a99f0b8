"""Finding out which operations a module runs."""

from PySide6.QtCore import QObject, Signal, Slot

from hookscope.client.state import ALLOWED
from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge


class OperationHandlers(QObject):
    """Has the operations of a module listed.

    Signals:
        list_requested: The list of operations is to be seen.
    """

    list_requested = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._current = current

    @Slot()
    def show_operations(self) -> None:
        """List the operations of the current module, or of the whole model's own forward."""
        self.show_operations_of(self._current.path or "")

    @Slot(str)
    def show_operations_of(self, path: str) -> None:
        """List the operations of a module, which becomes the current one."""
        if self._session.state in ALLOWED["trace_operations"]:
            self._current.select_module(path)
            self._session.trace_operations(path)
            self.list_requested.emit()
