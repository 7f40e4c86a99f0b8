"""Changes what modules are given and return, and lets their gradients be changed. Runs inside hooks."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from hookscope.engine.capture.calls import CallStacks
from hookscope.engine.capture.graph_walk import Edge, edge_of
from hookscope.engine.capture.hooks import Arguments, Handle, hook_changing
from hookscope.engine.compat import next_sequence_number
from hookscope.engine.intervening.applier import Applier
from hookscope.engine.intervening.call_numbers import CallNumbers
from hookscope.engine.intervening.gradient_changes import GradientChanges, WatchedInput
from hookscope.engine.intervening.planned import Planned
from hookscope.engine.tensor_tree import RebuiltArguments, argument_leaves, leaves, with_leaves
from hookscope.protocol.identity import Slot, TensorRef

Found = Mapping[str, torch.Tensor]
"""Tensors by leaf."""


class ChangedCall:
    """A running call of a module on which there are interventions.

    Attributes:
        path: The module.
        index: Number of the entry into the module, as captures count them.
        number: Number of the call; a recomputed one has that of the call that it repeats.
        created_from: Sequence number of the first graph node that it can create.
        rebuilt: What it runs with, if that is not what it was called with.
        watched: Inputs whose gradients are to be changed.
        input_edges: Gradient edges of its inputs, with the first leaf.
    """

    __slots__ = ("created_from", "index", "input_edges", "number", "path", "rebuilt", "watched")

    def __init__(self, path: str, index: int, number: int, created_from: int) -> None:
        self.path = path
        self.index = index
        self.number = number
        self.created_from = created_from
        self.rebuilt: RebuiltArguments | None = None
        self.watched: dict[str, WatchedInput] = {}
        self.input_edges: dict[Edge, str] = {}

    def ref(self, slot: Slot, leaf: str, operation: str = "") -> TensorRef:
        """Name a tensor of this call."""
        return TensorRef(self.path, slot, leaf, self.index, operation)


class PlansOfModule:
    """The interventions on one module, but for those on its parameters.

    Args:
        plans: These, in their order.
    """

    def __init__(self, plans: Sequence[Planned]) -> None:
        self.plans = tuple(plans)
        self.tells_calls_apart = any(plan.tells_calls_apart for plan in plans)
        self._operations = {plan.intervention.operation for plan in plans}

    @property
    def has_operations(self) -> bool:
        """Whether there are any on operations."""
        return bool(self._operations - {""})

    def are_on(self, operation: str) -> bool:
        """Whether there are any on an operation."""
        return operation in self._operations

    def by_leaf(self, slot: Slot, found: Found, number: int, operation: str = "") -> dict[str, list[Planned]]:
        """Return those on a slot in a call, by the leaves that they mean."""
        meant: dict[str, list[Planned]] = {}
        for plan in self.plans:
            leaf = plan.leaf_among(found) if plan.is_of(slot, operation, number) else None
            if leaf is not None:
                meant.setdefault(leaf, []).append(plan)
        return meant


class ModuleChanges:
    """The interventions on modules' inputs, outputs and their gradients.

    Args:
        applier: Makes the changes.
        gradients: Puts changes of gradients on the graph.

    Attributes:
        plans: The interventions by module path.
        numbers: The calls of the step.
    """

    def __init__(self, applier: Applier, gradients: GradientChanges) -> None:
        self._applier = applier
        self._gradients = gradients
        self._stacks = CallStacks[ChangedCall]()
        self.plans: Mapping[str, PlansOfModule] = {}
        self.numbers = CallNumbers()

    def begin_step(self) -> None:
        """Count calls from 0."""
        self.numbers = CallNumbers()
        self._stacks = CallStacks()

    def end_step(self) -> None:
        """Refer to no call of the step: one that raised is still here."""
        self._stacks = CallStacks()

    def hook(self, path: str, module: nn.Module) -> Handle:
        """Put the hooks on. See `hooks.Hooker`."""
        return hook_changing(path, module, self, first=True)

    def open_call(self, path: str) -> ChangedCall | None:
        """Return this thread's innermost running call of a module."""
        return self._stacks.innermost(path)

    # -- in hooks -----------------------------------------------------------------------------------------------

    def replaced(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        """Change the inputs. See `hooks.ChangingObserver`."""
        plans = self.plans.get(path)
        if plans is None or not self._applier.is_running:
            return None
        with self._applier.blaming(plans.plans):
            return self._changed_inputs(plans, path, args, kwargs)

    def returned(self, path: str, output: object) -> object | None:
        """Change the output. See `hooks.ChangingObserver`."""
        call, _ = self._stacks.pop(path)
        plans = self.plans.get(path)
        if call is None or plans is None or not self._applier.is_running:
            return None
        with self._applier.blaming(plans.plans):
            if call.rebuilt is not None:
                call.rebuilt.write_back()
            found = dict(leaves(output, "out"))
            if call.watched:
                self._gradients.settle_inputs(call.watched, found, call.created_from)
            new = self.changed(plans, call, Slot.OUTPUT, found)
            new |= self.await_gradients(plans, call, {**found, **new}, call.input_edges)
            return with_leaves(output, "out", new) if new else None

    def changed(
        self, plans: PlansOfModule, call: ChangedCall, slot: Slot, found: Found, operation: str = ""
    ) -> dict[str, torch.Tensor]:
        """Return the tensors of a slot that are to be others.

        Args:
            plans: The interventions on the module.
            call: The running call.
            slot: Where they are.
            found: The tensors that are there.
            operation: The operation whose they are; `""` for the module itself.
        """
        new = {}
        for leaf, meant in plans.by_leaf(slot, found, call.number, operation).items():
            ref = call.ref(slot, leaf, operation)
            tensor = self._applier.apply(meant, found[leaf], ref, call.number, differentiable=True)
            if tensor is not found[leaf]:
                new[leaf] = tensor
        return new

    def await_gradients(
        self, plans: PlansOfModule, call: ChangedCall, found: Found, inputs: Mapping[Edge, str], operation: str = ""
    ) -> dict[str, torch.Tensor]:
        """Change the gradients of outputs when they come; see `GradientChanges.await_outputs`."""
        meant = plans.by_leaf(Slot.GRAD_OUTPUT, found, call.number, operation)
        refs = {leaf: call.ref(Slot.GRAD_OUTPUT, leaf, operation) for leaf in meant}
        return self._gradients.await_outputs(meant, found, refs, call.number, inputs)

    def _changed_inputs(
        self, plans: PlansOfModule, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Arguments | None:
        found = dict(argument_leaves(args, kwargs))
        entry, number = self.numbers.take(path, found, compare=plans.tells_calls_apart)
        call = ChangedCall(path, entry, number, next_sequence_number())
        self._stacks.push(call)
        new = self.changed(plans, call, Slot.INPUT, found)
        given = {**found, **new}
        meant = plans.by_leaf(Slot.GRAD_INPUT, given, number)
        refs = {leaf: call.ref(Slot.GRAD_INPUT, leaf) for leaf in meant}
        call.watched = self._gradients.view_inputs(meant, given, refs, number)
        new |= {leaf: one.view.tensor for leaf, one in call.watched.items() if one.view is not None}
        call.input_edges = edges_of({**given, **new})
        if not new:
            return None
        call.rebuilt = RebuiltArguments(args, kwargs, new)
        return call.rebuilt.args, call.rebuilt.kwargs


def edges_of(found: Found) -> dict[Edge, str]:
    """Return the gradient edges of tensors, each with the first leaf of which it is."""
    edges: dict[Edge, str] = {}
    for leaf, tensor in found.items() if torch.is_grad_enabled() else ():
        edge = edge_of(tensor)
        if edge is not None:
            edges.setdefault(edge, leaf)
    return edges
