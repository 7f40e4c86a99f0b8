"""Finds where the first NaN or infinity of a step is born: finite in, not finite out.

The forward pass and the loss are watched operation by operation; the backward pass node by node, each node known by the
operation that made it. An infinity that an operation was given as a constant, as masks are, is no birth, but the NaN
that a softmax makes of a row of them is. Births count only if harm is done: the loss, an output or a gradient is not
finite.

The method is that of a bisection by a person with prints, done in one step. It is slow (each tensor is looked at), and
runs only when asked for, on the main thread; in backward on the thread on which autograd runs a node.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.hooks import StepHooks
from hookscope.engine.nonfinite.finiteness import NonFiniteCounts, count_non_finite, numbers_are_finite
from hookscope.engine.operations.operation_names import operation_name
from hookscope.engine.operations.operation_scopes import Given, OperationScope, OperationScopes, frames_in_call
from hookscope.engine.operations.operation_trace import place_of
from hookscope.engine.pause import Gate
from hookscope.engine.tensor_tree import argument_leaves, leaves
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.stops import NonFiniteOrigin, OriginPhase

if TYPE_CHECKING:
    from torch.autograd.graph import Node

_MAX_NODES = 1000
"""Nodes of one operation that are watched."""


@dataclass(frozen=True)
class _Place:
    """An operation of one call."""

    path: str
    call: int
    operation: str
    file: str
    line: int
    code: str
    in_loss: bool = False


@dataclass
class _Birth:
    """A non-finite value, and the operation it came from."""

    place: _Place
    phase: OriginPhase
    counts: NonFiniteCounts
    refs: tuple[TensorRef, ...] = ()


@dataclass
class _Step:
    """What was seen in one step."""

    births: list[_Birth] = field(default_factory=list)
    harm: NonFiniteCounts = field(default_factory=NonFiniteCounts)


class NonFiniteFinder:
    """Watches steps.

    Args:
        model: The model.
        writer: Captures the tensors at a birth.
        gate: Looked at after each operation.
    """

    def __init__(self, model: nn.Module, writer: CaptureWriter, gate: Gate) -> None:
        self._model = model
        self._modules = dict(model.named_modules())
        self._writer = writer
        self._gate = gate
        self._scopes = OperationScopes(self)
        self._hooks = StepHooks()
        self._counts: Counter[str] = Counter()
        self._known: set[Node] = set()
        self._seen = _Step()
        self._loss_numbers: Counter[str] = Counter()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the step that runs in the block."""
        self._seen = _Step()
        self._counts.clear()
        self._loss_numbers.clear()
        self._look_at_parameters()
        self._scopes.begin()
        self._scopes.set(self._modules)
        try:
            yield
        finally:
            self._scopes.set({})
            self._scopes.end()
            self._hooks.remove()
            self._known.clear()

    @contextmanager
    def watching_loss(self, output: object) -> Iterator[None]:
        """Look at what the model returned, and watch the operations of the loss, in the block."""
        self._add_harm(count_non_finite(tensor for _, tensor in leaves(output, "out")))
        with _LossMode(self):
            yield

    def origin(self, step: int, loss: torch.Tensor) -> NonFiniteOrigin | None:
        """Return where it began, if the step did harm; called after backward, before gradients are cleared."""
        self._add_harm(count_non_finite([loss]))
        self._add_harm(count_non_finite(parameter.grad for parameter in self._model.parameters()))
        if not self._seen.harm.any:
            return None
        if not self._seen.births:
            return NonFiniteOrigin(
                step, OriginPhase.FORWARD, "", type(self._model).__name__, 0, "", self._seen.harm.words
            )
        birth = self._seen.births[0]
        place = birth.place
        return NonFiniteOrigin(
            step=step,
            phase=birth.phase,
            path=place.path,
            class_name=type(self._modules.get(place.path, self._model)).__name__,
            call=place.call,
            operation=place.operation,
            what=birth.counts.words,
            file=place.file,
            line=place.line,
            code=place.code,
            refs=birth.refs,
        )

    # -- forward, in hooks --------------------------------------------------------------------------------------

    def opened(self, path: str) -> OperationScope:
        """Want every call. See `OperationListener`."""
        index = self._counts[path]
        self._counts[path] += 1
        return OperationScope(path, index)

    def ran(self, scope: OperationScope, name: str, value: object, given: Given, caller: FrameType) -> None:
        """Look at an operation of a module. See `OperationListener`."""
        operation = OperationRef(scope.path, name, scope.next_number(name)).text
        place = _Place(scope.path, scope.index, operation, *place_of(frames_in_call(caller)))
        self._look(place, OriginPhase.FORWARD, value, given, name)
        self._gate.pass_safe_point()

    def ran_in_loss(self, name: str, value: object, given: Given, caller: FrameType) -> None:
        """Look at an operation of the loss."""
        number = self._loss_numbers[name]
        self._loss_numbers[name] += 1
        frames = []
        frame: FrameType | None = caller
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        place = _Place("", 0, f"{name}:{number}", *place_of(frames), in_loss=True)
        self._look(place, OriginPhase.LOSS, value, given, name)

    def _look(self, place: _Place, phase: OriginPhase, value: object, given: Given, name: str) -> None:
        returned = [tensor for _, tensor in leaves(value, "out")]
        self._watch_backward(place, returned)
        if self._seen.births:
            return
        counts = count_non_finite(returned)
        if not counts.any:
            return
        in_place = name.endswith("_") or name == "setitem"
        tensors = [tensor for _, tensor in argument_leaves(*given) if not (in_place and tensor is given[0][0])]
        before = count_non_finite(tensors)
        finite = not before.any and numbers_are_finite((*given[0], *given[1].values()))
        if finite or (counts.nan and not before.nan):
            self._seen.births.append(_Birth(place, phase, counts, self._show(place, tensors, returned)))

    def _look_at_parameters(self) -> None:
        for path, module in self._modules.items():
            for name, parameter in module._parameters.items():
                if parameter is None or isinstance(parameter, nn.parameter.UninitializedParameter):
                    continue
                counts = count_non_finite([parameter])
                if counts.any:
                    ref = TensorRef(path, Slot.PARAMETER, name)
                    place = _Place(path, 0, name, "", 0, "")
                    self._seen.births.append(_Birth(place, OriginPhase.PARAMETER, counts, (ref,)))
                    return

    def look_at_inputs(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Look at what the model is called with."""
        if self._seen.births:
            return
        for leaf, tensor in argument_leaves(args, kwargs):
            counts = count_non_finite([tensor])
            if counts.any:
                ref = TensorRef("", Slot.INPUT, leaf)
                self._writer.activation(ref, tensor)
                self._seen.births.append(_Birth(_Place("", 0, leaf, "", 0, ""), OriginPhase.INPUT, counts, (ref,)))
                return

    # -- backward, in hooks -------------------------------------------------------------------------------------

    def _watch_backward(self, place: _Place, returned: list[torch.Tensor]) -> None:
        """Hang a tap on every node that the operation made: those that no earlier operation is known by."""
        todo = [tensor.grad_fn for tensor in returned if tensor.requires_grad and tensor.grad_fn is not None]
        for _ in range(_MAX_NODES):
            if not todo:
                return
            node = todo.pop()
            if node is None or node in self._known or not node.next_functions:
                continue
            self._known.add(node)
            self._hooks.after_node(node, _NodeTap(self, place))
            todo.extend(following for following, _ in node.next_functions if following is not None)

    def passed(self, place: _Place, passed_on: tuple[torch.Tensor | None, ...], received: Any) -> None:
        """Look at what a node received and passes on."""
        if self._seen.births or self._seen.harm.any:
            return
        counts = count_non_finite(passed_on)
        if counts.any and not count_non_finite(received).any:
            refs = self._show_gradients(place, received, passed_on)
            self._seen.births.append(_Birth(place, OriginPhase.BACKWARD, counts, refs))

    # -- what is shown ------------------------------------------------------------------------------------------

    def _add_harm(self, counts: NonFiniteCounts) -> None:
        if counts.any and not self._seen.harm.any:
            self._seen.harm = counts

    def _show(self, place: _Place, given: list[torch.Tensor], returned: list[torch.Tensor]) -> tuple[TensorRef, ...]:
        refs = []
        for slot, name, tensors in ((Slot.INPUT, "args", given), (Slot.OUTPUT, "out", returned)):
            for index, tensor in enumerate(tensors):
                ref = TensorRef(place.path, slot, f"{name}.{index}", place.call, place.operation)
                self._writer.activation(ref, tensor)
                refs.append(ref)
        return tuple(refs)

    def _show_gradients(self, place: _Place, received: Any, passed_on: Any) -> tuple[TensorRef, ...]:
        refs = []
        for slot, name, tensors in ((Slot.GRAD_OUTPUT, "out", received), (Slot.GRAD_INPUT, "args", passed_on)):
            for index, tensor in enumerate(tensors):
                if tensor is not None:
                    ref = TensorRef(place.path, slot, f"{name}.{index}", place.call, place.operation)
                    self._writer.gradient(ref, tensor)
                    refs.append(ref)
        return tuple(refs)


class _NodeTap:
    """Sees what a node of an operation receives and passes on."""

    __slots__ = ("_finder", "_place")

    def __init__(self, finder: NonFiniteFinder, place: _Place) -> None:
        self._finder = finder
        self._place = place

    def __call__(self, passed_on: tuple[torch.Tensor | None, ...], received: object) -> None:
        self._finder.passed(self._place, passed_on, received)


class _LossMode(TorchFunctionMode):
    """Sees the operations of the loss."""

    def __init__(self, finder: NonFiniteFinder) -> None:
        super().__init__()
        self._finder = finder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = operation_name(func)
        if name is not None:
            self._finder.ran_in_loss(name, result, (args, kwargs or {}), sys._getframe(1))
        return result
