"""Which views a tensor can be drawn as, told from its spec alone."""

import re

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import TensorSpec

_BY_RANK: tuple[tuple[str, ...], ...] = (
    ("statistics", "table"),
    ("curve", "histogram", "table", "statistics"),
    ("heatmap", "histogram", "curve", "table", "statistics"),
    ("grid", "heatmap", "histogram", "curve", "table", "statistics"),
)
"""Best first; the last row is for three dims and more."""

_KERNEL_RANKS = range(3, 6)
_WITHOUT_VALUES = ("nested", "uninitialized")

# Dtypes that torch can store but not convert to numbers.
_OPAQUE_DTYPE = re.compile(r"u?int[1-7]|bits\d.*|float4_.*")


def view_kinds(spec: TensorSpec, slot: Slot) -> tuple[str, ...]:
    """Return the tags of the view requests that can be drawn, best first; `statistics` is always among them.

    Args:
        spec: What the tensor is.
        slot: Where it was taken; parameters of three to five dims are taken for kernels.
    """
    if (
        spec.count == 0
        or spec.layout in _WITHOUT_VALUES
        or spec.device.startswith("meta")
        or _OPAQUE_DTYPE.fullmatch(spec.dtype)
    ):
        return ("statistics",)
    rank = len(spec.shape)
    kinds = _BY_RANK[min(rank, len(_BY_RANK) - 1)]
    if slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD} and rank in _KERNEL_RANKS:
        return ("kernels", *kinds)
    return kinds
