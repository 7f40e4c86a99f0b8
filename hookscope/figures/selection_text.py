"""Which elements of a tensor, as a person types them: `:, 3` and `0, 2:5`, or `3, 5, 8-11`."""

import re
from collections.abc import Callable, Iterable

from hookscope.protocol.interventions import Index, Span

Translate = Callable[[str], str]

MOST_NUMBERS = 100_000
"""More than this many are taken for a slip."""

_SPAN = re.compile(r"(-?\d+)?:(-?\d+)?(?::(-?\d+)?)?")
_RANGE = re.compile(r"(\d+)\s*-\s*(\d+)")


def format_index(index: Index) -> str:
    """Write an index as `parse_index` reads it: `:, 3`."""
    return ", ".join(_format_span(part) if isinstance(part, Span) else str(part) for part in index.parts)


def parse_index(text: str, translate: Translate = str) -> Index:
    """Read what stands in the brackets of `x[...]`: numbers and slices, a comma between two dims.

    Args:
        text: As it was typed, with or without the brackets.
        translate: Gives the words of the message in the person's language.

    Raises:
        ValueError: It cannot be read; the message says which part and what to write.
    """
    typed = text.strip()
    if typed.startswith("[") and typed.endswith("]"):
        typed = typed[1:-1]
    parts = [part.strip() for part in typed.strip().removesuffix(",").split(",")]
    if parts == [""]:
        raise ValueError(translate("Write an index, for example : , 3 for channel 3 of every sample."))
    return Index(tuple(_parse_part(part, translate) for part in parts))


def format_numbers(numbers: Iterable[int]) -> str:
    """Write numbers as `parse_numbers` reads them: `3, 5`."""
    return ", ".join(map(str, numbers))


def parse_numbers(text: str, translate: Translate = str) -> tuple[int, ...]:
    """Read numbers from 0 on, and ranges of them, separated by commas: `3, 5, 8-11`, which includes 11.

    Args:
        text: As it was typed.
        translate: Gives the words of the message in the person's language.

    Raises:
        ValueError: It cannot be read; the message says which part and what to write.
    """
    numbers: dict[int, None] = {}
    for part in (part.strip() for part in text.split(",") if part.strip()):
        found = _RANGE.fullmatch(part)
        if found is None and not part.isdecimal():
            message = translate("“{part}” is no number; write for example 3, 5 or 8-11.")
            raise ValueError(message.format(part=part))
        first, last = (int(found[1]), int(found[2])) if found is not None else (int(part), int(part))
        if last - first >= MOST_NUMBERS:
            raise ValueError(translate("“{part}” is too many.").format(part=part))
        numbers.update(dict.fromkeys(range(first, last + 1)))
    if not numbers:
        raise ValueError(translate("Write numbers, for example 3, 5 or 8-11."))
    return tuple(numbers)


def _parse_part(part: str, translate: Translate) -> int | Span:
    if re.fullmatch(r"-?\d+", part):
        return int(part)
    found = _SPAN.fullmatch(part.replace(" ", ""))
    if found is None:
        message = translate("“{part}” is no index; write a number, a slice such as 2:5, or : for a whole dim.")
        raise ValueError(message.format(part=part))
    start, stop, step = (int(group) if group is not None else None for group in found.groups())
    if step is not None and step <= 0:
        raise ValueError(translate("The step of “{part}” must be above 0.").format(part=part))
    return Span(start, stop, step)


def _format_span(span: Span) -> str:
    start, stop = ("" if end is None else str(end) for end in (span.start, span.stop))
    return f"{start}:{stop}" if span.step is None else f"{start}:{stop}:{span.step}"
