"""Alias mode: exact capture of a module that runs on a view of each input.

Each view has a node of its own in the graph, and what arrives there is this call's share of that input's gradient, to
the bit as autograd adds it up: also when the module returns its input, and when one tensor is given several times. A
module that writes to its input takes the view's node out of the graph; then what exact capture gives is recorded.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.gradient_taps import GradientSink, InputShare, PassedThrough
from hookscope.engine.capture.graph_walk import Edge, edge_of, input_taps
from hookscope.engine.capture.hooks import Arguments, Gradients, Handle, StepHooks, hook_replacing
from hookscope.engine.compat import version_of, version_probe
from hookscope.engine.modes.aliasing import Aliases, View
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

if TYPE_CHECKING:
    from hookscope.engine.capture.recorder import Recorder


_VOID = Badge(BadgeKind.ALIAS_VOID)


class AliasRecorder:
    """Records modules in alias mode.

    Args:
        recorder: Records all but the gradients of inputs.
        writer: What captures are written with.
        step_hooks: What hooks are put on graph nodes with.

    Attributes:
        badge: What is said of each gradient.
    """

    def __init__(self, recorder: "Recorder", writer: CaptureWriter, step_hooks: StepHooks) -> None:
        self.badge = Badge(BadgeKind.ALIAS)
        self._recorder = recorder
        self._writer = writer
        self._step_hooks = step_hooks
        self._open: dict[Call, Aliases] = {}

    def end_step(self) -> None:
        """Refer to no call of the step: one that raised is still here."""
        self._open.clear()

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put the hooks on. See `hooks.Hooker`."""
        return hook_replacing(path, module, self)

    # -- in hooks -----------------------------------------------------------------------------------------------

    def replaced(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Capture the inputs and give the module views of them. See `hooks.InputObserver`."""
        call = self._recorder.entered(path, args, kwargs)
        if call is None or not call.input_edges:  # nothing of which a gradient is wanted
            return None
        try:
            aliases = self._open[call] = Aliases(args, kwargs)
        except Exception as error:  # of a container of the user's that cannot be made anew
            self._writer.failed(TensorRef(path, Slot.GRAD_INPUT, "args", call.index), error)
            return None
        return aliases.args, aliases.kwargs

    def entered(self, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        """Capture the inputs. See `hooks.Observer`."""
        return self._recorder.entered(path, args, kwargs)

    def left(self, path: str, output: object) -> None:
        """Capture the outputs. See `hooks.Observer`."""
        self._recorder.left(path, output, self._capture)

    def _capture(self, call: Call, output: object) -> None:
        aliases = self._open.pop(call, None)
        if aliases is None:
            self._recorder.capture_outputs(call, output)
            return
        aliases.write_back()
        watch = _InputWatch(self._recorder, self._writer, self._step_hooks, call, aliases)
        call.input_edges = watch.edges
        self._recorder.capture_outputs(call, output, watch.begin)
        if watch.views:
            call.badges = (*call.badges, self.badge)


class _InputWatch:
    """Awaits the gradients of one call's inputs: at the views where those tell them, else where exact capture does.

    Attributes:
        edges: The edges at which they are awaited, each with the leaves that it is the edge of.
        views: Those of them that are views' edges.
    """

    def __init__(
        self, recorder: "Recorder", writer: CaptureWriter, step_hooks: StepHooks, call: Call, aliases: Aliases
    ) -> None:
        self._recorder = recorder
        self._writer = writer
        self._step_hooks = step_hooks
        self._void_sink = _VoidSink(recorder)
        self._void = {leaf for leaf, view in aliases.views.items() if view.is_void}
        self._former = {leaf: edge for edge, found in call.input_edges.items() for leaf in found}
        self.edges: dict[Edge, list[str]] = {}
        self.views: dict[Edge, View] = {}
        for leaf, edge in self._former.items():
            view = aliases.views.get(leaf)
            view_edge = edge_of(view.tensor) if view is not None and leaf not in self._void else None
            if view is not None and view_edge is not None:
                self.views[view_edge] = view
            self.edges.setdefault(view_edge or edge, []).append(leaf)

    def begin(self, call: Call, output_edges: list[Edge]) -> None:
        """Put hooks on the graph.

        Args:
            call: The call.
            output_edges: Gradient edges of its outputs.
        """
        passed = {edge for edge in output_edges if edge in self.edges}
        reached = set(passed)
        for node, index, edge in input_taps([node for node, _ in output_edges], self.edges, call.created_from):
            reached.add(edge)
            if edge not in self.views and edge not in passed:
                found = tuple(self.edges[edge])
                self._step_hooks.after_node(node, InputShare(self._sink(found), call, found, index))
        for edge, leaves in self.edges.items():
            found = tuple(leaves)
            if edge not in reached:
                ref = TensorRef(call.path, Slot.GRAD_INPUT, found[0], call.index)
                self._writer.absent(ref, Badge(BadgeKind.NO_PATH_TO_INPUT), found[1:])
                continue
            call.awaited_inputs.add(found[0])
            if edge in self.views:
                self._step_hooks.before_node(edge[0], _Arrived(self._recorder, call, found, edge[1]))
                if edge in passed:
                    self._watch_former(call, found, self.views[edge])
            elif edge in passed:
                self._step_hooks.before_node(edge[0], PassedThrough(self._sink(found), call, found, edge[1]))

    def _watch_former(self, call: Call, found: tuple[str, ...], view: View) -> None:
        """Await the gradient at what a view is of, too: all that is left when this output is written to later."""
        node, number = self._former[found[0]]
        self._step_hooks.before_node(node, _PassedThroughLater(self._void_sink, call, found, number, view))

    def _sink(self, found: tuple[str, ...]) -> GradientSink:
        return self._void_sink if found[0] in self._void else self._recorder


class _VoidSink:
    """Says of gradients that the view of their input told nothing."""

    def __init__(self, recorder: "Recorder") -> None:
        self._recorder = recorder

    def output_gradient(self, call: Call, leaf: str, gradient: torch.Tensor | None, badges: tuple[Badge, ...]) -> None:
        self._recorder.output_gradient(call, leaf, gradient, badges)

    def input_share(
        self, call: Call, found: tuple[str, ...], gradient: torch.Tensor, badges: tuple[Badge, ...]
    ) -> None:
        self._recorder.input_share(call, found, gradient, (*badges, _VOID))


class _Arrived:
    """Sees what arrives at a view's node."""

    __slots__ = ("_call", "_found", "_number", "_recorder")

    def __init__(self, recorder: "Recorder", call: Call, found: tuple[str, ...], number: int) -> None:
        self._recorder = recorder
        self._call = call
        self._found = found
        self._number = number

    def __call__(self, gradients: Gradients) -> None:
        gradient = gradients[self._number]
        if gradient is not None:
            self._recorder.input_share(self._call, self._found, gradient, ())


class _PassedThroughLater(PassedThrough):
    """Sees the gradient of an input whose view was returned; of use when that was written to after the module."""

    __slots__ = ("_probe", "_version")

    def __init__(self, sink: GradientSink, call: Call, found: tuple[str, ...], number: int, view: View) -> None:
        super().__init__(sink, call, found, number)
        self._probe = version_probe(view.tensor)
        self._version = view.version

    def __call__(self, gradients: Gradients) -> None:
        if self._found[0] in self._call.awaited_inputs and version_of(self._probe) != self._version:
            super().__call__(gradients)
