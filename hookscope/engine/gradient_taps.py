"""What is hung on graph edges and parameters: small callables that tell a sink which gradient came by.

Each holds a call and a leaf's name, never a node or a user's tensor, so that it keeps nothing alive. They run on the
thread on which autograd runs the node: the main thread on the CPU, autograd's device thread on CUDA.
"""

import weakref
from typing import Protocol

import torch

from hookscope.engine.calls import Call
from hookscope.engine.compat import version_of
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind

Geometry = tuple[torch.Size, tuple[int, ...], int | torch.SymInt]
"""Size, stride and storage offset of a view within its base."""


class GradientSink(Protocol):
    """Who keeps the gradients. It raises nothing but `StepAborted`."""

    def output_gradient(self, call: Call, leaf: str, gradient: torch.Tensor | None, badges: tuple[Badge, ...]) -> None:
        """The gradient of an output leaf is known; `None` says that the node ran without one."""

    def input_share(
        self, call: Call, found: tuple[str, ...], gradient: torch.Tensor, badges: tuple[Badge, ...]
    ) -> None:
        """A node of the call passes a gradient on to the input that is known as `found`."""

    def parameter_gradient(self, ref: TensorRef, gradient: torch.Tensor) -> None:
        """A gradient was accumulated into a parameter; `gradient` is what it holds now."""


class OutputGradient:
    """Sees the gradient at an output's edge."""

    __slots__ = ("_call", "_leaf", "_sink")

    def __init__(self, sink: GradientSink, call: Call, leaf: str) -> None:
        self._sink = sink
        self._call = call
        self._leaf = leaf

    def __call__(self, gradient: torch.Tensor | None) -> None:
        """Take what autograd passes by."""
        self._sink.output_gradient(self._call, self._leaf, gradient, ())


class BaseGradient:
    """Sees the gradient at the edge of a view's base, and cuts the view out of it.

    A view's own hooks never fire once it was modified in place, and the base is all that is left. When the view is
    known to be unmodified, the absence of its gradient means just that, and this one says nothing.
    """

    __slots__ = ("_call", "_geometry", "_leaf", "_sink", "_version", "_view")

    def __init__(
        self, sink: GradientSink, call: Call, leaf: str, geometry: Geometry, view: torch.Tensor, version: int | None
    ) -> None:
        self._sink = sink
        self._call = call
        self._leaf = leaf
        self._geometry = geometry
        self._view = weakref.ref(view)
        self._version = version

    def __call__(self, gradient: torch.Tensor | None) -> None:
        """Take what autograd passes by."""
        view = self._view()
        unmodified = view is not None and version_of(view) == self._version
        if gradient is None or unmodified or gradient.layout is not torch.strided:
            return
        cut = gradient.contiguous().as_strided(*self._geometry)
        self._sink.output_gradient(self._call, self._leaf, cut, (Badge(BadgeKind.FROM_BASE),))


class InputShare:
    """Sees what a node of the call passes on to an input."""

    __slots__ = ("_badges", "_call", "_found", "_sink")

    def __init__(self, sink: GradientSink, call: Call, found: tuple[str, ...], badges: tuple[Badge, ...]) -> None:
        self._sink = sink
        self._call = call
        self._found = found
        self._badges = badges

    def __call__(self, gradient: torch.Tensor | None) -> None:
        """Take what autograd passes by."""
        if gradient is not None:
            self._sink.input_share(self._call, self._found, gradient, self._badges)


class ParameterGradient:
    """Sees a parameter after a gradient was accumulated into it."""

    __slots__ = ("_ref", "_sink")

    def __init__(self, sink: GradientSink, ref: TensorRef) -> None:
        self._sink = sink
        self._ref = ref

    def __call__(self, parameter: torch.Tensor) -> None:
        """Take the gradient that the parameter holds."""
        if parameter.grad is not None:
            self._sink.parameter_gradient(self._ref, parameter.grad)
