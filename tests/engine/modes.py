"""Runs modules in one hook mode, and modules that tell the modes apart."""

import torch
from torch import nn

from hookscope.engine.pause import Gate
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import Seen, linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def with_grad(*values: float) -> torch.Tensor:
    """Return a tensor that requires grad and is no leaf."""
    return torch.tensor(values, dtype=torch.float32, requires_grad=True) * 1


def observed(model: nn.Module, mode: HookMode, run, paths: tuple[str, ...] = ("",), gate: Gate | None = None) -> Seen:
    """Run a step with these modules in a mode."""
    return step(model, run, paths, gate, modes=dict.fromkeys(paths, mode))


def detail(seen: Seen, path: str, slot: Slot, leaf: str, kind: BadgeKind) -> str:
    """Return what a badge says."""
    return next(badge.detail for badge in seen.capture(path, slot, leaf).badges if badge.kind is kind)


class Around(nn.Module):
    """Uses a tensor once through a module that returns it, and once beside it."""

    def __init__(self, same: nn.Module):
        super().__init__()
        self.same = same

    def forward(self, x):
        return self.same(x) + 100 * x


class Unrolled(nn.Module):
    """Calls one module three times."""

    def __init__(self):
        super().__init__()
        self.cell = linear(TWO)

    def forward(self, h):
        for _ in range(3):
            h = self.cell(h)
        return h
