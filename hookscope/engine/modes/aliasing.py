"""Gives a module views of its inputs, in containers of the same kind: each leaf gets a gradient edge of its own."""

import dataclasses
from typing import Any

import torch

from hookscope.engine.compat import is_functorch_wrapped, version_of
from hookscope.engine.tensor_tree import RebuiltArguments, argument_leaves


@dataclasses.dataclass(frozen=True)
class View:
    """A view of a tensor that a module runs on in its place; `version` is the in-place version that it had then."""

    tensor: torch.Tensor
    original: torch.Tensor
    version: int | None

    @property
    def is_void(self) -> bool:
        """Whether something has written to it, or to what it is a view of."""
        return version_of(self.tensor) != self.version


def view_of(tensor: torch.Tensor) -> View | None:
    """Make a view with a gradient edge of its own; `None` for a tensor that has no gradient, or no such views."""
    if not tensor.requires_grad or tensor.layout is not torch.strided or tensor.is_nested:
        return None
    if is_functorch_wrapped(tensor):
        return None
    view = tensor.view_as(tensor)
    return View(view, tensor, version_of(view))


class Aliases(RebuiltArguments):
    """The views that one call was given.

    Args:
        args: What the module was called with.
        kwargs: Likewise.

    Attributes:
        args: What it is to run with.
        kwargs: Likewise.
        views: By the leaves of these.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        views = {leaf: view_of(tensor) for leaf, tensor in argument_leaves(args, kwargs)}
        found = {leaf: view for leaf, view in views.items() if view is not None}
        super().__init__(args, kwargs, {leaf: view.tensor for leaf, view in found.items()}, strict=False)
        placed = {id(tensor) for _, tensor in argument_leaves(self.args, self.kwargs)}
        self.views = {leaf: view for leaf, view in found.items() if id(view.tensor) in placed}
