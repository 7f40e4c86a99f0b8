"""Runs a model once with the real recorder on it, and reads what it kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import Capture, CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.pause import Gate
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import BadgeKind


@dataclass
class Seen:
    """What one step left behind."""

    store: CaptureStore
    order: list[Capture] = field(default_factory=list)

    def capture(self, path: str, slot: Slot, leaf: str, call: int = 0) -> Capture | None:
        with self.store.open(TensorRef(path, slot, leaf, call)) as (capture, _):
            return capture

    def tensor(self, path: str, slot: Slot, leaf: str, call: int = 0) -> torch.Tensor | None:
        with self.store.open(TensorRef(path, slot, leaf, call)) as (_, tensor):
            return None if tensor is None else tensor.clone()

    def value(self, path: str, slot: Slot, leaf: str, call: int = 0) -> object:
        tensor = self.tensor(path, slot, leaf, call)
        return None if tensor is None else tensor.tolist()

    def badges(self, path: str, slot: Slot, leaf: str, call: int = 0) -> list[BadgeKind]:
        capture = self.capture(path, slot, leaf, call)
        return [] if capture is None else [badge.kind for badge in capture.badges]

    def leaves(self, path: str, slot: Slot) -> list[str]:
        """Leaves of a slot that have a value."""
        return sorted(
            {c.ref.leaf for c in self.order if c.ref.path == path and c.ref.slot is slot and c.spec is not None}
        )


def step(
    model: nn.Module,
    run: Callable[[nn.Module], torch.Tensor],
    paths: tuple[str, ...] | None = None,
    gate: Gate | None = None,
    budget_bytes: int = 2**30,
    modes: Mapping[str, HookMode] | None = None,
) -> Seen:
    """Run `run(model).backward()` with every module (or `paths`) checked; then take all hooks off."""
    gate = gate or Gate()
    store = CaptureStore(BufferPool(budget_bytes))
    seen = Seen(store)
    recorder = Recorder(CaptureWriter(store, seen.order.append), gate)
    checked = {path: module for path, module in model.named_modules() if paths is None or path in paths}
    recorder.watch(checked, modes or {})
    recorder.begin_step(1)
    try:
        run(model).backward()
        recorder.complete_step()
    finally:
        recorder.end_step()
        recorder.watch({})
    return seen


def linear(weight: list[list[float]]) -> nn.Linear:
    """Return a Linear without bias and with this weight."""
    values = torch.tensor(weight)
    layer = nn.Linear(values.shape[1], values.shape[0], bias=False)
    with torch.no_grad():
        layer.weight.copy_(values)
    return layer
