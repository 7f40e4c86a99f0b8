"""Lets whoever waits for long work on a tensor hear how far it is, and give it up. Each thread has its own listener."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_thread = threading.local()


class GivenUp(BaseException):
    """The work is not wanted any more. No `Exception`, so that nobody takes it for a fault of the work."""


@contextmanager
def heard_by(listener: Callable[[int], None]) -> Iterator[None]:
    """Tell a listener of the work that this thread does in the block.

    Args:
        listener: Given the elements that were looked at since it was told last; it may raise `GivenUp`.
    """
    before = getattr(_thread, "listener", None)
    _thread.listener = listener
    try:
        yield
    finally:
        _thread.listener = before


def looked_at(elements: int) -> None:
    """Say that so many elements more were looked at; nothing happens when nobody listens.

    Raises:
        GivenUp: Stop here.
    """
    listener: Callable[[int], None] | None = getattr(_thread, "listener", None)
    if listener is not None:
        listener(elements)
