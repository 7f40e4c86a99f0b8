"""Changes gradients where they pass by: at the nodes of outputs, and at those of the views that a module is given.

What is hung on nodes holds interventions, names and numbers, never a node or a user's tensor. It runs on the thread on
which autograd runs the node.
"""

from collections.abc import Collection, Mapping, Sequence

import torch
from torch.autograd.graph import Node

from hookscope.engine.capture.graph_walk import Edge, edge_of, input_taps, why_no_gradient
from hookscope.engine.capture.hooks import Gradients, StepHooks
from hookscope.engine.capture.view_geometry import ViewGeometry, geometry_of
from hookscope.engine.compat import backward_pass, base_of, is_functorch_wrapped, version_of, version_probe
from hookscope.engine.intervening.applier import Applier
from hookscope.engine.intervening.planned import Planned
from hookscope.engine.modes.aliasing import View, view_of
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.interventions import Idle
from hookscope.protocol.tensors import BadgeKind

_Place = tuple[Node, int, ViewGeometry | None]
"""A node that passes a gradient on, at which of its edges, and which part of that is meant; `None` is all of it."""

_DELIVERED_BEFORE = frozenset({BadgeKind.NATIVE})
"""Captures that PyTorch's own hooks make are made of a gradient before it comes to our nodes."""


