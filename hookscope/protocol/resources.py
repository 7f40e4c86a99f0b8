"""Where the files of `resources/` are: beside the package in a checkout, inside it when it was installed."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
# The installed place comes first: beside an installed package, `resources` may be somebody else's.
_PLACES = (_PACKAGE / "_resources", _PACKAGE.parent / "resources")


def resource_path(relative: str) -> Path:
    """Return the absolute path of a resource.

    Args:
        relative: Path below `resources/`, with forward slashes, for example `models/digits.pt`.

    Raises:
        FileNotFoundError: It is in neither place; the message names both.
    """
    for place in _PLACES:
        path = place / relative
        if path.exists():
            return path
    raise FileNotFoundError(f"resource {relative!r} is neither in {_PLACES[0]} nor in {_PLACES[1]}")
