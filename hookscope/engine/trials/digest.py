"""A digest of a model's parameters and buffers, to tell later whether every bit is as it was."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import torch
from torch import nn

from hookscope.engine.convert import Unreadable, dense, quiet

_WORD = 8
"""Bytes that are taken as one whole number."""
_CHUNK = 1 << 18
"""Words that are summed at once; they stay in a processor's cache."""


class StateDigest:
    """What the parameters and buffers of a model were when this was made, a number each; no value is kept."""

    def __init__(self, model: nn.Module) -> None:
        self._numbers = _numbers(model)

    def __len__(self) -> int:
        return len(self._numbers)

    def differing(self, model: nn.Module) -> tuple[str, ...]:
        """Return the names of what has other bits now, or is not there any more, or is new."""
        now = _numbers(model)
        names = dict.fromkeys((*self._numbers, *now))
        return tuple(name for name in names if self._numbers.get(name) != now.get(name))


def _numbers(model: nn.Module) -> Mapping[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for name, tensor in state_of(model):
        try:
            with quiet(tensor):
                found[name] = (tensor.dtype, tensor.shape, _checksum(dense(tensor)))
        except Unreadable:
            continue
    return found


def state_of(model: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the parameters and buffers of a model by name, each once."""
    yield from model.named_parameters()
    yield from model.named_buffers()


def _checksum(values: torch.Tensor) -> int:
    """Return a sum of all words, each times an odd number that goes by its place, modulo 2**64.

    It is made on the tensor's device, at the speed of its memory. A word that has changed alone is always noticed.
    """
    octets = values.resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)
    rest = -octets.numel() % _WORD
    if rest or octets.storage_offset() % _WORD:
        octets = torch.cat((octets, octets.new_zeros(rest)))
    weights = _odd_numbers(octets.device)
    sums = [(words * weights[: words.numel()]).sum() for words in torch.split(octets.view(torch.int64), _CHUNK)]
    while len(sums) > 1:
        sums = [(words * weights[: words.numel()]).sum() for words in torch.split(torch.stack(sums), _CHUNK)]
    return int(sums[0].item())


@lru_cache(maxsize=8)
def _odd_numbers(device: torch.device) -> torch.Tensor:
    return torch.arange(_CHUNK, device=device) * 2 + 1
