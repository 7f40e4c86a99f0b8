"""Turns firings of hooks into captures: inputs, outputs, grad_output, and this call's share of grad_input.

Runs inside hooks, on the thread that fired them. It never raises into the model (a fault of ours becomes a badge), with
one exception made on purpose: `StepAborted` at a safe point. What it hands to torch holds a call and a leaf's name,
never a node or a user's tensor, so a step leaves nothing alive.
"""

import itertools
from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import nn

from hookscope.engine.capture.calls import Call, CallStacks
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.gradient_taps import BaseGradient, InputShare, OutputGradient, PassedThrough
from hookscope.engine.capture.graph_walk import Edge, edge_of, input_taps, why_no_gradient
from hookscope.engine.capture.hooks import ModuleHooks, StepHooks
from hookscope.engine.capture.parameter_recorder import ParameterRecorder
from hookscope.engine.capture.view_geometry import ViewGeometry, geometry_of
from hookscope.engine.compat import (
    backward_pass,
    base_of,
    inside_backward,
    next_sequence_number,
    version_of,
)
from hookscope.engine.modes.hook_modes import ADMITTED, EXACT, HookModes, Verdict
from hookscope.engine.operations.operation_recorder import OperationRecorder
from hookscope.engine.pause import Gate
from hookscope.engine.tensor_tree import Rest, argument_leaves, leaves
from hookscope.engine.traits import static_badges
from hookscope.protocol.events import Phase, StepProgress
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

_NOT_WHY_UNCALLED = {BadgeKind.SHARDED, BadgeKind.COMPILED}
"""Traits of a module that do not keep its hooks from firing, or only where `Recorder.compiled` says so."""


