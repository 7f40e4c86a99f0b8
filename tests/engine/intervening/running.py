"""Runs a model for one step with interventions and the real recorder on it, and reads what came of it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import nn

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.intervening.intervener import Intervener
from hookscope.engine.pause import Gate
from hookscope.protocol.hooks import HookMode, OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Intervention, InterventionStatus
from hookscope.protocol.tensors import BadgeKind


class Session:
    """A model with its recorder and its interventions."""

    def __init__(
        self,
        model: nn.Module,
        *interventions: Intervention,
        paths: Sequence[str] | None = None,
        modes: Mapping[str, HookMode] | None = None,
        operations: Sequence[OperationRef] = (),
    ) -> None:
        self.model = model
        self.modules = dict(model.named_modules())
        self.store = CaptureStore(BufferPool(2**30))
        self.writer = CaptureWriter(self.store, lambda _capture: None)
        self.recorder = Recorder(self.writer, Gate())
        self.intervener = Intervener(self.writer, self.store)
        watched = {path: module for path, module in self.modules.items() if paths is None or path in paths}
        self.recorder.watch(watched, modes or {})
        self.recorder.operations.watch(self.modules, operations)
        self.refused = self.intervener.set(interventions, self.modules)
        self.number = 0

    @contextmanager
    def step(self):
        self.number += 1
        self.intervener.begin_step(self.number)
        try:
            self.recorder.begin_step(self.number)
            yield self
            self.recorder.complete_step()
            self.intervener.complete_step()
        finally:
            self.recorder.end_step()
            self.intervener.end_step()

    def run(self, run: Callable[[nn.Module], torch.Tensor]) -> "Session":
        with self.step():
            run(self.model).backward()
        return self

    def close(self) -> None:
        self.recorder.watch({})
        self.recorder.operations.watch({}, ())
        self.intervener.set((), {})

    @property
    def status(self) -> InterventionStatus:
        (status,) = self.intervener.statuses()
        return status

    def capture(self, path: str, slot: Slot, leaf: str, call: int = 0, operation: str = "") -> Capture:
        with self.store.open(TensorRef(path, slot, leaf, call, operation)) as (capture, _):
            assert capture is not None
            return capture

    def value(self, path: str, slot: Slot, leaf: str, call: int = 0, operation: str = "") -> object:
        with self.store.open(TensorRef(path, slot, leaf, call, operation)) as (_, tensor):
            return None if tensor is None else tensor.tolist()

    def marked(self) -> dict[tuple[str, Slot, str, int], str]:
        """Which captures are said to be changed, and by what."""
        return {
            (capture.ref.path, capture.ref.slot, capture.ref.leaf, capture.ref.call): badge.detail
            for capture in self.store.newest()
            for badge in capture.badges
            if badge.kind is BadgeKind.CHANGED
        }


def gradients(model: nn.Module) -> dict[str, torch.Tensor | None]:
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def same(one: Mapping[str, torch.Tensor | None], other: Mapping[str, torch.Tensor | None]) -> bool:
    """Whether two sets of tensors are the same to the bit."""
    return one.keys() == other.keys() and all(
        (one[name] is None and other[name] is None)
        or (one[name] is not None and other[name] is not None and torch.equal(one[name], other[name]))
        for name in one
    )


HOOK_DICTS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_forward_hooks_always_called",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks_with_kwargs",
)


def hooks_on(model: nn.Module) -> int:
    """How many hooks are on modules and parameters of a model."""
    on_modules = sum(len(getattr(module, name)) for module in model.modules() for name in HOOK_DICTS)
    on_parameters = sum(
        getattr(parameter, name, None) is not None
        for parameter in model.parameters()
        for name in ("_backward_hooks", "_post_accumulate_grad_hooks")
    )
    return on_modules + on_parameters
