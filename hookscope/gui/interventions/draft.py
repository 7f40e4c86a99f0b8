"""What a form has proposed, so that a refused proposal gives way to the one before it."""

from typing import Generic, TypeVar

_KEPT = 100
_T = TypeVar("_T")


class Draft(Generic[_T]):
    """The proposals since a form shows something, the newest last.

    Args:
        shown: What it is at first.
    """

    def __init__(self, shown: _T) -> None:
        self._proposals = [shown]

    @property
    def newest(self) -> _T:
        """What is in force as far as the form knows."""
        return self._proposals[-1]

    def propose(self, proposal: _T) -> None:
        """Note a proposal; the oldest of very many are forgotten."""
        self._proposals = [*self._proposals[-_KEPT:], proposal]

    def refuse(self) -> _T | None:
        """Give the newest proposal up; return the one before it, or `None` when it was the first."""
        if len(self._proposals) == 1:
            return None
        self._proposals.pop()
        return self.newest
