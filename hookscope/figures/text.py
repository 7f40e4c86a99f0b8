"""Numbers and names as people read them. The units are international symbols; nothing here needs a translation."""

import math
from collections.abc import Sequence

from hookscope.protocol.identity import LOCAL_PREFIX, Slot, TensorRef

SIGNIFICANT_DIGITS = 4
EXPONENT_BELOW = 1e-4
EXPONENT_FROM = 1e6

_WIDEST_EXPONENT = 300
"""Powers of ten between these are normal numbers."""

_BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_ARGUMENT_ROOTS = ("args.", "kwargs.", "out.")


def format_number(value: float) -> str:
    """Write a number with four significant digits, or an `int` exactly with separators of thousands.

    `0.25`, `1797.3` as `1797`, `1250000.0` as `1.25e6`, `NaN`, `+Inf`, `-Inf`.
    """
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0.0:
        return "0"
    scientific = f"{value:.{SIGNIFICANT_DIGITS - 1}e}"
    mantissa, exponent = scientific.split("e")
    # Both limits hold for the rounded value: 999,999.7 is 1e6 and not 1000000.
    if abs(float(scientific)) < EXPONENT_BELOW or abs(value) >= EXPONENT_FROM - 0.5:
        return f"{_without_end_zeros(mantissa)}e{int(exponent)}"
    return _without_end_zeros(f"{value:.{max(0, SIGNIFICANT_DIGITS - 1 - int(exponent))}f}")


def format_power(exponent: float) -> str:
    """Write ten to the power of a number as `format_number` does, also where a float cannot hold it."""
    if abs(exponent) < _WIDEST_EXPONENT:
        return format_number(10.0**exponent)
    whole = math.floor(exponent)
    mantissa, carried = f"{10.0 ** (exponent - whole):.{SIGNIFICANT_DIGITS - 1}e}".split("e")
    return f"{_without_end_zeros(mantissa)}e{whole + int(carried)}"


def _without_end_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_bytes(size_bytes: int) -> str:
    """Write a size in binary units: `512 B`, `1.5 KiB`, `24.0 MiB`."""
    size = float(size_bytes)
    for unit in _BYTE_UNITS[:-1]:
        # 1023.95 and not 1024, so that no size rounds to `1024.0 KiB`.
        if size < (1024 if unit == "B" else 1023.95):
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_BYTE_UNITS[-1]}"


def format_duration(seconds: float) -> str:
    """Write a wall time: `850 µs`, `12.3 ms`, `1.24 s`, `2 min 05 s`, `1 h 02 min`."""
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.99995:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 59.995:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def format_shape(shape: Sequence[int]) -> str:
    """Write sizes as `16 × 32 × 8 × 8`, one as `10`, none as `scalar`, and one that differs (-1) as `?`."""
    return " × ".join(str(size) if size >= 0 else "?" for size in shape) if shape else "scalar"


def type_label(instead: str) -> str:
    """Shorten what there is instead of a tensor to its type: `int: 3` is `int`, and `package.module.Cache` `Cache`."""
    return instead.partition(": ")[0].rpartition(".")[2]


def value_label(instead: str) -> str:
    """Shorten what there is instead of a tensor to its value, or to its type where that is all that is told."""
    return instead.partition(": ")[2] or type_label(instead)


def leaf_label(leaf: str) -> str:
    """Shorten a leaf for people: `args.0` is `0`, `kwargs.mask` is `mask`, `out` is empty, `out.logits` is `logits`."""
    if leaf in {"args", "kwargs", "out"}:
        return ""
    for root in _ARGUMENT_ROOTS:
        if leaf.startswith(root):
            return leaf.removeprefix(root)
    return leaf


def slot_label(ref: TensorRef) -> str:
    """Name the tensor of a ref within its module in PyTorch's words.

    `output`, `input 0`, `grad_input mask`, `weight`, `weight grad`; a second call adds `, call 1`, and of an operation
    its name stands first: `add:1 output`; a local variable has its own name.
    """
    if ref.operation.startswith(LOCAL_PREFIX):
        return ref.leaf
    match ref.slot:
        case Slot.PARAMETER:
            name = ref.leaf
        case Slot.PARAMETER_GRAD:
            name = f"{ref.leaf} grad"
        case slot:
            name = f"{slot} {leaf_label(ref.leaf)}".rstrip()
    name = f"{ref.operation} {name}".lstrip()
    return f"{name}, call {ref.call}" if ref.call else name