class Recorder:
    """Records one step after the other.

    Args:
        writer: What captures are written with.
        gate: Looked at in every hook.

    Attributes:
        operations: The part that records operations; its steps are begun and ended with this one's.
        compiled: Paths of the modules that run inside of compiled code, where no hook of theirs fires.
    """

    def __init__(self, writer: CaptureWriter, gate: Gate) -> None:
        self._writer = writer
        self._gate = gate
        self._parameters = ParameterRecorder(writer, gate)
        self.operations = OperationRecorder(writer, self._capture_operation)
        self.compiled: Collection[str] = frozenset()
        self._module_hooks = ModuleHooks(self)
        self._step_hooks = StepHooks()
        self._modes = HookModes(self, writer, self._step_hooks)
        self._watched: dict[str, nn.Module] = {}
        self._counts: dict[str, itertools.count[int]] = {}
        self._calls: list[Call] = []
        self._stacks = CallStacks[Call]()
        self._running = False
        self._phase = Phase.FORWARD
        self._fired = 0
        self._last_path = ""

    # -- on the main thread -------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """Number of the newest step."""
        return self._writer.step

    @property
    def paths(self) -> tuple[str, ...]:
        """The watched modules."""
        return tuple(self._watched)

    def module(self, path: str) -> nn.Module:
        """Return a watched module."""
        return self._watched[path]

    def watch(
        self, modules: Mapping[str, nn.Module], modes: Mapping[str, HookMode] = EXACT, verdict: Verdict = ADMITTED
    ) -> None:
        """Watch exactly these modules, from their next call on; with none, nothing of ours is on the model.

        Args:
            modules: The modules by path.
            modes: How the gradients of some of them are captured; the others, and those of which the mode is refused,
                are captured exactly.
            verdict: What is known of these modes.
        """
        self._watched = dict(modules)
        if self._modes.wanted != modes:
            self._module_hooks.set({})  # else a hook of ours would be taken for one of the user's
        self._module_hooks.set(modules, self._modes.choose(modules, modes, verdict))
        self._parameters.watch(modules)

    def begin_step(self, step: int) -> None:
        """Open a step: nothing of the last one is referred to any more."""
        self.end_step()
        self._writer.begin_step(step)
        self._counts.clear()
        self._stacks = CallStacks[Call]()
        self.begin_phase(Phase.FORWARD)
        self._running = True
        self._modes.begin_step()
        self._parameters.watch(self._watched)  # a lazy module's, or a module's in surgery, are others than a step ago
        self._parameters.begin_step()
        self.operations.begin_step()

    def begin_phase(self, phase: Phase) -> None:
        """Say where the step is, for progress."""
        self._phase = phase
        self._fired = 0

    def complete_step(self) -> None:
        """Say, for everything that was awaited and did not come, why it is absent. Called after a whole backward."""
        for path, module in self._watched.items():
            if path not in self._counts:
                self._writer.absent(TensorRef(path, Slot.OUTPUT, "out"), self._never_called(path, module))
        for lost in self._stacks.take_open():
            self._writer.absent(TensorRef(lost.path, Slot.OUTPUT, "out", lost.index), lost.why_no_output())
        self._modes.complete_step()
        nothing = Badge(BadgeKind.NO_GRADIENT_REACHED)
        for call in self._calls:
            for leaf in sorted(call.awaited_outputs - call.heard_outputs):
                self._writer.absent(TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index, call.operation), nothing)
            for leaf in sorted(call.awaited_inputs):
                self._writer.absent(TensorRef(call.path, Slot.GRAD_INPUT, leaf, call.index), nothing)
        self._parameters.complete_step()
        self.operations.complete_step(self._never_called)
        self._writer.mark_overwritten()

    def fail_step(self, error: BaseException) -> None:
        """Say which calls of this thread an exception has left. Called before `end_step`."""
        for call in self._stacks.take_open():
            badge = Badge(BadgeKind.RAISED, f"{type(error).__name__}: {error}")
            self._writer.absent(TensorRef(call.path, Slot.OUTPUT, "out", call.index), badge)

    def end_step(self) -> None:
        """Take the step's hooks off and let go of the user's tensors, however the step ended."""
        self._running = False
        self._modes.end_step()
        self.operations.end_step()
        self._parameters.end_step()
        self._step_hooks.remove()
        self._calls.clear()
        self._writer.end_step()

    def progress(self) -> StepProgress | None:
        """Say how many checked modules have fired in this phase; `None` between steps. Called on any thread."""
        if not self._running:
            return None
        total = len(self._watched)
        return StepProgress(self.step, self._phase, min(self._fired, total), total, self._last_path)

    # -- forward, in hooks --------------------------------------------------------------------------------------

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """Capture the inputs and note where their gradients will leave. See `hooks.Observer`."""
        if not self._running:
            return None
        if self._parameters.lazy and path in self._parameters.lazy:
            self._parameters.initialized(path)
        counter = self._counts.get(path)
        if counter is None:
            counter = self._counts.setdefault(path, itertools.count())
        index = next(counter)  # two threads never get the same number
        call = Call(path, index, next_sequence_number())
        self._calls.append(call)
        self._stacks.push(call)
        if inside_backward():
            call.badges = (Badge(BadgeKind.RECOMPUTED),)
        try:
            gradients = torch.is_grad_enabled()
            rest: Rest = []
            for leaf, tensor in argument_leaves(args, kwargs, rest):
                capture = self._writer.activation(TensorRef(path, Slot.INPUT, leaf, index), tensor, call.badges)
                call.inputs.append((tensor, version_of(tensor), capture))
                edge = edge_of(tensor) if gradients else None
                if edge is not None:
                    call.input_edges.setdefault(edge, []).append(leaf)
            if rest:
                self._writer.not_tensors(call, Slot.INPUT, [found for found in rest if found[1] is not None])
        except Exception as error:
            self._writer.failed(TensorRef(path, Slot.INPUT, "args", index), error)
        self._gate.pass_safe_point()
        return call

    def left(self, path: str, output: object, capture: Callable[[Call, object], None] | None = None) -> None:
        """Capture the outputs and put hooks where gradients will pass. See `hooks.Observer`.

        Args:
            path: The module that has returned.
            output: What it returned.
            capture: How that is done for a module that is not captured exactly.
        """
        call, abandoned = self._stacks.pop(path)
        for lost in abandoned:
            self._writer.absent(TensorRef(lost.path, Slot.OUTPUT, "out", lost.index), lost.why_no_output())
        if call is None:  # checked while it was running: its next call is the first that is seen whole
            return
        self._fired += 1
        self._last_path = path
        try:
            self._mark_modified_inputs(call)
            (capture or self.capture_outputs)(call, output)
        except Exception as error:
            self._writer.failed(TensorRef(path, Slot.OUTPUT, "out", call.index), error)
        finally:
            call.inputs.clear()
            call.input_edges = {}
        self._gate.pass_safe_point()

    def _capture_operation(self, call: Call, value: object) -> None:
        """Capture what an operation gave, as if a module's call had returned it."""
        self._calls.append(call)
        try:
            self.capture_outputs(call, value)
        except Exception as error:
            self._writer.failed(TensorRef(call.path, Slot.OUTPUT, "out", call.index, call.operation), error)
        self._gate.pass_safe_point()

    def capture_outputs(
        self, call: Call, output: object, watch_inputs: Callable[[Call, list[Edge]], None] | None = None
    ) -> None:
        """Capture the outputs of a call and put hooks where their gradients will pass.

        Args:
            call: The call.
            output: What it returned.
            watch_inputs: Puts hooks where the inputs' gradients will pass, given the outputs' edges, if not this does.
        """
        edges: list[Edge] = []
        gradients = torch.is_grad_enabled()
        rest: Rest = []
        for leaf, tensor in leaves(output, "out", rest):
            ref = TensorRef(call.path, Slot.OUTPUT, leaf, call.index, call.operation)
            self._writer.activation(ref, tensor, call.badges)
            edge = edge_of(tensor) if gradients else None
            if edge is None:
                reason = Badge(why_no_gradient(tensor, gradients))
                self._writer.absent(TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index, call.operation), reason)
                continue
            edges.append(edge)
            call.awaited_outputs.add(leaf)
            call.output_leaves.append(leaf)
            hook = self._step_hooks.before_leaf if tensor.is_leaf else self._step_hooks.before_node
            hook(edge[0], OutputGradient(self, call, leaf, edge[1]))
            base = base_of(tensor)
            if base is not None:
                self._watch_base(call, leaf, tensor, base, edge)
        if rest:
            self._writer.not_tensors(call, Slot.OUTPUT, rest)
        if len(call.input_edges) < len(call.inputs):
            self._name_inputs_without_gradient(call, gradients)
        if call.input_edges:
            (watch_inputs or self._watch_inputs)(call, edges)

    def _watch_base(self, call: Call, leaf: str, view: torch.Tensor, base: torch.Tensor, edge: Edge) -> None:
        """Await the gradient at a view's base too: it is all that is left when the view is modified in place."""
        base_edge = edge_of(base)
        if base_edge is None or base_edge[0] is edge[0]:
            return
        geometry = geometry_of(view, base)
        if geometry is not None:
            self._step_hooks.before_node(base_edge[0], BaseGradient(self, call, leaf, base_edge[1], geometry, view))

    def _name_inputs_without_gradient(self, call: Call, gradients: bool) -> None:
        watched = {leaf for found in call.input_edges.values() for leaf in found}
        reason = Badge(BadgeKind.INPUT_NEEDS_NO_GRAD if gradients else BadgeKind.NO_GRAD_MODE)
        for _, _, capture in call.inputs:
            if capture.ref.leaf not in watched:
                self._writer.absent(TensorRef(call.path, Slot.GRAD_INPUT, capture.ref.leaf, call.index), reason)

    def _watch_inputs(self, call: Call, output_edges: list[Edge]) -> None:
        edges = call.input_edges
        reached: set[Edge] = set()
        for edge in output_edges:
            if edge in edges and edge not in reached:
                reached.add(edge)
                tap = PassedThrough(self, call, tuple(edges[edge]), edge[1])
                self._step_hooks.before_node(edge[0], tap)
        passed = set(reached)  # all that arrives there is seen already, also what nodes of this call add to it
        for node, index, edge in input_taps([node for node, _ in output_edges], edges, call.created_from):
            if edge in passed:
                continue
            reached.add(edge)
            self._step_hooks.after_node(node, InputShare(self, call, tuple(edges[edge]), index))
        for edge, found in edges.items():
            if edge in reached:
                call.awaited_inputs.add(found[0])
            else:
                ref = TensorRef(call.path, Slot.GRAD_INPUT, found[0], call.index)
                self._writer.absent(ref, Badge(BadgeKind.NO_PATH_TO_INPUT), tuple(found[1:]))

    def _mark_modified_inputs(self, call: Call) -> None:
        for tensor, version, capture in call.inputs:
            if version is not None and version_of(tensor) != version:
                capture.badges = (*capture.badges, Badge(BadgeKind.MODIFIED_IN_PLACE))
                self._writer.keep(capture)

    # -- backward, in hooks -------------------------------------------------------------------------------------

    def output_gradient(self, call: Call, leaf: str, gradient: torch.Tensor | None, badges: tuple[Badge, ...]) -> None:
        """Capture a grad_output, or say that none came. See `GradientSink`.

        The first word for a leaf counts: a view that has had its own gradient needs none from its base.
        """
        self._notice_pass(call)
        is_watched = self.operations.is_checked(call) if call.operation else call.path in self._watched
        if not is_watched or leaf not in call.awaited_outputs:
            return
        call.awaited_outputs.discard(leaf)
        self._fired += 1
        self._last_path = call.path
        ref = TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index, call.operation)
        if gradient is None:
            self._writer.absent(ref, Badge(BadgeKind.NO_GRADIENT_REACHED))
        else:
            self._writer.gradient(ref, gradient, call.badges + badges)
        self._gate.pass_safe_point()

    def base_gradient(self, call: Call, leaf: str, gradient: torch.Tensor, geometry: ViewGeometry) -> None:
        """Capture a grad_output as the part of its base's gradient. See `BaseGradientSink`."""
        self._notice_pass(call)
        if leaf not in call.awaited_outputs:
            return
        try:
            cut = geometry.cut(gradient)
        except Exception as error:
            call.awaited_outputs.discard(leaf)
            self._writer.failed(TensorRef(call.path, Slot.GRAD_OUTPUT, leaf, call.index, call.operation), error)
        else:
            self.output_gradient(call, leaf, cut, (Badge(BadgeKind.FROM_BASE),))

    def input_share(self, call: Call, found: tuple[str, ...], share: torch.Tensor, badges: tuple[Badge, ...]) -> None:
        """Capture this call's share of an input's gradient; what several nodes pass on adds up. See `GradientSink`."""
        if call.path not in self._watched:
            return
        self._notice_pass(call)
        leaf = found[0]
        ref = TensorRef(call.path, Slot.GRAD_INPUT, leaf, call.index)
        before = call.shares.get(leaf)
        try:
            total = share if before is None else before.tensor.to(share.device) + share
        except Exception as error:
            self._writer.failed(ref, error)
            return
        capture = self._writer.gradient(ref, total, call.badges + badges, found[1:])
        call.awaited_inputs.discard(leaf)
        if capture.buffer is not None:
            call.shares[leaf] = capture.buffer
        self._gate.pass_safe_point()

    def pass_safe_point(self) -> None:
        """Stop here if that was asked for. See `Gate.pass_safe_point`, also for what it raises."""
        self._gate.pass_safe_point()

    def hears(self, call: Call) -> bool:
        """Whether gradients that arrive now for a call are wanted; if so, they count for progress."""
        if not self._running or call.path not in self._watched:
            return False
        self._notice_pass(call)
        self._fired += 1
        self._last_path = call.path
        return True

    def _notice_pass(self, call: Call) -> None:
        """Begin anew when a further backward pass reaches a call: its gradients replace those of the last one."""
        number = backward_pass()
        if number == call.backward_pass:
            return
        if call.backward_pass is not None:
            call.heard_outputs.update(set(call.output_leaves) - call.awaited_outputs)
            call.awaited_outputs.update(call.output_leaves)
            call.shares.clear()
            call.passes += 1
            later = Badge(BadgeKind.LATER_PASS, str(call.passes))
            call.badges = (*(badge for badge in call.badges if badge.kind is not BadgeKind.LATER_PASS), later)
        call.backward_pass = number

    def _never_called(self, path: str, module: nn.Module) -> Badge:
        if path in self.compiled:
            return Badge(BadgeKind.COMPILED)
        badges = [badge for badge in static_badges(module) if badge.kind not in _NOT_WHY_UNCALLED]
        if badges:
            return badges[0]
        if self._parameters.has_gradient(path):
            return Badge(BadgeKind.NEVER_CALLED_WITH_GRADIENT)
        return Badge(BadgeKind.NEVER_CALLED)
