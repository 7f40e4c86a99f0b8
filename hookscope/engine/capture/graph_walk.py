"""Where in the autograd graph the gradients of one module call pass by.

The graph is only read: nothing is added to it and no tensor is replaced, so losses and gradients keep every bit.
The method: the gradient of an output arrives at the node of its gradient edge; this call's share of an input's
gradient leaves, among the nodes that the call itself created, those with an edge to the input's gradient edge.
"""

from collections.abc import Iterator, Mapping

import torch
from torch.autograd.graph import Node, get_gradient_edge

from hookscope.engine.compat import is_functorch_wrapped, sequence_number
from hookscope.protocol.tensors import BadgeKind

Edge = tuple[Node, int]
"""A node, and which of its outputs."""

MAX_NODES = 20_000
_LEAF_SEQUENCE = 2**63
"""Nodes from here on (AccumulateGrad) belong to no call."""


def edge_of(tensor: torch.Tensor) -> Edge | None:
    """Return a tensor's gradient edge, or `None` when no gradient flows through it.

    Only node and number are kept: the edge object that torch makes of a custom Function would own the graph.
    """
    if not tensor.requires_grad or is_functorch_wrapped(tensor):
        return None
    node = tensor.grad_fn
    if node is None:  # a leaf: the node that accumulates into it
        with torch._C.DisableTorchFunctionSubclass():  # a subclass would put a node of its own in between
            node = get_gradient_edge(tensor).node
    return node, tensor.output_nr


def why_no_gradient(output: torch.Tensor, gradients: bool) -> BadgeKind:
    """Return why an output that has no gradient edge gets no gradient."""
    if not (output.dtype.is_floating_point or output.dtype.is_complex):
        return BadgeKind.INTEGER_OUTPUT
    if is_functorch_wrapped(output):
        return BadgeKind.FUNCTORCH
    return BadgeKind.OUTPUT_NEEDS_NO_GRAD if gradients else BadgeKind.NO_GRAD_MODE


def input_taps(roots: list[Node], inputs: Mapping[Edge, object], created_from: int) -> Iterator[tuple[Node, int, Edge]]:
    """Yield the places where this call's share of its inputs' gradients leaves the call.

    Args:
        roots: Nodes of the outputs' gradient edges.
        inputs: Gradient edges of the inputs.
        created_from: Sequence number of the first node that the call could create.

    Yields:
        A node, the index into its `grad_inputs`, and the input edge that it points at.
    """
    stops = {node for node, _ in inputs}
    todo = list(roots)
    seen: set[Node] = set()
    while todo and len(seen) < MAX_NODES:
        node = todo.pop()
        if node in seen or node in stops or not created_from <= sequence_number(node) < _LEAF_SEQUENCE:
            continue
        seen.add(node)
        for index, (following, number) in enumerate(node.next_functions):
            if following is None:
                continue
            edge = (following, number)
            if edge in inputs:
                yield node, index, edge
            else:
                todo.append(following)
