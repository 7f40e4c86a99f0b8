"""Puts the state of a workload back after a step, and says what could not be."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from hookscope.engine.state.state_snapshot import StateSnapshot
from hookscope.engine.workloads.workload import Workload


class StateKeeper:
    """Keeps the state of one workload while steps run. Belongs to the main thread.

    Args:
        workload: Whose model, loss and optimizer.
    """

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._told: set[str] = set()

    @contextmanager
    def restored(self, device: torch.device, *, parameters: bool, only_if_given_up: bool = False) -> Iterator[None]:
        """Put the state back however the step in the block ends, or only when it does not come to its end.

        Args:
            device: Where the model runs.
            parameters: Whether parameters and the optimizer's state are put back too.
            only_if_given_up: Whether a step that came to its end is left as it is.
        """
        workload = self._workload
        beside = (workload.loss,) if isinstance(workload.loss, nn.Module) else ()
        snapshot = StateSnapshot.take(
            workload.model,
            device,
            parameters=parameters,
            beside=beside,
            optimizer=workload.optimizer,
        )
        came_to_its_end = False
        try:
            yield
            came_to_its_end = True
        finally:
            if not (came_to_its_end and only_if_given_up):
                snapshot.restore()
                self._tell(snapshot.not_restored())

    def _tell(self, not_restored: tuple[str, ...]) -> None:
        """Print what a step left changed, each once."""
        for text in not_restored:
            if text not in self._told:
                print(f"hookscope: not as it was before the step: {text}", file=sys.stderr)
                self._told.add(text)
