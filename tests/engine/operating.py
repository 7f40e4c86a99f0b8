"""Models of one function each, with some of their operations checked, and what is seen of them."""

from collections.abc import Callable, Iterable

import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.operations.operation_trace import OperationTrace
from hookscope.engine.pause import Gate
from hookscope.protocol.hooks import OperationInfo, OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import BadgeKind

Forward = Callable[..., object]


class Running(nn.Module):
    """A module whose forward is any function of itself and its inputs."""

    def __init__(self, forward: Forward, **children: nn.Module) -> None:
        super().__init__()
        self._own_forward = forward
        for name, child in children.items():
            self.add_module(name, child)

    def forward(self, *args: object) -> object:
        return self._own_forward(self, *args)


def traced(model: nn.Module, path: str, *inputs: torch.Tensor) -> list[OperationInfo]:
    with OperationTrace(path, model.get_submodule(path), Gate()) as trace:
        model(*inputs)
    return trace.operations


def names(model: nn.Module, path: str, *inputs: torch.Tensor) -> list[str]:
    return [operation.ref.text for operation in traced(model, path, *inputs)]


class Session:
    """A model with some of its operations checked, and what is seen of them."""

    def __init__(self, model: nn.Module, checked: Iterable[str], path: str = "", gate: Gate | None = None) -> None:
        self.path = path
        self.model = model
        self.store = CaptureStore(BufferPool(2**30))
        self.recorder = Recorder(CaptureWriter(self.store, lambda _capture: None), gate or Gate())
        self.check(*checked)

    def check(self, *checked: str) -> None:
        parts = [text.partition(":") for text in checked]
        refs = [OperationRef(self.path, name, int(number)) for name, _, number in parts]
        self.recorder.operations.watch(dict(self.model.named_modules()), refs)

    def step(self, run: Callable[[nn.Module], torch.Tensor], number: int = 1) -> "Session":
        self.recorder.begin_step(number)
        try:
            run(self.model).backward()
            self.recorder.complete_step()
        finally:
            self.recorder.end_step()
        return self

    def value(self, slot: Slot, operation: str, leaf: str = "out", call: int = 0) -> object:
        with self.store.open(TensorRef(self.path, slot, leaf, call, operation)) as (_, tensor):
            return None if tensor is None else tensor.tolist()

    def badges(self, slot: Slot, operation: str, leaf: str = "out", call: int = 0) -> list[BadgeKind]:
        with self.store.open(TensorRef(self.path, slot, leaf, call, operation)) as (capture, _):
            return [] if capture is None else [badge.kind for badge in capture.badges]


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor([float(value) for value in values], requires_grad=True)


def no_trace_on(model: nn.Module) -> bool:
    """Whether no hook is on a model, and no mode active."""
    hooks = [
        getattr(module, name)
        for module in model.modules()
        for name in (
            "_forward_hooks",
            "_forward_pre_hooks",
            "_forward_hooks_always_called",
            "_forward_hooks_with_kwargs",
        )
    ]
    return not any(hooks) and not _get_current_function_mode_stack()
