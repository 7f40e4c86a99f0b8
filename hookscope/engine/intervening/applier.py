"""Applies changes inside of hooks: counts them, marks what they touch, and ends the step when one fails."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import nn

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.compat import recomputation_stop
from hookscope.engine.intervening.changes import ChangeError, Moment
from hookscope.engine.intervening.planned import InterventionFailed, Planned
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

_OUT_OF_MEMORY = (MemoryError, torch.OutOfMemoryError)
"""The step runner has words of its own for these."""


class Applier:
    """What all points of intervention have in common. Used on whichever thread fires a hook.

    Args:
        writer: Told which captures an intervention has changed.
        store: Where captures of other steps are.

    Attributes:
        step: Number of the running step.
        is_running: Whether there is one.
        modules: The model's modules by path.
    """

    def __init__(self, writer: CaptureWriter, store: CaptureStore) -> None:
        self._writer = writer
        self._store = store
        self.step = 0
        self.is_running = False
        self.modules: Mapping[str, nn.Module] = {}

    def apply(
        self, plans: Sequence[Planned], x: torch.Tensor, ref: TensorRef, number: int, *, differentiable: bool = False
    ) -> torch.Tensor:
        """Return what interventions make of a tensor, one after the other.

        Args:
            plans: The interventions.
            x: The tensor; it is not written to.
            ref: Its name, by which captures know it.
            number: Number of the call; a recomputed one has that of the call that it repeats.
            differentiable: Whether autograd records the changes.

        Raises:
            InterventionFailed: One of them cannot be made.
        """
        named = TensorRef(ref.path, ref.slot, ref.leaf, number, ref.operation)
        moment = Moment(ref.path, number, self.step, self.modules.get(ref.path), self._captured, named)
        for plan in plans:
            with self.blaming((plan,), ref.leaf):
                changed = plan.change.apply(x, moment, differentiable=differentiable)
            x = changed.tensor
            plan.tally.acted(ref, changed)
            self._mark(ref, plan.intervention.id)
        return x

    @contextmanager
    def blaming(self, plans: Sequence[Planned], leaf: str = "") -> Iterator[None]:
        """Let whatever goes wrong inside be the first intervention's failure.

        Raises:
            InterventionFailed: Something went wrong.
        """
        try:
            yield
        except _OUT_OF_MEMORY:
            raise
        except Exception as error:
            stop = recomputation_stop(error)
            if stop is not None:
                raise stop from None
            reason = str(error) if isinstance(error, ChangeError) else f"{type(error).__name__}: {error}"
            raise InterventionFailed(plans[0].intervention, leaf, reason) from error

    def capture_again(self, ref: TensorRef, gradient: torch.Tensor, kinds: frozenset[BadgeKind] | None) -> None:
        """Replace a capture that was made of a gradient before it was changed, or that says that there is none.

        Args:
            ref: The gradient.
            gradient: What it is now.
            kinds: The badges, one of which such a capture has; `None` when any capture is such.
        """
        with self._store.open(ref, self.step) as (capture, _):
            if capture is None:
                return
            # A view that was written to has taken the input's own edge out of the recorder's sight.
            badges = capture.badges if capture.spec is not None else ()
            found = {badge.kind for badge in badges}
        if BadgeKind.PASS_THROUGH in found:  # what is captured there is captured after us
            return
        if capture.spec is None or kinds is None or not found.isdisjoint(kinds):
            self._writer.gradient(ref, gradient, badges, capture.same_as)

    @contextmanager
    def _captured(self, ref: TensorRef, step: int) -> Iterator[torch.Tensor | None]:
        with self._store.open(ref, step) as (_, tensor):
            yield tensor

    def _mark(self, ref: TensorRef, intervention_id: int) -> None:
        before = self._writer.marks.get(ref)
        ids = before.detail.split() if before is not None else []
        if str(intervention_id) not in ids:
            self._writer.marks[ref] = Badge(BadgeKind.CHANGED, " ".join([*ids, str(intervention_id)]))
