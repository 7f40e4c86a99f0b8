"""Which step panels look at: the newest, that without interventions, or what differs between the two."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from hookscope.gui.session_bridge import SessionBridge
    from hookscope.protocol.events import TrialFinished


class CompareMode(StrEnum):
    """What is shown of a trial."""

    AFTER = "after"
    """The values with the interventions, which are the newest ones."""
    BEFORE = "before"
    DIFFERENCE = "difference"
    """After minus before."""


@dataclass(frozen=True)
class Aim:
    """Which values of a tensor are asked for.

    Attributes:
        step: Of which step; `None` follows the newest.
        minus: A step whose values are subtracted; `None` for the values themselves.
    """

    step: int | None = None
    minus: int | None = None

    @property
    def is_difference(self) -> bool:
        """Whether it is a difference of two steps."""
        return self.minus is not None


NEWEST = Aim()
"""What panels look at when nothing else was chosen."""


class Comparison(QObject):
    """The mode that was chosen, which holds from one trial to the next until there is none any more.

    Args:
        bridge: The session.
        parent: Qt parent.

    Signals:
        changed: The mode, or the trial that it is about, is another one.
    """

    changed = Signal()

    def __init__(self, bridge: "SessionBridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = bridge.session
        self._mode = CompareMode.AFTER
        self._trial = bridge.session.trial
        for signal in (bridge.trial_finished, bridge.step_finished, bridge.model_loaded):
            signal.connect(self._follow)

    @property
    def trial(self) -> "TrialFinished | None":
        """The trial whose steps can be compared."""
        return self._trial

    @property
    def mode(self) -> CompareMode:
        """What is shown of it; `AFTER` when there is none."""
        return self._mode

    @property
    def aim(self) -> Aim:
        """What panels ask for."""
        if self._trial is None:
            return NEWEST
        match self._mode:
            case CompareMode.BEFORE:
                return Aim(self._trial.before)
            case CompareMode.DIFFERENCE:
                return Aim(self._trial.after, self._trial.before)
            case CompareMode.AFTER:
                return NEWEST

    def mode_of(self, step: int, minus: int | None) -> CompareMode | None:
        """Return what values of a step, minus those of another, are in the trial; `None` when it has no such step."""
        if minus is not None:
            return CompareMode.DIFFERENCE
        if self._trial is None or step not in {self._trial.before, self._trial.after}:
            return None
        return CompareMode.BEFORE if step == self._trial.before else CompareMode.AFTER

    def set_mode(self, mode: CompareMode) -> None:
        """Show something else of the trial; without one, nothing but `AFTER` can be shown."""
        mode = mode if self._trial is not None else CompareMode.AFTER
        if mode is not self._mode:
            self._mode = mode
            self.changed.emit()

    @Slot()
    def _follow(self) -> None:
        trial = self._session.trial
        if trial is not self._trial:
            self._trial = trial
            if trial is None:
                self._mode = CompareMode.AFTER
            self.changed.emit()
