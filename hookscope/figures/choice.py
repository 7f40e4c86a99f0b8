"""Which views a tensor can be drawn as, told from its spec alone."""

import re
from collections.abc import Callable

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import TensorSpec

_WITHOUT_VALUES = ("nested", "uninitialized")

# Dtypes that torch can store but not convert to numbers.
_OPAQUE_DTYPE = re.compile(r"u?int[1-7]|bits\d.*|float4_.*")

_PARAMETERS = frozenset({Slot.PARAMETER, Slot.PARAMETER_GRAD})
_COLORS = 3

_FEW = 12
"""Elements that are sooner read than looked at."""

_Test = Callable[[TensorSpec, Slot], bool]


def view_kinds(spec: TensorSpec, slot: Slot) -> tuple[str, ...]:
    """Return the tags of the view requests that can be drawn, best first; `statistics` is always among them.

    Args:
        spec: What the tensor is.
        slot: Where it was taken; parameters of three to five dims are taken for kernels.
    """
    if not has_values(spec):
        return ("statistics",)
    return tuple(dict.fromkeys(kind for kind, fits in _FITTING if fits(spec, slot)))


def has_values(spec: TensorSpec) -> bool:
    """Whether a tensor has elements whose values can be read."""
    return not (
        spec.count == 0
        or spec.layout in _WITHOUT_VALUES
        or spec.device.startswith("meta")
        or _OPAQUE_DTYPE.fullmatch(spec.dtype)
    )


def _rank(least: int, most: int | None = None) -> _Test:
    def fits(spec: TensorSpec, slot: Slot) -> bool:
        del slot
        return least <= len(spec.shape) and (most is None or len(spec.shape) <= most)

    return fits


def _are_kernels(spec: TensorSpec, slot: Slot) -> bool:
    return slot in _PARAMETERS and 3 <= len(spec.shape) <= 5


def _has_colors(spec: TensorSpec, slot: Slot) -> bool:
    is_picture = len(spec.shape) >= 3 and slot not in _PARAMETERS
    return is_picture and max(spec.shape[-3], spec.shape[-1]) >= _COLORS and not spec.dtype.startswith("complex")


def _is_matrix(spec: TensorSpec, slot: Slot) -> bool:
    return len(spec.shape) == 2 or _are_kernels(spec, slot)


def _has_rows_to_compare(spec: TensorSpec, slot: Slot) -> bool:
    return len(spec.shape) in {2, 3} and not _are_kernels(spec, slot)


def _may_be_query(spec: TensorSpec, slot: Slot) -> bool:
    return len(spec.shape) in {3, 4} and slot in {Slot.INPUT, Slot.OUTPUT} and "float" in spec.dtype


def _are_few(spec: TensorSpec, slot: Slot) -> bool:
    del slot
    return len(spec.shape) <= 2 and spec.count <= _FEW


_FITTING: tuple[tuple[str, _Test], ...] = (
    ("table", _are_few),
    ("kernels", _are_kernels),
    ("grid", _rank(3)),
    ("heatmap", _rank(2)),
    ("rgb", _has_colors),
    ("curve", _rank(1, 1)),
    ("histogram", _rank(1)),
    ("curve", _rank(2)),
    ("channels", _rank(2)),
    ("sparsity", _rank(2)),
    ("singular_values", _is_matrix),
    ("cosine", _has_rows_to_compare),
    ("embedding", _rank(2)),
    ("attention", _may_be_query),
    ("scatter", _rank(1)),
    ("table", _rank(0)),
    ("statistics", _rank(0)),
)
"""Best first. Of a tag that stands twice, the first place that fits counts."""
