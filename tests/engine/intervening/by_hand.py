"""Each change and each selection as one would write it by hand in plain PyTorch."""

import hashlib
from collections.abc import Callable

import numpy as np
import torch

from hookscope import changes
from hookscope.engine.intervening.changes import Moment
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span

SHAPE = (3, 4, 6)
WHERE = Moment("layer1.0", 2, 5)

Values = Callable[[torch.Tensor], torch.Tensor]


def tensor(seed: int = 0, dtype: torch.dtype = torch.float32, shape: tuple[int, ...] = SHAPE) -> torch.Tensor:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (values * 2).to(dtype)


def generator(seed: int) -> torch.Generator:
    digest = hashlib.sha256(f"{seed} 2 layer1.0".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)


def filled(x: torch.Tensor, value: float) -> torch.Tensor:
    return torch.where(torch.tensor(True), torch.full_like(x, value), x)


def clipped(x: torch.Tensor) -> torch.Tensor:
    norm = x.double().norm()
    return x * (0.5 / norm) if norm > 0.5 else x


def shuffled(x: torch.Tensor) -> torch.Tensor:
    return x[torch.randperm(len(x), generator=generator(3))]


def noisy(x: torch.Tensor) -> torch.Tensor:
    return x + 0.3 * torch.randn(x.shape, generator=generator(7), dtype=x.dtype)


def through(x: torch.Tensor) -> torch.Tensor:
    return x + (x * 3 - x).detach()


ROW = np.array([1.5], dtype=np.float64)

CHANGES: list[tuple[changes.Change, Values]] = [
    (changes.Zero(), lambda x: filled(x, 0)),
    (changes.Scale(-1.5), lambda x: x * -1.5),
    (changes.Add(0.25), lambda x: x + 0.25),
    (changes.Clamp(-0.5, 1.0), lambda x: x.clamp(-0.5, 1.0)),
    (changes.Clamp(None, 0.0), lambda x: x.clamp(max=0)),
    (changes.Clamp(0.0, None), lambda x: x.clamp(min=0)),
    (changes.ClipNorm(0.5), clipped),
    (changes.ClipNorm(1e6), lambda x: x),
    (changes.Noise(0.3, 7), noisy),
    (changes.Constant(2.5), lambda x: filled(x, 2.5)),
    (changes.Mean(0), lambda x: x.mean(0, keepdim=True).expand_as(x)),
    (changes.Mean(-1), lambda x: x.mean(-1, keepdim=True).expand_as(x)),
    (changes.Replace(ROW), lambda x: torch.full_like(x, 1.5)),
    (changes.Shuffle(3), shuffled),
    (changes.NanTo(9.0), lambda x: x),
    (changes.Flip(), lambda x: -x),
    (changes.StopGradient(), torch.Tensor.detach),
    (changes.Expression("x * 0.5 + x.mean() * step"), lambda x: x * 0.5 + x.mean() * 5),
    (changes.Expression("torch.where(x > 0, x, x * len(path)) + call"), lambda x: torch.where(x > 0, x, x * 8) + 2),
    (changes.StraightThrough(changes.Scale(3.0)), through),
]
"""`FromFile` and `FromStep` have tests of their own."""


def put(x: torch.Tensor, part: tuple[object, ...], values: Values) -> torch.Tensor:
    new = x.clone()
    new[part] = values(x[part])
    return new


def put_heads(x: torch.Tensor, values: Values) -> torch.Tensor:
    heads = x.reshape(3, 4, 3, 2)
    new = heads.clone()
    new[:, :, [0, 2]] = values(heads[:, :, [0, 2]])
    return new.reshape(SHAPE)


SELECTIONS: list[tuple[Selection | None, Callable[[torch.Tensor, Values], torch.Tensor]]] = [
    (None, lambda x, f: f(x)),
    (Index((1,)), lambda x, f: put(x, (slice(1, 2),), f)),
    (Index((Span(), Span(1, 3), -1)), lambda x, f: put(x, (slice(None), slice(1, 3), slice(5, 6)), f)),
    (Index((Span(0, None, 2),)), lambda x, f: put(x, (slice(0, None, 2),), f)),
    (Index(()), lambda x, f: put(x, (), f)),
    (Channels((1, 3)), lambda x, f: put(x, (slice(None), [1, 3]), f)),
    (Channels((-1, 5, 0), dim=-1), lambda x, f: put(x, (slice(None), slice(None), [5, 0]), f)),
    (Channels((2,), dim=0), lambda x, f: put(x, ([2],), f)),
    (Heads((0, 2), 3), put_heads),
    (MagnitudeAbove(1.0), lambda x, f: torch.where(x.abs() > 1.0, f(x), x)),
]
