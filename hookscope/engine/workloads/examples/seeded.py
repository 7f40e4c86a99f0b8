"""Random weights that are the same each time."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int = 0) -> Iterator[None]:
    """Make the CPU's random numbers those of a seed; afterwards they go on as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]):
        # Not torch.manual_seed, which would also seed every CUDA device.
        torch.default_generator.manual_seed(seed)
        yield
