"""One panel draws at a time, and a running model is left room, so that the window answers and the model runs."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from hookscope.client.state import SessionState
from hookscope.gui.live_method import LiveMethod

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge

_BREATH_MS = 4
"""Between two turns: the picture is painted, and whatever a person did in the meantime is answered."""
_RESTS = 3
"""While a model runs, turns rest for so many times what a picture took: it needs the cores more than the plots do."""
_LONGEST_REST_MS = 250


class Pacer(QObject):
    """Gives turns to draw, in the order in which they were asked for. There is one for each bridge, see `of`.

    Answers for several panels arrive together, and pictures that are drawn together are painted in one go: with six
    panels that would block the window for longer than a person does not notice.
    """

    def __init__(self, bridge: "SessionBridge") -> None:
        super().__init__(bridge)
        self._bridge = bridge
        self._waiting: dict[str, LiveMethod] = {}
        self._began = 0.0
        self._breath = self._single_shot(self._go_on)
        self._painted = self._single_shot(self._rest)

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
        if self._breath.isActive() or self._painted.isActive():
            return
        if self._is_running:
            self._breath.start(0)
        else:
            self._go_on()

    @property
    def _is_running(self) -> bool:
        return self._bridge.session.state is SessionState.RUNNING

    @Slot()
    def _go_on(self) -> None:
        while self._waiting:
            name = next(iter(self._waiting))
            draw = self._waiting.pop(name).get()
            if draw is not None:
                self._begin_turn()
                draw(name)
                return

    def _begin_turn(self) -> None:
        self._began = time.monotonic()
        if self._is_running:
            self._painted.start(0)  # timers come after what is to be painted
        else:
            self._breath.start(_BREATH_MS)

    @Slot()
    def _rest(self) -> None:
        taken_ms = 1000 * (time.monotonic() - self._began)
        self._breath.start(round(min(max(_RESTS * taken_ms, _BREATH_MS), _LONGEST_REST_MS)))

    def _single_shot(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer
