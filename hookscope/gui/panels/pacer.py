"""One panel draws at a time, so that the window answers between two pictures."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from hookscope.gui.live_method import LiveMethod

_BREATH_MS = 4
"""Between two turns: the picture is painted, and whatever a person did in the meantime is answered."""


class Pacer(QObject):
    """Gives turns to draw, in the order in which they were asked for. There is one for each bridge, see `of`.

    Answers for several panels arrive together, and pictures that are drawn together are painted in one go: with six
    panels that would block the window for longer than a person does not notice.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: dict[str, LiveMethod] = {}
        self._breath = QTimer(self)
        self._breath.setSingleShot(True)
        self._breath.setInterval(_BREATH_MS)
        self._breath.timeout.connect(self._go_on)

    @classmethod
    def of(cls, owner: QObject) -> "Pacer":
        """Return the pacer of an object, making it the first time."""
        return owner.findChild(cls) or cls(owner)

    def ask_turn(self, name: str, draw: Callable[[str], None]) -> None:
        """Ask for a turn, unless one was asked for under that name; at once when nobody has drawn just now.

        Args:
            name: Who asks.
            draw: A bound method, called once with that name if its object lives by then.
        """
        self._waiting.setdefault(name, LiveMethod(draw))
        if not self._breath.isActive():
            self._go_on()

    @Slot()
    def _go_on(self) -> None:
        while self._waiting:
            name = next(iter(self._waiting))
            draw = self._waiting.pop(name).get()
            if draw is not None:
                self._breath.start()
                draw(name)
                return
