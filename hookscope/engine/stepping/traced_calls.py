"""The calls of a traced step, and the taps that see their gradients pass."""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import torch

from hookscope.engine.capture.hooks import Gradients
from hookscope.engine.code.call_stack import LightStack

if TYPE_CHECKING:
    from hookscope.engine.capture.graph_walk import Edge
    from hookscope.engine.tensor_tree import RebuiltArguments

Tensors = list[tuple[str, torch.Tensor]]
"""Leaves and tensors that are at hand at an event."""


class TracedCall:
    """One call of a module in a traced step.

    Attributes:
        path: The module.
        index: Index of the call.
        depth: Depth in the tree of calls.
        created_from: Sequence number of the first graph node that the call could create.
        stack: The user's frames when it was entered.
        input_edges: Gradient edges of its inputs, with their first leaf; only while it runs.
        edited: What it runs with, if a person has changed that; until it returns.
        awaited_shares: How many nodes have yet to pass a gradient on to its inputs.
        share_places: Of each input, the nodes that pass a gradient on to it (by numbers of its own) and where in what
            they pass on.
        shares: What has arrived of each input's gradient; private, as autograd may go on adding to its own.
        is_entered: Whether backward has reached it.
        is_left: Whether backward has left it.
    """

    __slots__ = (
        "awaited_shares",
        "created_from",
        "depth",
        "edited",
        "index",
        "input_edges",
        "is_entered",
        "is_left",
        "path",
        "share_places",
        "shares",
        "stack",
    )

    def __init__(self, path: str, index: int, depth: int, created_from: int, stack: LightStack) -> None:
        self.path = path
        self.index = index
        self.depth = depth
        self.created_from = created_from
        self.stack = stack
        self.input_edges: dict[Edge, str] = {}
        self.edited: RebuiltArguments | None = None
        self.awaited_shares = 0
        self.share_places: dict[str, list[tuple[int, int]]] = {}
        self.shares: dict[str, torch.Tensor] = {}
        self.is_entered = False
        self.is_left = False


class TracedStacks:
    """The open calls of each thread, innermost last."""

    def __init__(self) -> None:
        self._local = threading.local()

    @property
    def calls(self) -> list[TracedCall]:
        """This thread's open calls; who enters and leaves changes the list."""
        calls: list[TracedCall] | None = getattr(self._local, "calls", None)
        if calls is None:
            calls = self._local.calls = []
        return calls

    def pop(self, path: str) -> TracedCall | None:
        """Close this thread's innermost call of a module, and those within it that raised; `None` if there is none."""
        calls = self.calls
        for position in range(len(calls) - 1, -1, -1):
            if calls[position].path == path:
                call = calls[position]
                del calls[position:]
                return call
        return None


class OutputTap:
    """Sees the gradient that arrives at an output's node, and may replace it."""

    __slots__ = ("_call", "_leaf", "_number", "_seen")

    def __init__(
        self,
        seen: Callable[[TracedCall, str, torch.Tensor], torch.Tensor | None],
        call: TracedCall,
        leaf: str,
        number: int,
    ) -> None:
        self._seen = seen
        self._call = call
        self._leaf = leaf
        self._number = number

    def __call__(self, gradients: Gradients) -> Gradients | None:
        """Take what arrives at the node."""
        gradient = gradients[self._number]
        new = self._seen(self._call, self._leaf, gradient) if gradient is not None else None
        return None if new is None else _with(gradients, {self._number: new})


class ShareTap:
    """Sees what a node of the call passes on to an input, and may replace it."""

    __slots__ = ("_call", "_index", "_leaf", "_node", "_seen")

    def __init__(
        self,
        seen: Callable[[TracedCall, str, int, torch.Tensor | None], Mapping[int, torch.Tensor] | None],
        call: TracedCall,
        leaf: str,
        node: int,
        index: int,
    ) -> None:
        self._seen = seen
        self._call = call
        self._leaf = leaf
        self._node = node
        self._index = index
        call.awaited_shares += 1
        call.share_places.setdefault(leaf, []).append((node, index))

    def __call__(self, passed_on: Gradients, _received: object) -> Gradients | None:
        """Take what the node passes on."""
        new = self._seen(self._call, self._leaf, self._node, passed_on[self._index])
        return None if new is None else _with(passed_on, new)


def _with(gradients: Gradients, new: Mapping[int, torch.Tensor]) -> Gradients:
    return tuple(new.get(index, gradient) for index, gradient in enumerate(gradients))
