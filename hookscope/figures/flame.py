"""Where the time of a step goes: each module's forward and backward summed over its calls, inside of its caller's."""

from dataclasses import dataclass

from hookscope.figures.lanes import Span, StepTrace

OUTERMOST = -1
"""Parent of the root."""


@dataclass
class FlameNode:
    """A module, called by another one.

    Attributes:
        path: The module.
        parent: Index of the node of its caller, or `OUTERMOST`.
        depth: How many callers are around it.
        calls: How often it was called there.
        forward_s: Seconds of all its forward passes, with all that is inside.
        backward_s: Seconds of all its backward passes.
        inner_s: Of both together, the part that the nodes inside took.
        allocated_bytes: How much more memory was allocated after its forward passes than before them.
        left: Where its bar begins, in shares of the whole width.
        width: Width of its bar.
    """

    path: str
    parent: int
    depth: int
    calls: int = 0
    forward_s: float = 0.0
    backward_s: float = 0.0
    inner_s: float = 0.0
    allocated_bytes: int = 0
    left: float = 0.0
    width: float = 0.0

    @property
    def total_s(self) -> float:
        """Seconds of both passes."""
        return self.forward_s + self.backward_s

    @property
    def own_s(self) -> float:
        """Seconds that nothing inside it accounts for; what runs at the same time on two threads counts twice."""
        return max(0.0, self.total_s - self.inner_s)


def flame_of(trace: StepTrace) -> tuple[FlameNode, ...]:
    """Add up the spans of a step; callers come before what they call, and those of one caller side by side."""
    nodes: list[FlameNode] = []
    index_of: dict[tuple[int, str], int] = {}
    node_of: dict[Span, int] = {}
    for span in trace.spans.values():
        above = node_of[span.parent] if span.parent is not None else OUTERMOST
        place = (above, span.path)
        index = index_of.get(place)
        if index is None:
            index = index_of[place] = len(nodes)
            nodes.append(FlameNode(span.path, above, nodes[above].depth + 1 if above != OUTERMOST else 0))
        node_of[span] = index
        _add(nodes[index], span, trace.duration_of(span))
    for node in nodes:
        if node.parent != OUTERMOST:
            nodes[node.parent].inner_s += node.total_s
    _place(nodes)
    return tuple(nodes)


def _add(node: FlameNode, span: Span, duration_s: float) -> None:
    if span.is_backward:
        node.backward_s += duration_s
    else:
        node.calls += 1
        node.forward_s += duration_s
        node.allocated_bytes += span.allocated_bytes


def _place(nodes: list[FlameNode]) -> None:
    """Give each node its share of its caller's bar, from the left."""
    outermost_s = sum(node.total_s for node in nodes if node.parent == OUTERMOST)
    taken: dict[int, float] = {}
    for node in nodes:
        if node.parent == OUTERMOST:
            start, scale = 0.0, 1 / outermost_s if outermost_s > 0 else 0.0
        else:
            caller = nodes[node.parent]
            whole_s = max(caller.total_s, caller.inner_s)
            start, scale = caller.left, caller.width / whole_s if whole_s > 0 else 0.0
        node.left = taken.get(node.parent, start)
        node.width = node.total_s * scale
        taken[node.parent] = node.left + node.width
