"""Where and when a change is applied, and what follows from that alone."""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import nn

from hookscope.protocol.identity import TensorRef

Captured = Callable[[TensorRef, int], AbstractContextManager[torch.Tensor | None]]
"""Lends the values of a capture, by its ref and step; `None` when there is none. They are not written to."""


@dataclass(frozen=True)
class Moment:
    """Where and when a change is applied.

    Attributes:
        path: The module.
        call: Index of its call; a recomputed call has the index of the one that it repeats.
        step: Number of the step.
        module: The module itself, for expressions.
        captured: Lends captures of other steps; `None` where there are none to be had.
        ref: The tensor that is changed.
    """

    path: str
    call: int
    step: int
    module: nn.Module | None = None
    captured: Captured | None = None
    ref: TensorRef | None = None


def seed_of(seed: int, path: str, call: int) -> int:
    """Return what the random numbers of a change begin with: the same in every step, process and recomputation.

    The first eight bytes of the SHA-256 of `"SEED CALL PATH"`, without the sign bit.
    """
    digest = hashlib.sha256(f"{seed} {call} {path}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def generator_for(seed: int, moment: Moment, device: torch.device) -> torch.Generator:
    """Make a generator on a device for one application of a change; torch's own ones are left alone."""
    generator = torch.Generator(device)
    generator.manual_seed(seed_of(seed, moment.path, moment.call))
    return generator