class GradientTarget:
    """One gradient that is to be changed.

    Args:
        applier: Changes it.
        plans: The interventions.
        ref: Its name.
        number: Number of the call; a recomputed one has that of the call that it repeats.
        is_captured_before: Whether its capture is made before it comes to us.
    """

    __slots__ = ("_applier", "_is_captured_before", "_number", "heard_in", "plans", "ref")

    def __init__(
        self, applier: Applier, plans: Sequence[Planned], ref: TensorRef, number: int, *, is_captured_before: bool
    ) -> None:
        self._applier = applier
        self._number = number
        self._is_captured_before = is_captured_before
        self.plans = plans
        self.ref = ref
        self.heard_in: int | None = None
        """The backward pass in which it came by."""

    def changed(self, gradients: Gradients, position: int) -> Gradients | None:
        """Return gradients with this one changed; `None` when it has not come."""
        gradient = gradients[position]
        if gradient is None or not self.plans or not self._applier.is_running:
            return None
        return (*gradients[:position], self.change(gradient), *gradients[position + 1 :])

    def changed_part(self, gradients: Gradients, position: int, geometry: ViewGeometry) -> Gradients | None:
        """Likewise, where the gradient is a part of another one."""
        gradient = gradients[position]
        if gradient is None or not self.plans or not self._applier.is_running:
            return None
        with self._applier.blaming(self.plans, self.ref.leaf), torch.no_grad():
            size, stride = geometry.base_size, geometry.base_stride
            whole = torch.empty_strided(size, stride, dtype=gradient.dtype, device=gradient.device).copy_(gradient)
            part = geometry.cut(whole)
            part.copy_(self.change(part))
        return (*gradients[:position], whole, *gradients[position + 1 :])

    def change(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return what the gradient is to be."""
        self.heard_in = backward_pass()
        new = self._applier.apply(self.plans, gradient, self.ref, self._number)
        self._applier.capture_again(self.ref, new, None if self._is_captured_before else _DELIVERED_BEFORE)
        return new

    def give_up(self, why: Idle, detail: str = "") -> None:
        """Change nothing, for a reason."""
        for plan in self.plans:
            plan.tally.missed(why, detail)
        self.plans = ()


class _Arriving:
    """Changes a gradient that arrives at a node."""

    __slots__ = ("_number", "_target")

    def __init__(self, target: GradientTarget, number: int) -> None:
        self._target = target
        self._number = number

    def __call__(self, gradients: Gradients) -> Gradients | None:
        return self._target.changed(gradients, self._number)


class _Leaving:
    """Changes a gradient that a node passes on, or the part of it that belongs to a view."""

    __slots__ = ("_geometry", "_index", "_target")

    def __init__(self, target: GradientTarget, index: int, geometry: ViewGeometry | None) -> None:
        self._target = target
        self._index = index
        self._geometry = geometry

    def __call__(self, passed_on: Gradients, _received: object) -> Gradients | None:
        if self._geometry is not None:
            return self._target.changed_part(passed_on, self._index, self._geometry)
        return self._target.changed(passed_on, self._index)


class _ArrivingAtBase:
    """Changes a view's part in the gradient of its base: the view's own node is void once the view was written to."""

    __slots__ = ("_geometry", "_number", "_probe", "_target", "_version")

    def __init__(self, target: GradientTarget, number: int, geometry: ViewGeometry, view: torch.Tensor) -> None:
        self._target = target
        self._number = number
        self._geometry = geometry
        self._probe = version_probe(view)
        self._version = version_of(view)

    def __call__(self, gradients: Gradients) -> Gradients | None:
        is_void = version_of(self._probe) != self._version and self._target.heard_in != backward_pass()
        return self._target.changed_part(gradients, self._number, self._geometry) if is_void else None


class WatchedInput:
    """An input whose gradient is to be changed, while its module runs.

    Attributes:
        target: The gradient.
        view: What the module was given in its place; `None` when it can have no view.
        edge: The gradient edge of the view, or else of the input.
        former_edge: The gradient edge of the input.
        base: Of an input that is a view itself, where the gradient of its base is and which part of that is its own:
            all that is left once it was written to.
    """

    __slots__ = ("base", "edge", "former_edge", "target", "view")

    def __init__(self, target: GradientTarget, tensor: torch.Tensor, view: View | None, former_edge: Edge) -> None:
        self.target = target
        self.view = view
        self.edge = (edge_of(view.tensor) if view is not None else None) or former_edge
        self.former_edge = former_edge
        self.base = _base_of(tensor)

    def places(self, taps: Sequence[tuple[Node, int, Edge]], of_others: Collection[Node]) -> list[_Place]:
        """Return where the gradient leaves the call: all places, which are of the input itself or else of its base.

        Args:
            taps: Where gradients leave the call.
            of_others: Nodes of the views of other inputs.
        """
        own: list[_Place] = [
            (node, index, None) for node, index, edge in taps if edge == self.former_edge and node not in of_others
        ]
        if own or self.base is None:
            return own
        base_edge, geometry = self.base
        return [(node, index, geometry) for node, index, edge in taps if edge == base_edge]


class GradientChanges:
    """Puts changes of gradients on the graph of a step.

    Args:
        applier: Makes them.
    """

    def __init__(self, applier: Applier) -> None:
        self._applier = applier
        self._hooks = StepHooks()
        self._returned: list[tuple[GradientTarget, torch.Tensor, int | None]] = []

    def complete_step(self) -> None:
        """Say which gradients did not come because a returned input was written to. Called after a whole backward."""
        for target, probe, version in self._returned:
            if target.heard_in is None and version_of(probe) != version:
                target.give_up(Idle.INPUT_OVERWRITTEN)

    def end_step(self) -> None:
        """Take everything off the graph."""
        self._hooks.remove()
        self._returned.clear()

    def await_outputs(
        self,
        plans: Mapping[str, Sequence[Planned]],
        found: Mapping[str, torch.Tensor],
        refs: Mapping[str, TensorRef],
        number: int,
        inputs: Mapping[Edge, str],
    ) -> dict[str, torch.Tensor]:
        """Change the gradients of outputs when they come.

        Args:
            plans: The interventions by leaf.
            found: The outputs by leaf.
            refs: The names of their gradients, by leaf.
            number: Number of the call.
            inputs: Gradient edges of the inputs.

        Returns:
            Outputs that must be replaced. An input that is returned as it is has a gradient in which this output is
            only one part; a view has one of its own.
        """
        new = {}
        for leaf, meant in plans.items():
            tensor = found[leaf]
            target = GradientTarget(self._applier, meant, refs[leaf], number, is_captured_before=False)
            edge = edge_of(tensor) if torch.is_grad_enabled() else None
            if edge is None:
                target.give_up(Idle.NO_GRADIENT, why_no_gradient(tensor, torch.is_grad_enabled()).value)
                continue
            view = view_of(tensor) if edge in inputs else None
            if view is not None:
                tensor = new[leaf] = view.tensor
                edge = edge_of(tensor) or edge
            hook = self._hooks.before_leaf if tensor.is_leaf else self._hooks.before_node
            hook(edge[0], _Arriving(target, edge[1]))
            self._await_base(tensor, edge, target)
        return new

    def view_inputs(
        self,
        plans: Mapping[str, Sequence[Planned]],
        found: Mapping[str, torch.Tensor],
        refs: Mapping[str, TensorRef],
        number: int,
    ) -> dict[str, WatchedInput]:
        """Make views of inputs whose gradients are to be changed; arguments as in `await_outputs`."""
        watched = {}
        for leaf, meant in plans.items():
            tensor = found[leaf]
            target = GradientTarget(self._applier, meant, refs[leaf], number, is_captured_before=True)
            former = edge_of(tensor) if torch.is_grad_enabled() else None
            if former is None:
                target.give_up(Idle.NO_GRADIENT, _why_no_input_gradient(tensor).value)
                continue
            one = watched[leaf] = WatchedInput(target, tensor, view_of(tensor), former)
            if one.view is not None:
                self._hooks.before_node(one.edge[0], _Arriving(target, one.edge[1]))
        return watched

    def settle_inputs(
        self, watched: Mapping[str, WatchedInput], outputs: Mapping[str, torch.Tensor], created_from: int
    ) -> None:
        """Find out, when the module has returned, whether the views tell all, and where else the gradients are.

        Args:
            watched: The inputs by leaf.
            outputs: What the module itself has returned.
            created_from: Sequence number of the first node that the call could create.
        """
        enabled = torch.is_grad_enabled()
        output_edges = {edge for tensor in outputs.values() if enabled and (edge := edge_of(tensor)) is not None}
        ends = {one.former_edge: None for one in watched.values()}
        ends |= {one.base[0]: None for one in watched.values() if one.base is not None}
        taps = list(input_taps([node for node, _ in output_edges], ends, created_from))
        nodes = {leaf: one.edge[0] for leaf, one in watched.items() if one.view is not None}
        for leaf, one in watched.items():
            places = one.places(taps, {node for other, node in nodes.items() if other != leaf})
            view = one.view if one.view is not None and not one.view.is_void else None
            if view is not None and one.edge in output_edges:
                self._returned.append((one.target, version_probe(view.tensor), view.version))
            elif view is not None and nodes[leaf] in {node for node, *_ in places}:
                continue
            elif one.former_edge in output_edges or len(places) > 1:
                one.target.give_up(Idle.INPUT_OVERWRITTEN)
            elif places:
                node, index, geometry = places[0]
                if node is not nodes.get(leaf):
                    self._hooks.after_node(node, _Leaving(one.target, index, geometry))
            elif view is one.view:
                one.target.give_up(Idle.NO_GRADIENT, BadgeKind.NO_PATH_TO_INPUT.value)
            else:
                one.target.give_up(Idle.INPUT_OVERWRITTEN)

    def _await_base(self, view: torch.Tensor, edge: Edge, target: GradientTarget) -> None:
        found = _base_of(view)
        if found is not None and found[0][0] is not edge[0]:
            base_edge, geometry = found
            self._hooks.before_node(base_edge[0], _ArrivingAtBase(target, base_edge[1], geometry, view))


def _base_of(view: torch.Tensor) -> tuple[Edge, ViewGeometry] | None:
    """Return the gradient edge of a view's base and how the view lies in it; `None` when there is no such thing."""
    base = base_of(view)
    edge = edge_of(base) if base is not None else None
    geometry = geometry_of(view, base) if base is not None and edge is not None else None
    return (edge, geometry) if edge is not None and geometry is not None else None


def _why_no_input_gradient(tensor: torch.Tensor) -> BadgeKind:
    if not torch.is_grad_enabled():
        return BadgeKind.NO_GRAD_MODE
    return BadgeKind.FUNCTORCH if is_functorch_wrapped(tensor) else BadgeKind.INPUT_NEEDS_NO_GRAD
