"""The flags of torch that code in a model may leave changed: grad mode, autocast, defaults, fast path."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

_Flag = tuple[Callable[[], Any], Callable[[Any], object]]


def _set_default_device(device: torch.device) -> None:
    # Without a default, torch says "cpu"; setting that would put a function mode around every call.
    torch.set_default_device(None if device.type == "cpu" else device)


_FLAGS: tuple[_Flag, ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_default_device, _set_default_device),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled),
)


class TorchFlags:
    """The flags of this thread and process as they are now.

    Args:
        device: Where the model runs: its autocast is among them, beside the CPU's.
    """

    def __init__(self, device: torch.device) -> None:
        flags = list(_FLAGS)
        for kind in dict.fromkeys(("cpu", device.type)):
            flags.append((partial(torch.is_autocast_enabled, kind), partial(torch.set_autocast_enabled, kind)))
            flags.append((partial(torch.get_autocast_dtype, kind), partial(torch.set_autocast_dtype, kind)))
        self._then = [(get, put, get()) for get, put in flags]

    def restore(self) -> None:
        """Set those that are others now."""
        for get, put, then in self._then:
            if get() != then:
                put(then)
