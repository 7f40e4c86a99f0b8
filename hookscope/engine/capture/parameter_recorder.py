"""Captures parameters and their gradients.

Reads only `Module._parameters`: `getattr` may run a parametrization's code.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.hooks import Handle, on_accumulated
from hookscope.engine.pause import Gate
from hookscope.engine.specs import spec_of
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, TensorSpec

_UNINITIALIZED = Badge(BadgeKind.UNINITIALIZED)


@dataclass
class _Watched:
    """One parameter of a checked module; `handle` is on it while it can get a gradient."""

    parameter: nn.Parameter
    spec: TensorSpec
    reference: TensorRef
    gradient: TensorRef
    handle: Handle | None = None


class ParameterRecorder:
    """Watches the parameters of the checked modules. Its hooks stay from step to step, as they cost nothing between."""

    def __init__(self, writer: CaptureWriter, gate: Gate) -> None:
        self._writer = writer
        self._gate = gate
        self._watched: dict[TensorRef, _Watched] = {}
        self._awaited: set[TensorRef] = set()
        self._with_gradient: set[str] = set()
        self.lazy: set[str] = set()
        """Modules whose parameters are made in their first call, which has not come yet."""
        self._running = False

    def watch(self, modules: Mapping[str, nn.Module]) -> None:
        """Watch exactly these modules' own parameters. On the main thread."""
        found = {
            TensorRef(path, Slot.PARAMETER, name): parameter
            for path, module in modules.items()
            for name, parameter in module._parameters.items()
            if parameter is not None
        }
        for ref in [ref for ref, watched in self._watched.items() if found.get(ref) is not watched.parameter]:
            _unhook(self._watched.pop(ref))
        for ref, parameter in found.items():
            if ref not in self._watched:
                gradient = TensorRef(ref.path, Slot.PARAMETER_GRAD, ref.leaf)
                self._watched[ref] = _Watched(parameter, spec_of(parameter), ref, gradient)

    def begin_step(self) -> None:
        """Capture every parameter, and await its gradient."""
        self._running = True
        self._awaited.clear()
        self._with_gradient.clear()
        self.lazy.clear()
        for watched in self._watched.values():
            parameter = watched.parameter
            if isinstance(parameter, UninitializedParameter):
                self._writer.absent(watched.reference, _UNINITIALIZED)
                self.lazy.add(watched.reference.path)
                continue
            if not _describes(watched.spec, parameter):
                watched.spec = spec_of(parameter)
            self._writer.parameter(watched.reference, parameter, watched.spec)
            self._await_gradient(watched)

    def initialized(self, path: str) -> None:
        """Await the gradients of the parameters that a lazy module has just made. Called in a hook."""
        self.lazy.discard(path)
        for watched in list(self._watched.values()):
            if watched.reference.path == path and watched.handle is None:
                self._await_gradient(watched)

    def has_gradient(self, path: str) -> bool:
        """Whether a parameter of a module's own got a gradient in this step."""
        return path in self._with_gradient

    def complete_step(self) -> None:
        """Say of which parameters no gradient came."""
        for watched in self._watched.values():
            if watched.reference.path in self.lazy:
                self._writer.absent(watched.gradient, _UNINITIALIZED)
        for ref in sorted(self._awaited, key=lambda ref: (ref.path, ref.leaf)):
            self._writer.absent(ref, Badge(BadgeKind.NO_GRADIENT_REACHED))

    def end_step(self) -> None:
        """Gradients that arrive from here on are not this step's."""
        self._running = False

    def _await_gradient(self, watched: _Watched) -> None:
        parameter = watched.parameter
        if not parameter.requires_grad:
            _unhook(watched)
            self._writer.absent(watched.gradient, Badge(BadgeKind.FROZEN))
        elif parameter.is_leaf:
            if watched.handle is None:
                watched.handle = on_accumulated(parameter, _ParameterGradient(self, watched.gradient))
            self._awaited.add(watched.gradient)

    def accumulated(self, ref: TensorRef, gradient: torch.Tensor) -> None:
        """Capture the gradient that a parameter holds now. Called in a hook.

        Raises:
            StepAborted: See `Gate.pass_safe_point`.
        """
        if self._running:
            self._awaited.discard(ref)
            self._with_gradient.add(ref.path)
            self._writer.gradient(ref, gradient)
            self._gate.pass_safe_point()


class _ParameterGradient:
    """Sees a parameter after a gradient was accumulated into it."""

    __slots__ = ("_recorder", "_ref")

    def __init__(self, recorder: ParameterRecorder, ref: TensorRef) -> None:
        self._recorder = recorder
        self._ref = ref

    def __call__(self, parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            self._recorder.accumulated(self._ref, parameter.grad)


def _describes(spec: TensorSpec, parameter: nn.Parameter) -> bool:
    return spec.shape == parameter.shape and spec == spec_of(parameter)


def _unhook(watched: _Watched) -> None:
    if watched.handle is not None:
        watched.handle.remove()
        watched.handle = None
