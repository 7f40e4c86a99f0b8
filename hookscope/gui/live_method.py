"""A bound method of a Qt object, as long as both its halves live."""

from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from shiboken6 import isValid


class LiveMethod:
    """Refers to a method of a `QObject` and keeps nothing alive.

    Python's part of an object may outlive Qt's, and a call would raise then.
    """

    def __init__(self, method: Callable[[Any], None]) -> None:
        self._method = WeakMethod(method)

    def get(self) -> Callable[[Any], None] | None:
        """Return the method; `None` when its object is gone."""
        method = self._method()
        return method if method is not None and isValid(getattr(method, "__self__", None)) else None
