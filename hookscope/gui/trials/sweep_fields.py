"""Which numbers of a change can be swept, and over which range at first."""

from dataclasses import dataclass
from types import UnionType
from typing import Annotated, get_args, get_origin

import msgspec
from msgspec import Meta

from hookscope.protocol.tensor_changes import Change, StraightThrough

_WIDTH = 2.0
"""A number without a range of its own is swept from itself over so many of itself."""
_WHOLE_WIDTH = 9


@dataclass(frozen=True)
class SweepField:
    """A number of a change.

    Attributes:
        name: What it is called in the program.
        title: What it is called in the form, in English.
        low: Where a sweep begins at first.
        high: Where it ends.
        is_log: Whether it goes over powers of ten.
        is_whole: Whether it is a whole number.
    """

    name: str
    title: str
    low: float
    high: float
    is_log: bool = False
    is_whole: bool = False


def sweep_fields(change: Change) -> tuple[SweepField, ...]:
    """Return the numbers of a change, of a straight-through one those of what it wraps."""
    inner = change.change if isinstance(change, StraightThrough) else change
    found = []
    for info in msgspec.structs.fields(type(inner)):
        is_annotated = get_origin(info.type) is Annotated
        type_, meta = get_args(info.type)[:2] if is_annotated else (info.type, Meta())
        kinds = set(get_args(type_)) if isinstance(type_, UnionType) else {type_}
        if kinds & {int, float} and kinds <= {int, float, type(None)}:
            found.append(_field_of(info.name, meta, getattr(inner, info.name), is_whole=float not in kinds))
    return tuple(found)


def _field_of(name: str, meta: Meta, value: float | None, *, is_whole: bool) -> SweepField:
    extra = meta.extra or {}
    start = 0.0 if value is None else float(value)
    first, last = (start, start + _WHOLE_WIDTH) if is_whole else (start, start * _WIDTH or 1.0)
    low, high = extra.get("slider", (first, last))
    return SweepField(name, meta.title or name, low, high, bool(extra.get("log")), is_whole)
