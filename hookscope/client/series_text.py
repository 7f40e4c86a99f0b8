"""What is followed, as a text that can be kept."""

import json
from collections.abc import Iterable

import msgspec

from hookscope.protocol.series import Series


def series_to_json(series: Iterable[Series]) -> str:
    """Return a text that `series_from_json` reads back."""
    return json.dumps(msgspec.to_builtins(tuple(series)))


def series_from_json(text: str) -> tuple[Series, ...]:
    """Return the series of a text.

    Raises:
        ValueError: It is none of `series_to_json`.
    """
    try:
        return msgspec.convert(json.loads(text), tuple[Series, ...])
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
