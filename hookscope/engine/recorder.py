"""Turns firings of hooks into captures: inputs, outputs, grad_output, this call's share of grad_input, parameters.

Runs inside hooks, on the thread that fired them. It never raises into the model (a fault of ours becomes a badge), with
one exception made on purpose: `StepAborted` at a safe point. What it hands to torch holds a call and a leaf's name,
never a node or a user's tensor, so a step leaves nothing alive.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from hookscope.engine.buffers import Buffer, NoDataError, OverBudgetError
from hookscope.engine.calls import Call, CallStacks
from hookscope.engine.captures import Capture, CaptureStore
from hookscope.engine.compat import base_of, inside_backward, next_sequence_number, version_of
from hookscope.engine.gradient_taps import BaseGradient, InputShare, OutputGradient, ParameterGradient
from hookscope.engine.graph_walk import Edge, edge_of, input_taps
from hookscope.engine.hooks import StepHooks
from hookscope.engine.pause import Gate
from hookscope.engine.specs import spec_of
from hookscope.engine.tensor_tree import argument_leaves, leaves
from hookscope.protocol.events import Phase, StepProgress
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, TensorSpec

Listener = Callable[[Capture], None]


class Recorder:
    """Records one step after the other.

    Args:
        store: Where captures are kept.
        gate: Looked at in every hook.
        listener: Told of every capture, on the thread that made it.
    """

    def __init__(self, store: CaptureStore, gate: Gate, listener: Listener) -> None:
        self.step = 0
        self._running = False
        self._phase = Phase.FORWARD
        self._fired = 0
        self._last_path = ""
        self._store = store
        self._gate = gate
        self._listener = listener
        self._order = itertools.count()
        self._hooks = StepHooks()
        self._counts: Counter[str] = Counter()
        self._calls: list[Call] = []
        self._modules: Mapping[str, nn.Module] = {}
        self._awaited_parameters: set[tuple[str, str]] = set()
        self._stacks = CallStacks()

    # -- the step's frame, on the main thread -------------------------------------------------------------------

    def begin_step(self, step: int, modules: Mapping[str, nn.Module]) -> None:
        """Open a step: nothing of the last one is referred to any more, and the parameters' hooks are on."""
        self.end_step()
        self.step = step
        self._order = itertools.count()
        self._counts.clear()
        self._store.begin_step(step)
        self._stacks = CallStacks()
        self.begin_phase(Phase.FORWARD)
        self._modules = dict(modules)
        self._running = True
        for path, module in modules.items():
            self._record_parameters(path, module)

    def begin_phase(self, phase: Phase) -> None:
        """Say where the step is, for progress."""
        self._phase = phase
        self._fired = 0

    def progress(self) -> StepProgress | None:
        """Say how many checked modules have fired in this phase; `None` between steps. Called on any thread."""
        if not self._running:
            return None
        total = len(self._modules)
        return StepProgress(self.step, self._phase, min(self._fired, total), total, self._last_path)

    def complete_step(self) -> None:
        """Say, for everything that was awaited and did not come, why it is absent. Called after a whole backward."""
        for path in self._modules:
            if not self._counts[path]:
                self._absent(TensorRef(path, Slot.OUTPUT, "out"), Badge(BadgeKind.NEVER_CALLED))
        for call in self._calls:
            for leaf in sorted(call.awaited_outputs):
                self._absent(
                    TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index), Badge(BadgeKind.NO_GRADIENT_REACHED)
                )
            for leaf in call.shares.keys() - call.arrived:
                self._absent(
                    TensorRef(call.path, Slot.GRAD_INPUT, leaf, call.index), Badge(BadgeKind.NO_GRADIENT_REACHED)
                )
        for path, name in sorted(self._awaited_parameters):
            self._absent(TensorRef(path, Slot.PARAMETER_GRAD, name), Badge(BadgeKind.NO_GRADIENT_REACHED))

    def end_step(self) -> None:
        """Take the step's hooks off and let go of the user's tensors, however the step ended."""
        self._running = False
        self._hooks.remove()
        self._calls.clear()
        self._awaited_parameters.clear()
        self._store.pool.end_step()

    # -- forward ------------------------------------------------------------------------------------------------

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Capture the inputs and note where their gradients will leave. See `hooks.Observer`."""
        call = Call(path, self._counts[path], next_sequence_number())
        self._counts[path] += 1
        self._calls.append(call)
        self._stacks.push(call)
        if inside_backward():
            call.badges = (Badge(BadgeKind.RECOMPUTED),)
        try:
            gradients = torch.is_grad_enabled()
            for leaf, tensor in argument_leaves(args, kwargs):
                capture = self._capture(
                    TensorRef(path, Slot.INPUT, leaf, call.index), tensor, self._store.pool.copy_activation, call.badges
                )
                call.inputs.append((tensor, version_of(tensor), capture))
                edge = edge_of(tensor) if gradients else None
                if edge is not None:
                    call.input_edges.setdefault(edge, []).append(leaf)
        except Exception as error:
            self._failed(TensorRef(path, Slot.INPUT, "args", call.index), error)
        self._gate.pass_safe_point()

    def left(self, path: str, output: object) -> None:
        """Capture the outputs and put hooks where gradients will pass. See `hooks.Observer`."""
        call, abandoned = self._stacks.pop(path)
        for lost in abandoned:
            self._absent(TensorRef(lost.path, Slot.OUTPUT, "out", lost.index), Badge(BadgeKind.DID_NOT_RETURN))
        if call is None:  # checked while it was running: its next call is the first that is seen whole
            return
        self._fired += 1
        self._last_path = path
        try:
            self._mark_modified_inputs(call)
            self._capture_outputs(call, output)
        except Exception as error:
            self._failed(TensorRef(path, Slot.OUTPUT, "out", call.index), error)
        finally:
            call.inputs.clear()
            call.input_edges = {}
        self._gate.pass_safe_point()

    def _capture_outputs(self, call: Call, output: object) -> None:
        edges: list[Edge] = []
        gradients = torch.is_grad_enabled()
        no_gradient = BadgeKind.OUTPUT_NEEDS_NO_GRAD if gradients else BadgeKind.NO_GRAD_MODE
        for leaf, tensor in leaves(output, "out"):
            self._capture(
                TensorRef(call.path, Slot.OUTPUT, leaf, call.index),
                tensor,
                self._store.pool.copy_activation,
                call.badges,
            )
            edge = edge_of(tensor) if gradients else None
            if edge is None:
                self._absent(TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index), Badge(no_gradient))
                continue
            edges.append(edge)
            call.awaited_outputs.add(leaf)
            self._hooks.on_edge(edge, OutputGradient(self, call, leaf))
            self._watch_base(call, leaf, tensor, edge)
        self._watch_inputs(call, edges, gradients)

    def _watch_base(self, call: Call, leaf: str, tensor: torch.Tensor, edge: Edge) -> None:
        """Await the gradient at a view's base too: it is all that is left when the view is modified in place."""
        base = base_of(tensor)
        base_edge = edge_of(base) if base is not None else None
        if base is None or base_edge is None or base_edge[0] is edge[0]:
            return
        geometry = (tensor.size(), tensor.stride(), tensor.storage_offset() - base.storage_offset())
        self._hooks.on_edge(base_edge, BaseGradient(self, call, leaf, geometry, tensor, version_of(tensor)))

    def _watch_inputs(self, call: Call, output_edges: list[Edge], gradients: bool) -> None:
        watched = {leaf for found in call.input_edges.values() for leaf in found}
        reason = BadgeKind.INPUT_NEEDS_NO_GRAD if gradients else BadgeKind.NO_GRAD_MODE
        for _, _, capture in call.inputs:
            if capture.ref.leaf not in watched:
                self._absent(TensorRef(call.path, Slot.GRAD_INPUT, capture.ref.leaf, call.index), Badge(reason))
        reached: set[Edge] = set()
        for edge in output_edges:
            if edge in call.input_edges and edge not in reached:
                reached.add(edge)
                found = call.input_edges[edge]
                call.shares[found[0]] = None
                self._hooks.on_edge(edge, InputShare(self, call, tuple(found), (Badge(BadgeKind.PASS_THROUGH),)))
        if call.input_edges:
            for node, index, edge in input_taps(
                [node for node, _ in output_edges], call.input_edges, call.created_from
            ):
                reached.add(edge)
                found = call.input_edges[edge]
                call.shares[found[0]] = None
                self._hooks.on_share(node, index, InputShare(self, call, tuple(found), ()))
        for edge, found in call.input_edges.items():
            if edge not in reached:
                ref = TensorRef(call.path, Slot.GRAD_INPUT, found[0], call.index)
                self._absent(ref, Badge(BadgeKind.NO_PATH_TO_INPUT), tuple(found[1:]))

    def _mark_modified_inputs(self, call: Call) -> None:
        for tensor, version, capture in call.inputs:
            if version is not None and version_of(tensor) != version:
                capture.badges = (*capture.badges, Badge(BadgeKind.MODIFIED_IN_PLACE))
                self._listener(capture)

    # -- backward -----------------------------------------------------------------------------------------------

    def output_gradient(self, call: Call, leaf: str, gradient: torch.Tensor | None, badges: tuple[Badge, ...]) -> None:
        """Capture a grad_output, or say that none came; the first word for a leaf counts. See `GradientSink`."""
        if leaf not in call.awaited_outputs:
            return
        call.awaited_outputs.discard(leaf)
        self._fired += 1
        self._last_path = call.path
        ref = TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index)
        if gradient is None:
            self._absent(ref, Badge(BadgeKind.NO_GRADIENT_REACHED))
        else:
            self._capture(ref, gradient, self._store.pool.copy_gradient, (*call.badges, *badges))
        self._gate.pass_safe_point()

    def input_share(self, call: Call, found: tuple[str, ...], share: torch.Tensor, badges: tuple[Badge, ...]) -> None:
        """Capture this call's share of an input's gradient; what several nodes pass on adds up. See `GradientSink`."""
        leaf = found[0]
        ref = TensorRef(call.path, Slot.GRAD_INPUT, leaf, call.index)
        before = call.shares.get(leaf)
        try:
            total = share if before is None else before.tensor + share
        except Exception as error:
            self._failed(ref, error)
            return
        capture = self._capture(ref, total, self._store.pool.copy_gradient, (*call.badges, *badges), found[1:])
        call.shares[leaf] = capture.buffer
        call.arrived.add(leaf)
        self._gate.pass_safe_point()

    # -- parameters ---------------------------------------------------------------------------------------------

    def _record_parameters(self, path: str, module: nn.Module) -> None:
        # Only the dict is read: getattr may run a parametrization's code.
        for name, parameter in module._parameters.items():
            if parameter is None:
                continue
            ref = TensorRef(path, Slot.PARAMETER, name)
            capture = Capture(ref, self.step, next(self._order), spec_of(parameter))
            if isinstance(parameter, nn.parameter.UninitializedParameter):
                capture.badges = (Badge(BadgeKind.NO_DATA, "not initialised before the first step"),)
            else:
                capture.live = parameter
            self._keep(capture)
            gradient_ref = TensorRef(path, Slot.PARAMETER_GRAD, name)
            if not parameter.requires_grad:
                self._absent(gradient_ref, Badge(BadgeKind.FROZEN))
            elif parameter.is_leaf:
                self._awaited_parameters.add((path, name))
                self._hooks.on_accumulated(parameter, ParameterGradient(self, gradient_ref))

    def parameter_gradient(self, ref: TensorRef, gradient: torch.Tensor) -> None:
        """Capture the gradient that a parameter holds now. See `GradientSink`."""
        self._awaited_parameters.discard((ref.path, ref.leaf))
        self._capture(ref, gradient, self._store.pool.copy_gradient)
        self._gate.pass_safe_point()

    # -- captures -----------------------------------------------------------------------------------------------

    def _capture(
        self,
        ref: TensorRef,
        tensor: torch.Tensor,
        copy: Callable[[torch.Tensor], Buffer],
        badges: tuple[Badge, ...] = (),
        same_as: tuple[str, ...] = (),
    ) -> Capture:
        spec: TensorSpec | None = None
        buffer: Buffer | None = None
        try:
            buffer = copy(tensor)
            spec = buffer.spec
        except OverBudgetError:
            spec, badges = spec_of(tensor), (*badges, Badge(BadgeKind.OVER_BUDGET))
        except NoDataError as error:
            spec, badges = spec_of(tensor), (*badges, Badge(BadgeKind.NO_DATA, str(error)))
        except Exception as error:
            badges = (*badges, Badge(BadgeKind.CAPTURE_FAILED, f"{type(error).__name__}: {error}"))
        capture = Capture(ref, self.step, next(self._order), spec, buffer, badges, same_as)
        self._keep(capture)
        return capture

    def _absent(self, ref: TensorRef, badge: Badge, same_as: tuple[str, ...] = ()) -> None:
        self._keep(Capture(ref, self.step, next(self._order), None, None, (badge,), same_as))

    def _failed(self, ref: TensorRef, error: Exception) -> None:
        self._absent(ref, Badge(BadgeKind.CAPTURE_FAILED, f"{type(error).__name__}: {error}"))

    def _keep(self, capture: Capture) -> None:
        self._store.add(capture)
        self._listener(capture)
