"""Writes captures: numbers them, copies values, and turns whatever cannot be copied into a badge."""

import itertools
from collections.abc import Callable

import torch

from hookscope.engine.capture.buffers import Buffer, NoDataError, OverBudgetError, WrappedError
from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.capture.wrapped import plain_value
from hookscope.engine.specs import spec_of
from hookscope.engine.tensor_tree import Rest
from hookscope.engine.value_words import describe_all
from hookscope.engine.views import build_view
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, TensorSpec
from hookscope.protocol.views import StatisticsRequest

Listener = Callable[[Capture], None]


class CaptureWriter:
    """What hooks write with, on whichever thread fired them. No method raises.

    Args:
        store: Where captures are kept.
        listener: Told of every capture, on the thread that made it.

    Attributes:
        marks: What is said besides of the next captures of some refs: who has changed the value before it is captured.
    """

    def __init__(self, store: CaptureStore, listener: Listener) -> None:
        self.step = 0
        self.marks: dict[TensorRef, Badge] = {}
        self._store = store
        self._pool = store.pool
        self._listener = listener
        self._order = itertools.count()

    def begin_step(self, step: int) -> None:
        """Number from 0 again."""
        self.step = step
        self._order = itertools.count()
        self._store.begin_step(step)

    def end_step(self) -> None:
        """Let go of the user's tensors."""
        self._pool.end_step()

    def activation(self, ref: TensorRef, tensor: torch.Tensor, badges: tuple[Badge, ...] = ()) -> Capture:
        """Capture a tensor of the forward pass."""
        return self._copied(ref, tensor, self._pool.copy_activation, badges, ())

    def gradient(
        self, ref: TensorRef, tensor: torch.Tensor, badges: tuple[Badge, ...] = (), same_as: tuple[str, ...] = ()
    ) -> Capture:
        """Capture a gradient."""
        return self._copied(ref, tensor, self._pool.copy_gradient, badges, same_as)

    def parameter(self, ref: TensorRef, parameter: torch.Tensor, spec: TensorSpec) -> Capture:
        """Capture a parameter without a copy: it is read where it is until something is about to write to it."""
        capture = Capture(ref, self.step, next(self._order), spec, badges=self._marked(ref, ()))
        capture.live = parameter
        return self.keep(capture)

    def absent(
        self, ref: TensorRef, badge: Badge, same_as: tuple[str, ...] = (), spec: TensorSpec | None = None
    ) -> Capture:
        """Say why there is no value."""
        return self.keep(Capture(ref, self.step, next(self._order), spec, None, (badge,), same_as))

    def not_tensors(self, call: Call, slot: Slot, rest: Rest) -> None:
        """Say in words what a call has that is no tensor; nothing of it is kept."""
        for leaf, text in describe_all(rest):
            ref = TensorRef(call.path, slot, leaf, call.index, call.operation)
            badges = (Badge(BadgeKind.NOT_A_TENSOR, text), *call.badges)
            self.keep(Capture(ref, self.step, next(self._order), None, None, badges))

    def failed(self, ref: TensorRef, error: Exception) -> Capture:
        """Say that a fault of ours cost a value."""
        return self.absent(ref, _fault(error))

    def keep(self, capture: Capture) -> Capture:
        """Keep a capture, or one that got a further badge."""
        self._store.add(capture)
        self._listener(capture)
        return capture

    def _copied(
        self,
        ref: TensorRef,
        tensor: torch.Tensor,
        copy: Callable[[torch.Tensor], Buffer],
        badges: tuple[Badge, ...],
        same_as: tuple[str, ...],
    ) -> Capture:
        try:
            buffer = copy(tensor)
        except WrappedError:
            return self._unwrapped(ref, tensor, badges, same_as)
        except Exception as error:
            return self._not_copied(ref, tensor, error, badges, same_as)
        capture = Capture(ref, self.step, next(self._order), buffer.spec, buffer, self._marked(ref, badges), same_as)
        self._store.add(capture)
        self._listener(capture)
        return capture

    def _marked(self, ref: TensorRef, badges: tuple[Badge, ...]) -> tuple[Badge, ...]:
        mark = self.marks.get(ref) if self.marks else None
        if mark is None:
            return badges
        return (*(badge for badge in badges if badge.kind is not mark.kind), mark)

    def _unwrapped(
        self, ref: TensorRef, tensor: torch.Tensor, badges: tuple[Badge, ...], same_as: tuple[str, ...]
    ) -> Capture:
        try:
            value, badge = plain_value(tensor)
        except Exception as error:
            return self._not_copied(ref, tensor, error, badges, same_as)
        return self._copied(ref, value, self._pool.copy_activation, (*badges, badge), same_as)

    def mark_overwritten(self) -> None:
        """Say of which outputs a later operation has overwritten the original."""
        overwritten = self._pool.overwritten()
        if overwritten:
            for capture in self._store.newest():
                if capture.ref.slot is Slot.OUTPUT and capture.buffer in overwritten:
                    capture.badges = (*capture.badges, Badge(BadgeKind.MODIFIED_AFTERWARDS))
                    self._listener(capture)

    def _not_copied(
        self,
        ref: TensorRef,
        tensor: torch.Tensor,
        error: Exception,
        badges: tuple[Badge, ...],
        same_as: tuple[str, ...],
    ) -> Capture:
        badges = self._marked(ref, badges)
        capture = Capture(ref, self.step, next(self._order), None, None, badges, same_as)
        try:
            capture.spec = spec_of(tensor)
            if isinstance(error, OverBudgetError):
                badge = Badge(BadgeKind.OVER_BUDGET)
                capture.statistics = build_view(tensor.detach(), StatisticsRequest(sampled=True))
            elif isinstance(error, NoDataError):
                badge = Badge(BadgeKind.NO_DATA, str(error))
            else:
                badge = _fault(error)
        except Exception as second:
            badge = _fault(second)
        capture.badges = (*badges, badge)
        return self.keep(capture)


def _fault(error: Exception) -> Badge:
    return Badge(BadgeKind.CAPTURE_FAILED, f"{type(error).__name__}: {error}")
