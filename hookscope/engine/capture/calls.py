"""The calls of a step, and the stack of those that have not returned."""

import threading
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from hookscope.protocol.tensors import Badge, BadgeKind

if TYPE_CHECKING:
    import torch

    from hookscope.engine.capture.buffers import Buffer
    from hookscope.engine.capture.captures import Capture
    from hookscope.engine.capture.graph_walk import Edge


class Call:
    """One entry into a module's `__call__`, or one operation (named as in `TensorRef.operation`) within such a call."""

    __slots__ = (
        "awaited_inputs",
        "awaited_outputs",
        "backward_pass",
        "badges",
        "created_from",
        "heard_outputs",
        "index",
        "input_edges",
        "inputs",
        "operation",
        "output_leaves",
        "passes",
        "path",
        "shares",
    )

    def __init__(self, path: str, index: int, created_from: int, operation: str = "") -> None:
        self.path = path
        self.index = index
        self.operation = operation
        self.created_from = created_from
        self.badges: tuple[Badge, ...] = ()
        self.inputs: list[tuple[torch.Tensor, int | None, Capture]] = []
        self.input_edges: dict[Edge, list[str]] = {}
        self.awaited_outputs: set[str] = set()
        self.awaited_inputs: set[str] = set()
        self.output_leaves: list[str] = []
        self.heard_outputs: set[str] = set()
        """Outputs of which an earlier backward pass has told something."""
        self.backward_pass: int | None = None
        self.passes = 1
        self.shares: dict[str, Buffer] = {}
        """First leaf of an input edge -> the sum that has arrived so far."""

    def why_no_output(self) -> Badge:
        """Return why a call that was left never returned."""
        if any(badge.kind is BadgeKind.RECOMPUTED for badge in self.badges):
            return Badge(BadgeKind.RECOMPUTED, "it stopped here, as all that backward needs was there")
        return Badge(BadgeKind.DID_NOT_RETURN)


class _HasPath(Protocol):
    path: str


_C = TypeVar("_C", bound=_HasPath)


class CallStacks(Generic[_C]):
    """The open calls of each thread, innermost last."""

    def __init__(self) -> None:
        self._local = threading.local()

    def push(self, call: _C) -> None:
        """Open a call on this thread."""
        self._stack().append(call)

    def pop(self, path: str) -> tuple[_C | None, list[_C]]:
        """Close this thread's innermost open call of a module.

        Returns:
            The call, or `None` when it was never opened (its module was checked while it ran); and the calls above it,
            which raised and were caught by the model.
        """
        stack = self._stack()
        for position in range(len(stack) - 1, -1, -1):
            if stack[position].path == path:
                call, abandoned = stack[position], stack[position + 1 :]
                del stack[position:]
                return call, abandoned
        return None, []

    def innermost(self, path: str) -> _C | None:
        """Return this thread's innermost open call of a module."""
        return next((call for call in reversed(self._stack()) if call.path == path), None)

    def take_open(self) -> list[_C]:
        """Forget and return the open calls of this thread, innermost first."""
        stack = self._stack()
        calls = stack[::-1]
        stack.clear()
        return calls

    def _stack(self) -> list[_C]:
        stack: list[_C] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = []
        return stack
