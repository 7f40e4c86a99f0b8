"""Hands each answer of the debuggee to the one who asked."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from hookscope.gui.live_method import LiveMethod
from hookscope.protocol.events import ViewReady

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge

Receiver = Callable[[ViewReady], None]


class AnswerDesk(QObject):
    """Knows who asks under which name. There is one for each bridge, see `of`.

    Many panels ask many times a second: a signal that all of them hear, to find that the answer is somebody else's,
    costs more than the drawing of a small picture.
    """

    def __init__(self, bridge: "SessionBridge") -> None:
        super().__init__(bridge)
        self._receivers: dict[str, LiveMethod] = {}
        bridge.view_arrived.connect(self._hand_over)

    @classmethod
    def of(cls, bridge: "SessionBridge") -> "AnswerDesk":
        """Return the desk of a bridge, making it the first time."""
        return bridge.findChild(cls) or cls(bridge)

    def register(self, name: str, receiver: Receiver) -> None:
        """Hand the answers to what is asked under a name to a bound method, as long as its object lives."""
        self._receivers[name] = LiveMethod(receiver)

    @Slot(object)
    def _hand_over(self, answer: ViewReady) -> None:
        known = self._receivers.get(answer.panel)
        receiver = known.get() if known is not None else None
        if receiver is not None:
            receiver(answer)
