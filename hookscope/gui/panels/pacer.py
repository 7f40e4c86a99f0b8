"""One panel draws at a time, so that the window answers between two pictures."""

from collections import deque

from PySide6.QtCore import QObject, QTimer, Signal, Slot

_BREATH_MS = 4
"""Between two turns: the picture is painted, and whatever a person did in the meantime is answered."""


class Pacer(QObject):
    """Gives turns to draw, in the order in which they were asked for. There is one for each bridge, see `of`.

    Answers for several panels arrive together, and pictures that are drawn together are painted in one go: with six
    panels that would block the window for longer than a person does not notice.

    Signals:
        turn_came: Who was named may draw now.
    """

    turn_came = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: deque[str] = deque()
        self._breath = QTimer(self)
        self._breath.setSingleShot(True)
        self._breath.setInterval(_BREATH_MS)
        self._breath.timeout.connect(self._go_on)

    @classmethod
    def of(cls, owner: QObject) -> "Pacer":
        """Return the pacer of an object, making it the first time."""
        return owner.findChild(cls) or cls(owner)

    def ask_turn(self, name: str) -> None:
        """Ask for a turn; it comes at once when nobody has drawn just now."""
        if name not in self._waiting:
            self._waiting.append(name)
        if not self._breath.isActive():
            self._go_on()

    @Slot()
    def _go_on(self) -> None:
        if self._waiting:
            self._breath.start()
            self.turn_came.emit(self._waiting.popleft())
