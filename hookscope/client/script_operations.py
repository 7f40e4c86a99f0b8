"""By which names Python calls the operations that PyTorch's functions are."""

_SPECIAL_NAMES: dict[str, tuple[str, ...]] = {
    "add": ("add",),
    "sub": ("sub",),
    "mul": ("mul",),
    "matmul": ("matmul",),
    "div": ("div", "truediv"),
    "floor_divide": ("floordiv",),
    "remainder": ("mod",),
    "pow": ("pow",),
    "bitwise_and": ("and",),
    "bitwise_or": ("or",),
    "bitwise_xor": ("xor",),
    "bitwise_left_shift": ("lshift",),
    "bitwise_right_shift": ("rshift",),
    "bitwise_not": ("invert",),
    "neg": ("neg",),
    "positive": ("pos",),
    "abs": ("abs",),
    "eq": ("eq",),
    "ne": ("ne",),
    "lt": ("lt",),
    "le": ("le",),
    "gt": ("gt",),
    "ge": ("ge",),
    "getitem": ("getitem",),
}
"""Operation -> what Python calls its operators, without the underscores."""

PROPERTIES = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
"""Operations that are written as attributes; their functions are all called `__get__`."""


def operator_names(operation: str) -> tuple[str, ...]:
    """Return the names of functions that are this operation too: `__add__` and `__radd__` are `add`."""
    in_place = operation.endswith("_")
    words = _SPECIAL_NAMES.get(operation.removesuffix("_"), ())
    if in_place:
        return tuple(f"__i{word}__" for word in words)
    return tuple(f"__{side}{word}__" for word in words for side in ("", "r"))
