"""Where the six counts of a picture come from: the picture itself if it has all elements, else the debuggee."""

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from hookscope.figures.health import Health, count_shown, health_of
from hookscope.gui.panels.picker import Ask
from hookscope.protocol.events import ViewReady
from hookscope.protocol.views import Statistics, StatisticsRequest

_PAUSE_MS = 250
"""Everything is counted when no picture has come for so long, so that a run is not held up."""

COUNTED_UNASKED = 1 << 26
"""More elements than this, which take more than about a second, are counted only when a person asks for that."""


class HealthSource(QObject):
    """Counts exactly what belongs to the newest picture; until the debuggee has answered, what the picture shows.

    Signals:
        changed: `health` is another one.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._ask: Ask | None = None
        self._health: Health | None = None
        self._of: tuple[object, int] | None = None
        self._is_unasked = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._count_all)

    @property
    def health(self) -> Health | None:
        """The counts; `None` while nothing is known."""
        return self._health

    @property
    def needs_asking(self) -> bool:
        """Whether everything is counted only when a person asks for that, and has not been."""
        return not self._is_unasked and self._ask is not None and not (self._health and self._health.is_whole)

    def use(self, ask: Ask) -> None:
        """Take what asks the debuggee."""
        self._ask = ask

    def start_over(self) -> None:
        """Forget what was counted: something else is shown."""
        self._health = self._of = None

    def note(
        self, answer: ViewReady, pixels: npt.NDArray[np.float32] | None, mask: npt.NDArray[np.uint8] | None
    ) -> None:
        """Count for a new picture; `None` pixels are no values."""
        of = (answer.ref, answer.step)
        is_same = of == self._of and self._health is not None and self._health.is_whole
        self._of = of
        if is_same:  # of the same tensor in the same step: another page, another entry
            return
        spec = answer.spec
        self._health = None
        if pixels is not None and spec is not None:
            self._health = count_shown(pixels, mask, spec.count, spec.dtype)
        self._is_unasked = spec is None or spec.count <= COUNTED_UNASKED
        if self._is_unasked and self._ask is not None and not (self._health and self._health.is_whole):
            self._timer.start()

    def take(self, answer: ViewReady) -> None:
        """Take the counts of all elements, if they are of what is shown."""
        if isinstance(answer.result, Statistics) and (answer.ref, answer.step) == self._of:
            self._health = health_of(answer.result)
            self.changed.emit()

    @Slot()
    def _count_all(self) -> None:
        if self._ask is not None:
            self._ask(StatisticsRequest(), self.take)
