"""How a view lies in its base, so that a view's gradient can be cut out of the base's."""

from typing import NamedTuple

import torch


class ViewGeometry(NamedTuple):
    """Where the elements of a view are within its base.

    Attributes:
        base_size: Shape of the base.
        base_stride: Strides of the base, which need not be contiguous.
        size: Shape of the view.
        stride: Strides of the view.
        offset: Of the view's first element from the base's, in elements of the view.
        of_parts: Whether the view is of real and imaginary parts of a complex base.
    """

    base_size: torch.Size
    base_stride: tuple[int, ...]
    size: torch.Size
    stride: tuple[int, ...]
    offset: int
    of_parts: bool

    def cut(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the view's part of the base's gradient, detached; it may share the gradient's memory."""
        laid = gradient.detach()
        if laid.stride() != self.base_stride:
            laid = torch.empty_strided(self.base_size, self.base_stride, dtype=laid.dtype, device=laid.device)
            laid.copy_(gradient.detach())
        if self.of_parts:
            laid = torch.view_as_real(laid)
        return laid.as_strided(self.size, self.stride, int(laid.storage_offset()) + self.offset)


def geometry_of(view: torch.Tensor, base: torch.Tensor) -> ViewGeometry | None:
    """Return how a view lies in its base; `None` for a view that changes values, as `conj` does."""
    of_parts = base.is_complex() and not view.is_complex()
    if view.is_conj() != base.is_conj() or view.is_neg() != base.is_neg():
        return None
    if view.dtype is not base.dtype and not of_parts:
        return None
    offset = int(view.storage_offset()) - int(base.storage_offset()) * (2 if of_parts else 1)
    return ViewGeometry(base.size(), base.stride(), view.size(), view.stride(), offset, of_parts)
