"""What is hung on graph nodes: small callables that tell a sink which gradient came by.

Each holds a call and a leaf's name, never a node or a user's tensor, so that it keeps nothing alive. They run on the
thread on which autograd runs the node: the main thread on the CPU, autograd's device thread on CUDA.
"""

from typing import Protocol

import torch

from hookscope.engine.capture.calls import Call
from hookscope.engine.capture.view_geometry import ViewGeometry
from hookscope.engine.compat import version_of, version_probe
from hookscope.protocol.tensors import Badge, BadgeKind


class GradientSink(Protocol):
    """Who keeps the gradients. It raises nothing but `StepAborted`."""

    def output_gradient(self, call: Call, leaf: str, gradient: torch.Tensor | None, badges: tuple[Badge, ...]) -> None:
        """The gradient of an output leaf is known; `None` says that the node ran without one."""

    def input_share(
        self, call: Call, found: tuple[str, ...], gradient: torch.Tensor, badges: tuple[Badge, ...]
    ) -> None:
        """A node of the call passes a gradient on to the input that is known as `found`."""


class BaseGradientSink(Protocol):
    """Who keeps gradients of views that were modified in place. It raises nothing but `StepAborted`."""

    def base_gradient(self, call: Call, leaf: str, gradient: torch.Tensor, geometry: ViewGeometry) -> None:
        """The gradient of the base of an output leaf is known."""


class OutputGradient:
    """Sees the gradient at an output's edge."""

    __slots__ = ("_call", "_leaf", "_number", "_sink")

    def __init__(self, sink: GradientSink, call: Call, leaf: str, number: int) -> None:
        self._sink = sink
        self._call = call
        self._leaf = leaf
        self._number = number

    def __call__(self, gradients: tuple[torch.Tensor | None, ...]) -> None:
        """Take what arrives at the node."""
        self._sink.output_gradient(self._call, self._leaf, gradients[self._number], ())


class BaseGradient:
    """Sees the gradient at the edge of a view's base, and cuts the view out of it.

    A view's own hooks never fire once it was modified in place, and the base is all that is left. When the view was not
    modified, the absence of its gradient means just that, and this one says nothing.
    """

    __slots__ = ("_call", "_geometry", "_leaf", "_number", "_probe", "_sink", "_version")

    def __init__(
        self, sink: BaseGradientSink, call: Call, leaf: str, number: int, geometry: ViewGeometry, view: torch.Tensor
    ) -> None:
        self._sink = sink
        self._call = call
        self._leaf = leaf
        self._number = number
        self._geometry = geometry
        self._probe = version_probe(view)
        self._version = version_of(view)

    def __call__(self, gradients: tuple[torch.Tensor | None, ...]) -> None:
        """Take what arrives at the base's node."""
        gradient = gradients[self._number]
        if gradient is not None and version_of(self._probe) != self._version:
            self._sink.base_gradient(self._call, self._leaf, gradient, self._geometry)


class InputShare:
    """Sees what a node of the call passes on to an input."""

    __slots__ = ("_call", "_found", "_index", "_sink")

    def __init__(self, sink: GradientSink, call: Call, found: tuple[str, ...], index: int) -> None:
        self._sink = sink
        self._call = call
        self._found = found
        self._index = index

    def __call__(self, passed_on: tuple[torch.Tensor | None, ...], _received: object) -> None:
        """Take what the node passes on."""
        gradient = passed_on[self._index]
        if gradient is not None:
            self._sink.input_share(self._call, self._found, gradient, ())


class PassedThrough:
    """Sees the gradient at the edge of an input that is an output too: all of it, not only this call's share."""

    __slots__ = ("_call", "_found", "_number", "_sink")

    def __init__(self, sink: GradientSink, call: Call, found: tuple[str, ...], number: int) -> None:
        self._sink = sink
        self._call = call
        self._found = found
        self._number = number

    def __call__(self, gradients: tuple[torch.Tensor | None, ...]) -> None:
        """Take what arrives at the node."""
        gradient = gradients[self._number]
        if gradient is not None:
            self._sink.input_share(self._call, self._found, gradient, (Badge(BadgeKind.PASS_THROUGH),))
