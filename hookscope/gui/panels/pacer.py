"""One panel draws at a time, so that the window answers between two pictures."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from hookscope.client.state import SessionState
from hookscope.gui.live_method import LiveMethod

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge

_BREATH_MS = 4
"""Between two turns: the picture is painted, and whatever a person did in the meantime is answered."""


class Pacer(QObject):
    """Gives turns to draw, in the order in which they were asked for. There is one for each bridge, see `of`.

    Answers for several panels arrive together, and pictures that are drawn together are painted in one go: with six
    panels that would block the window for longer than a person does not notice.
    """

    def __init__(self, bridge: "SessionBridge") -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._waiting: dict[str, LiveMethod] = {}
        self._breath = QTimer(self)
        self._breath.setSingleShot(True)
        self._breath.timeout.connect(self._go_on)

    @classmethod
    def of(cls, bridge: "SessionBridge") -> "Pacer":
        """Return the pacer of a bridge, making it the first time."""
        return bridge.findChild(cls) or cls(bridge)

    def ask_turn(self, name: str, draw: Callable[[str], None]) -> None:
        """Ask for a turn, unless one was asked for under that name.

        It comes at once when nobody has drawn just now, but not while a model runs: who asks was told of something
        then, of which many hear at the same time.

        Args:
            name: Who asks.
            draw: A bound method, called once with that name if its object lives by then.
        """
        self._waiting.setdefault(name, LiveMethod(draw))
        if self._breath.isActive():
            return
        if self._bridge.session.state is SessionState.RUNNING:
            self._breath.start(0)
        else:
            self._go_on()

    @Slot()
    def _go_on(self) -> None:
        while self._waiting:
            name = next(iter(self._waiting))
            draw = self._waiting.pop(name).get()
            if draw is not None:
                self._breath.start(_BREATH_MS)
                draw(name)
                return
