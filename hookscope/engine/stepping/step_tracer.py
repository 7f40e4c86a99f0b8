"""Traces a step: what happened in which order, and whether to stop there.

It has light hooks of its own on all modules, checked or not, only while a step is traced; they copy nothing. They are
put on after the recorder's, so that a checked module's tensor is captured before the step stops at it; and what a
person makes of a tensor meanwhile is what they hand on. Runs on the thread that fires a hook; `begin_step` and the
moments of the step itself are on the main thread.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from operator import itemgetter
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from hookscope.engine.capture.graph_walk import edge_of, input_taps
from hookscope.engine.capture.hooks import (
    Arguments,
    Handle,
    StepHooks,
    hook_changing,
    on_accumulated,
)
from hookscope.engine.code.call_stack import LightStack, light_stack
from hookscope.engine.compat import next_sequence_number
from hookscope.engine.operations.operation_scopes import Given, OperationScope, OperationScopes
from hookscope.engine.stepping import handing_on
from hookscope.engine.stepping.at_hand import HandOn
from hookscope.engine.stepping.event_clock import EventClock
from hookscope.engine.stepping.stop_decision import StopDecision
from hookscope.engine.stepping.traced_calls import OutputTap, ShareTap, Tensors, TracedCall, TracedStacks
from hookscope.engine.tensor_tree import RebuiltArguments, argument_leaves, leaves, with_leaves
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.stops import EventKind, StepEvent

if TYPE_CHECKING:
    from torch.autograd.graph import Node

Listener = Callable[[int, StepEvent], None]


class StepTracer:
    """Traces the steps that are to be stepped through, or that a breakpoint may stop.

    Args:
        decide: Told of every event; stops there if need be.
        listener: Told of every event with its step, on the thread on which it happened.

    Attributes:
        stopped_s: How long steps have been stopped so far, all together, in seconds.
    """

    def __init__(self, decide: StopDecision, listener: Listener) -> None:
        self._decide = decide
        self._listener = listener
        self._hooks: list[Handle] = []
        self._step_hooks = StepHooks()
        self._stacks = TracedStacks()
        self._counts: dict[str, itertools.count[int]] = defaultdict(itertools.count)
        self._calls: list[TracedCall] = []
        self._numbers = itertools.count()
        self._clock = EventClock(None)
        self._scopes = OperationScopes(self)
        self.stopped_s = 0.0
        self._last_number = 0
        self._step = 0
        self._is_running = False

    @property
    def is_running(self) -> bool:
        """Whether a step is being traced."""
        return self._is_running

    def begin_step(
        self, step: int, modules: Mapping[str, nn.Module], operations: Mapping[str, nn.Module], device: torch.device
    ) -> None:
        """Trace a step; also in the middle of one, and then from the next call on.

        Args:
            step: Its number.
            modules: All modules that are traced.
            operations: Those of them whose operations a breakpoint may mean.
            device: Where the model runs.
        """
        self.end_step()
        self._step = step
        self._clock = EventClock(device)
        self._numbers = itertools.count()
        self._is_running = True
        for path, module in modules.items():
            self._hook(path, module)
        self._scopes.begin()
        self._scopes.set(operations)

    def loss(self, loss: torch.Tensor) -> None:
        """The loss is known."""
        self._tell(EventKind.LOSS, None, "", [("loss", loss)], handing_on.loss_stays)

    def end_backward(self) -> None:
        """Backward is over: calls without a gradient for their inputs are left now, the root last."""
        for call in reversed(self._calls):
            if call.is_entered and not call.is_left:
                self._leave_backward(call)

    def optimizer(self) -> None:
        """The optimizer is about to step."""
        self._tell(EventKind.OPTIMIZER, None, "", [], handing_on.nothing)

    def end_step(self) -> tuple[StepEvent, ...]:
        """Take all hooks off. Returns the step's events with the device's own times, if the device has such."""
        was_running, self._is_running = self._is_running, False
        self._scopes.set({})
        self._scopes.end()
        self._step_hooks.remove()
        for handle in self._hooks:
            handle.remove()
        self._hooks.clear()
        self._calls.clear()
        self._counts.clear()
        self._stacks = TracedStacks()
        return self._clock.device_times() if was_running else ()

    # -- forward, in hooks; see hooks.ChangingObserver ----------------------------------------------------------

    def replaced(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Open a call; the answer is what a person has made of its inputs."""
        if not self._is_running:
            return None
        open_calls = self._stacks.calls
        call = TracedCall(path, next(self._counts[path]), len(open_calls), next_sequence_number(), light_stack())
        open_calls.append(call)
        self._calls.append(call)
        given: Tensors = list(argument_leaves(args, kwargs))
        rebuild = partial(RebuiltArguments, args, kwargs)
        call.edited = self._tell(EventKind.FORWARD_ENTER, call, given[0][0] if given else "", given, rebuild)
        if call.edited is not None:
            args, kwargs = call.edited.args, call.edited.kwargs
        if torch.is_grad_enabled():
            for leaf, tensor in argument_leaves(args, kwargs) if call.edited is not None else given:
                edge = edge_of(tensor)
                if edge is not None:
                    call.input_edges.setdefault(edge, leaf)
        return None if call.edited is None else (args, kwargs)

    def returned(self, path: str, output: object) -> object | None:
        """Close a call, and await its gradients; the answer is what a person has made of its output."""
        call = self._stacks.pop(path)
        if call is None or not self._is_running:
            return None
        if call.edited is not None:
            call.edited.write_back()
            call.edited = None
        given: Tensors = list(leaves(output, "out"))
        if torch.is_grad_enabled():
            self._await_gradients(call, given)
        call.input_edges = {}
        rebuild = partial(with_leaves, output, "out")
        edited: object | None = self._tell(EventKind.FORWARD_LEAVE, call, given[0][0] if given else "", given, rebuild)
        return edited

    def _await_gradients(self, call: TracedCall, returned: Tensors) -> None:
        roots = []
        for leaf, tensor in returned:
            edge = edge_of(tensor)
            if edge is None:
                continue
            roots.append(edge[0])
            hook = self._step_hooks.before_leaf if tensor.is_leaf else self._step_hooks.before_node
            hook(edge[0], OutputTap(self._output_gradient, call, leaf, edge[1]))
        if call.input_edges and call.depth:  # the root is left at the end of backward, whatever its inputs are
            numbers: dict[Node, int] = {}
            for node, index, edge in input_taps(roots, call.input_edges, call.created_from):
                number = numbers.setdefault(node, len(numbers))
                tap = ShareTap(self._input_share, call, call.input_edges[edge], number, index)
                self._step_hooks.after_node(node, tap)

    # -- backward, in hooks -------------------------------------------------------------------------------------

    def _output_gradient(self, call: TracedCall, leaf: str, gradient: torch.Tensor) -> torch.Tensor | None:
        if not self._is_running or call.is_entered:
            return None
        call.is_entered = True
        new: torch.Tensor | None = self._tell(
            EventKind.BACKWARD_ENTER, call, leaf, [(leaf, gradient)], itemgetter(leaf)
        )
        return new

    def _input_share(
        self, call: TracedCall, leaf: str, node: int, share: torch.Tensor | None
    ) -> Mapping[int, torch.Tensor] | None:
        call.awaited_shares -= 1
        if not self._is_running:
            return None
        if share is not None:
            before = call.shares.get(leaf)
            call.shares[leaf] = share.detach().clone() if before is None else before + share
        if call.awaited_shares or call.is_left:
            return None
        return self._leave_backward(call, node)

    def _leave_backward(self, call: TracedCall, node: int | None = None) -> Mapping[int, torch.Tensor] | None:
        """Tell that backward has left a call; the answer is what a node is to pass on, by index.

        Args:
            call: The call.
            node: Number of the node that is passing on the last share; `None` when all of them have gone on.
        """
        call.is_left = True
        shares = list(call.shares.items())
        call.shares = {}
        new: Mapping[int, torch.Tensor] | None = self._tell(
            EventKind.BACKWARD_LEAVE,
            call,
            shares[0][0] if shares else "",
            shares,
            partial(handing_on.passed_on, call, node),
        )
        return new

    def _hook(self, path: str, module: nn.Module) -> None:
        with suppress(RuntimeError):  # TorchScript refuses hooks
            self._hooks.append(hook_changing(path, module, self))
        for name, parameter in module._parameters.items():
            if parameter is None or isinstance(parameter, UninitializedParameter):
                continue
            if parameter.requires_grad and parameter.is_leaf:
                self._hooks.append(on_accumulated(parameter, _Accumulated(self, path, name)))

    def accumulated(self, path: str, name: str, gradient: torch.Tensor) -> None:
        """A parameter has a gradient; what a person makes of it is written into it."""
        if not self._is_running:
            return
        call, tensors = self._last_call(path), [(name, gradient)]
        new = self._tell(EventKind.PARAMETER_GRADIENT, call, name, tensors, itemgetter(name), path)
        if new is not None:
            with torch.no_grad():
                gradient.copy_(new)

    def _last_call(self, path: str) -> TracedCall | None:
        return next((call for call in reversed(self._calls) if call.path == path), None)

    # -- operations, in hooks; see OperationListener ------------------------------------------------------------

    def opened(self, path: str) -> OperationScope | None:
        """Want the operations of a traced call."""
        calls = self._stacks.calls
        return OperationScope(path, calls[-1].index) if calls and calls[-1].path == path else None

    def ran(self, scope: OperationScope, name: str, value: object, given: Given, caller: FrameType) -> object | None:  # noqa: ARG002
        """An operation has returned: a breakpoint may stop there, and again when its gradient arrives."""
        calls = self._stacks.calls
        if not self._is_running or not calls or calls[-1].path != scope.path:
            return None
        call, operation = calls[-1], OperationRef(scope.path, name, scope.next_number(name)).text
        returned: Tensors = list(leaves(value, "out"))
        for leaf, tensor in returned if torch.is_grad_enabled() else ():
            edge = edge_of(tensor)
            if edge is not None:
                tap = OutputTap(partial(self._operation_gradient, operation), call, leaf, edge[1])
                self._step_hooks.before_node(edge[0], tap)
        writes = any(value is tensor for _, tensor in argument_leaves(*given))
        hand_on = partial(handing_on.written, operation) if writes else partial(with_leaves, value, "out")
        edited: object | None = self._tell_operation(EventKind.FORWARD_LEAVE, call, operation, returned, hand_on)
        return edited

    def _operation_gradient(
        self, operation: str, call: TracedCall, leaf: str, gradient: torch.Tensor
    ) -> torch.Tensor | None:
        if not self._is_running:
            return None
        tensors = [(leaf, gradient)]
        new: torch.Tensor | None = self._tell_operation(
            EventKind.BACKWARD_ENTER, call, operation, tensors, itemgetter(leaf)
        )
        return new

    def _tell_operation(
        self, kind: EventKind, call: TracedCall, operation: str, tensors: Tensors, hand_on: HandOn
    ) -> Any:
        """Let a breakpoint stop there. It is no event of the step's list, and has the number of the last one."""
        event = StepEvent(
            self._last_number, kind, call.path, call.index, call.depth + 1, 0.0, tensors[0][0], operation=operation
        )
        return self._pass(self._clock.stamp(event), tensors, call.stack, hand_on)

    # -- events -------------------------------------------------------------------------------------------------

    def _tell(
        self,
        kind: EventKind,
        call: TracedCall | None,
        leaf: str,
        tensors: Tensors,
        hand_on: HandOn,
        path: str | None = None,
    ) -> Any:
        """Tell of an event, and stop at it if need be; the answer is what goes on in place of the tensors."""
        where = path if path is not None else (call.path if call is not None else "")
        depth = call.depth if call is not None else _depth_of(where)
        self._last_number = next(self._numbers)
        event = self._clock.stamp(
            StepEvent(
                number=self._last_number,
                kind=kind,
                path=where,
                call=call.index if call is not None else 0,
                depth=depth + (kind is EventKind.PARAMETER_GRADIENT),
                time_s=0.0,
                leaf=leaf,
            )
        )
        self._listener(self._step, event)
        return self._pass(event, tensors, call.stack if call is not None else None, hand_on)

    def _pass(self, event: StepEvent, tensors: Tensors, stack: LightStack | None, hand_on: HandOn) -> Any:
        passed = self._decide.at(self._step, event, tensors, stack, hand_on)
        self._clock.leave_out(passed.stopped_s)
        self.stopped_s += passed.stopped_s
        return passed.handed_on


def _depth_of(path: str) -> int:
    return path.count(".") + 1 if path else 0


class _Accumulated:
    """Sees a parameter after a gradient was accumulated into it."""

    __slots__ = ("_name", "_path", "_tracer")

    def __init__(self, tracer: StepTracer, path: str, name: str) -> None:
        self._tracer = tracer
        self._path = path
        self._name = name

    def __call__(self, parameter: torch.Tensor) -> None:
        if parameter.grad is not None:
            self._tracer.accumulated(self._path, self._name, parameter.grad)
