"""How each intervention fares in a step, and in which words a script is told why one did not act."""

import threading

from hookscope.engine.intervening.validation import Changed
from hookscope.protocol.badge_words import badge_reason
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Idle, InterventionStatus
from hookscope.protocol.tensors import Badge, BadgeKind

_WORDS: dict[Idle, str] = {
    Idle.OFF: "it is switched off",
    Idle.UNKNOWN_MODULE: "there is no such module; the nearest are {detail}",
    Idle.NEVER_CALLED: "the module was not called",
    Idle.NO_SUCH_CALL: "there was no such call of the module, which had {detail}",
    Idle.NO_SUCH_LEAF: "there is no such leaf; there are: {detail}",
    Idle.SEVERAL_LEAVES: "there are several leaves, and none was named: {detail}",
    Idle.NO_SUCH_OPERATION: "no such operation ran; there were: {detail}",
    Idle.NO_GRADIENT: "no gradient came by: {detail}",
    Idle.INPUT_OVERWRITTEN: "this input is written to in place, and its gradient has parts that cannot be told apart",
    Idle.STEP_ENDED: "the step ended before it came there",
}


class Tally:
    """How one intervention fares in the running step. Told in hooks, on whichever thread fires them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._applied = 0
        self._changed = 0
        self._refs: dict[TensorRef, None] = {}
        self._warnings: dict[str, None] = {}
        self._missed: tuple[Idle, str] | None = None

    @property
    def has_acted(self) -> bool:
        """Whether it acted at all."""
        return self._applied > 0

    def acted(self, ref: TensorRef, changed: Changed) -> None:
        """It has changed a tensor."""
        with self._lock:
            self._applied += 1
            self._changed += changed.elements
            self._refs[ref] = None
            if changed.warning:
                self._warnings[changed.warning] = None

    def missed(self, why: Idle, detail: str = "") -> None:
        """It came by and could not act; of several reasons the newest counts."""
        self._missed = (why, detail)

    def status(self, intervention_id: int, otherwise: tuple[Idle, str]) -> InterventionStatus:
        """Say how it fared.

        Args:
            intervention_id: Which one it is.
            otherwise: Why it never acted, if it did not and had no occasion to say why.
        """
        if not self._applied:
            idle, detail = self._missed or otherwise
            return InterventionStatus(intervention_id, 0, idle=idle, detail=detail)
        return InterventionStatus(
            intervention_id, self._applied, self._changed, refs=tuple(self._refs), warning="; ".join(self._warnings)
        )


def idle_reason(status: InterventionStatus) -> str:
    """Say in a few words why an intervention did not act; `""` when it did."""
    if status.idle is None:
        return ""
    detail = status.detail
    if status.idle is Idle.NO_GRADIENT and detail:
        detail = badge_reason(Badge(BadgeKind(detail)))
    return _WORDS[status.idle].format(detail=detail or "none")
