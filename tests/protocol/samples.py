"""Instances of any struct of the protocol, made from its type hints."""

import enum
import itertools
import types
import typing

import msgspec

PLAIN: dict[type, tuple[object, ...]] = {
    str: ("layer1.0.conv1", ""),
    int: (3, 0, -1),
    float: (0.5, -1e30),
    bool: (True, False),
    bytes: (b"\x00\xff", b""),
    types.NoneType: (None,),
}


def samples(kind: object) -> list[object]:
    """Return a few values of a type: every alternative of a union, every member of an enum, empty and filled sequences.

    Raises:
        TypeError: The type is none that the protocol has used so far.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return [value for value in samples(arguments[0]) if _is_within(value, kind)]
    if origin in (typing.Union, types.UnionType):
        return [value for alternative in arguments for value in samples(alternative)]
    if origin is tuple and arguments[-1] is Ellipsis:
        return [tuple(samples(arguments[0])), ()]
    if origin is tuple:
        return [tuple(samples(argument)[0] for argument in arguments)]
    if origin is dict:
        return [{key: value for key in samples(arguments[0]) for value in samples(arguments[1])}, {}]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return list(struct_samples(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return list(kind)
    if isinstance(kind, type) and kind in PLAIN:
        return list(PLAIN[kind])
    raise TypeError(f"no samples of {kind}")


def _is_within(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def struct_samples(kind: type[msgspec.Struct]) -> list[msgspec.Struct]:
    """Return structs among which every sample of every field occurs, and one that has only what has no default."""
    fields = msgspec.structs.fields(kind)
    choices = [samples(field.type) for field in fields]
    rounds = max((len(choice) for choice in choices), default=1)
    columns = [itertools.islice(itertools.cycle(choice), rounds) for choice in choices]
    made = [kind(*values) for values in zip(*columns, strict=True)] if fields else [kind()]
    required = {field.name: samples(field.type)[0] for field in fields if field.required}
    return [*made, kind(**required)]
