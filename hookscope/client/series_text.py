"""What is followed, as a text that can be kept."""

from collections.abc import Iterable

import msgspec

from hookscope.protocol.series import Series


def series_to_json(series: Iterable[Series]) -> str:
    """Return a text that `series_from_json` reads back."""
    return msgspec.json.encode(tuple(series)).decode()


def series_from_json(text: str) -> tuple[Series, ...]:
    """Return the series of a text.

    Raises:
        ValueError: It is none of `series_to_json`.
    """
    try:
        return msgspec.json.decode(text, type=tuple[Series, ...])
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
