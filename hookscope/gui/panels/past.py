"""What a tensor was in a step that is not followed: the records tell of the newest, so the answers are remembered."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hookscope.gui.trials.comparison import Aim
    from hookscope.protocol.events import ViewReady
    from hookscope.protocol.identity import TensorRef
    from hookscope.protocol.tensors import Badge, Record, TensorSpec


class PastSpec:
    """Remembers one tensor of one step, or of the difference of two."""

    def __init__(self) -> None:
        self._of: tuple[TensorRef, Aim] | None = None
        self._spec: TensorSpec | None = None
        self._badges: tuple[Badge, ...] = ()

    def spec_of(self, ref: "TensorRef | None", aim: "Aim", record: "Record | None") -> "TensorSpec | None":
        """Return what a tensor is: as its record says in the newest step, as was learnt or else alike in another."""
        if aim.step is not None and self._of == (ref, aim):
            return self._spec
        return record.spec if record is not None else None

    def badges_of(self, ref: "TensorRef | None", aim: "Aim", record: "Record | None") -> "tuple[Badge, ...]":
        """Return what is to be known of a tensor; nothing of a past step as long as no answer has come."""
        if aim.step is None:
            return record.badges if record is not None else ()
        return self._badges if self._of == (ref, aim) else ()

    def is_known(self, ref: "TensorRef | None", aim: "Aim") -> bool:
        """Whether an answer has told what a tensor is in a step."""
        return aim.step is not None and self._of == (ref, aim)

    def learn(self, aim: "Aim", answer: "ViewReady") -> None:
        """Remember what an answer says of what was asked for."""
        self._of, self._spec, self._badges = (answer.ref, aim), answer.spec, answer.badges
