"""On a stop the window goes to where the step is."""

from PySide6.QtCore import QObject, Signal, Slot

from hookscope.gui.current import Current
from hookscope.gui.session_bridge import SessionBridge
from hookscope.protocol.events import Stopped


class StopFollower(QObject):
    """Makes the tensor at hand the current one, so that every panel which follows shows it.

    Signals:
        arrived: The current tensor is that of a stop.
    """

    arrived = Signal()

    def __init__(self, bridge: SessionBridge, current: Current, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = current
        bridge.stopped.connect(self._follow)

    @Slot(object)
    def _follow(self, stopped: Stopped) -> None:
        if stopped.ref is not None:
            self._current.select_ref(stopped.ref)
        else:
            self._current.select_event(stopped.step, stopped.event)
        self.arrived.emit()
