"""The tensors at hand while a step is stopped, and what a person makes of them, for this event alone."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.intervening.changes import ChangeError, Moment, compile_change
from hookscope.engine.stepping.traced_calls import Tensors
from hookscope.protocol.events import AtHandChanged
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import HandChange
from hookscope.protocol.stops import SLOT_OF, StepEvent
from hookscope.protocol.tensors import Badge, BadgeKind

HandOn = Callable[[Mapping[str, torch.Tensor]], Any]
"""Makes what a hook hands on, given the new tensors by leaf. Raises `TypeError` with why a tensor cannot be changed."""

_EDITED = Badge(BadgeKind.EDITED)


class AtHand:
    """What is at hand at one event. Used on the thread that is stopped there.

    Args:
        step: Number of the step.
        event: What has happened.
        tensors: What is known now, by leaf. They are never written to.
        module: The event's module, for expressions.
        hand_on: Makes what goes on in their place.
    """

    def __init__(
        self, step: int, event: StepEvent, tensors: Tensors, module: nn.Module | None, hand_on: HandOn
    ) -> None:
        self.step = step
        self.event = event
        self._module = module
        self._hand_on = hand_on
        self._slot = SLOT_OF.get(event.kind, Slot.OUTPUT)
        self._tensors = {self._ref(leaf): tensor for leaf, tensor in tensors}
        self._came: dict[TensorRef, Capture] = {}
        self._edited: dict[TensorRef, Capture] = {}
        self._new: dict[TensorRef, torch.Tensor] = {}

    def show(self, writer: CaptureWriter, store: CaptureStore) -> TensorRef | None:
        """Capture what the recorder has not, because its module is not checked; return the first ref."""
        for ref, tensor in self._tensors.items():
            self._came[ref] = store.get(ref, self.step) or self._written(writer, ref, tensor)
        return next(iter(self._tensors), None)

    def change(self, changes: tuple[HandChange, ...], writer: CaptureWriter, store: CaptureStore) -> AtHandChanged:
        """Let the tensors at hand be as they came, apart from these changes; after `show`.

        A change that cannot be made is left out, and the others are made.
        """
        new: dict[TensorRef, torch.Tensor] = {}
        errors = []
        for change in changes:
            try:
                new[change.ref] = self._made(change, new, store)
                errors.append("")
            except Exception as error:
                errors.append(str(error) or type(error).__name__)
        self._new = new
        for ref in [*new, *(ref for ref in self._edited if ref not in new)]:
            self._recapture(ref, writer, store)
        return AtHandChanged(self.step, self.event, tuple(new), tuple(errors))

    def handed_on(self) -> Any:
        """Return what goes on; `None` when that is what came."""
        return self._hand_on({ref.leaf: tensor for ref, tensor in self._new.items()}) if self._new else None

    def _made(self, change: HandChange, so_far: Mapping[TensorRef, torch.Tensor], store: CaptureStore) -> torch.Tensor:
        ref = change.ref
        if ref not in self._tensors:
            at_hand = ", ".join(known.leaf for known in self._tensors) or "nothing"
            raise ChangeError(f"expected what is at hand ({at_hand}), given {ref.leaf} of {ref.path or 'the model'}")
        is_gradient = ref.slot.is_gradient
        moment = Moment(ref.path, ref.call, self.step, self._module, store.lend, ref)
        compiled = compile_change(change.change, change.where, is_gradient=is_gradient)
        x = so_far.get(ref, self._tensors[ref])
        tensor = compiled.apply(x, moment, differentiable=not is_gradient).tensor
        self._hand_on({ref.leaf: tensor})
        return tensor

    def _recapture(self, ref: TensorRef, writer: CaptureWriter, store: CaptureStore) -> None:
        came, former = self._came[ref], self._edited.pop(ref, None)
        if ref in self._new:
            self._edited[ref] = self._written(writer, ref, self._new[ref], (*came.badges, _EDITED), came.same_as)
        else:
            writer.keep(came)
        if former is not None and former.buffer is not None and former.buffer is not came.buffer:
            store.pool.release(former.buffer)

    @staticmethod
    def _written(
        writer: CaptureWriter,
        ref: TensorRef,
        tensor: torch.Tensor,
        badges: tuple[Badge, ...] = (),
        same_as: tuple[str, ...] = (),
    ) -> Capture:
        if ref.slot.is_gradient:
            return writer.gradient(ref, tensor, badges, same_as)
        return writer.activation(ref, tensor, badges)

    def _ref(self, leaf: str) -> TensorRef:
        event = self.event
        call = 0 if self._slot is Slot.PARAMETER_GRAD else event.call
        return TensorRef(event.path, self._slot, leaf, call, event.operation)
