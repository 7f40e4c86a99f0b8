"""How much memory there is, and how much a step took."""

import os
from pathlib import Path

import torch

_DEFAULT_FREE_BYTES = 4 * 1024**3
_BUDGET_SHARE = 4


def default_budget(device: torch.device) -> int:
    """Return how many bytes captures may hold on a device, unless someone says otherwise: a quarter of what is free."""
    return free_bytes(device) // _BUDGET_SHARE


def free_bytes(device: torch.device) -> int:
    """Return the bytes that are free on a device now."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _DEFAULT_FREE_BYTES


def reset_peak(device: torch.device) -> None:
    """Start measuring the peak of a step."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def used_bytes(device: torch.device) -> int:
    """Return how much memory is in use, in bytes.

    On CUDA the peak allocated since `reset_peak`; on the CPU the resident memory of the process, or 0 where the system
    does not tell.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
