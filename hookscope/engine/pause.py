"""How a running step is stopped or talked to: wishes that the reader thread sets and every hook looks at."""

import threading
from collections.abc import Callable


class StepAborted(BaseException):
    """Raised in a hook to end the step."""


class Gate:
    """The wishes of the window for the running step. Set on the reader thread, obeyed at safe points in hooks.

    Args:
        errand: Run at the next safe point on the main thread (where the gate is made) once `errand_wanted` is set.
    """

    def __init__(self, errand: Callable[[], None] | None = None) -> None:
        self.abort_wanted = False
        self.pause_wanted = False
        """Stop at the next event."""
        self.finish_wanted = False
        """End the run after this step."""
        self.errand_wanted = False
        self._errand = errand
        self._main_thread = threading.get_ident()

    def reset(self) -> None:
        """Forget old wishes to end; called when a run is asked for."""
        self.abort_wanted = False
        self.pause_wanted = False
        self.finish_wanted = False

    def pass_safe_point(self) -> None:
        """Go on, or end the step. Called in hooks, outside of any lock.

        Raises:
            StepAborted: The window asked for Stop.
        """
        if self.abort_wanted:
            raise StepAborted
        if self.errand_wanted and threading.get_ident() == self._main_thread:
            self.run_errand()

    def run_errand(self) -> None:
        """Obey what must not wait for the end of the step. On the main thread, or on the one that is stopped."""
        self.errand_wanted = False
        if self._errand is not None:
            self._errand()
