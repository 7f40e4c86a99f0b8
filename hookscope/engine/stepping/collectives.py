"""Warns before a stop holds up the other ranks of a distributed run."""

import sys

import torch

WARNING = (
    "hookscope: this process is a rank of a distributed run. While it is stopped, the collectives of the other ranks "
    "wait for it, and may time out."
)


class CollectivesWarning:
    """Prints the warning at the first stop of a process that is part of a distributed run; the window logs it."""

    def __init__(self) -> None:
        self._is_told = False

    def tell(self) -> None:
        """Warn, if that is called for and was not done yet. Called on the thread that is about to stop."""
        distributed = torch.distributed
        if not self._is_told and distributed.is_available() and distributed.is_initialized():
            self._is_told = True
            print(WARNING, file=sys.stderr, flush=True)
