"""The devices that this process can run a model on, and moving a workload to one of them."""

import os
import warnings

import torch
from torch import nn

from hookscope.engine.failure_report import failed, raised
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.devices import DeviceInfo
from hookscope.protocol.failures import FailureKind


def list_devices() -> tuple[DeviceInfo, ...]:
    """Return the CPU, then every CUDA device, or one row that says why there is none. Never raises."""
    cpu = DeviceInfo("cpu", "CPU", _main_memory_bytes())
    reason = _why_no_cuda()
    if reason:
        return cpu, DeviceInfo("cuda", "CUDA", unavailable=reason)
    return cpu, *(_describe_cuda(index) for index in range(torch.cuda.device_count()))


def check_device(name: str) -> torch.device:
    """Return the device of that name, after a byte was allocated there.

    Args:
        name: `cpu`, `cuda:0`, ...; `cuda` alone is `cuda:0`.

    Raises:
        FailureError: `DEVICE_UNAVAILABLE`: no such device, none of a kind that hookscope runs on, or one that does not
            answer.
    """
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise failed(FailureKind.DEVICE_UNAVAILABLE, device=name, reason="PyTorch knows no such device.") from error
    if device.type == "cpu":
        return torch.device("cpu")
    if device.type != "cuda":
        raise failed(FailureKind.DEVICE_UNAVAILABLE, device=name, reason="hookscope runs on CPU and CUDA.")
    reason = _why_no_cuda()
    if reason:
        raise failed(FailureKind.DEVICE_UNAVAILABLE, device=name, reason=_sentence(reason))
    device = torch.device("cuda", device.index or 0)
    count = torch.cuda.device_count()
    if device.index >= count:
        raise failed(
            FailureKind.DEVICE_UNAVAILABLE, device=name, reason=f"The last CUDA device here is cuda:{count - 1}."
        )
    try:
        torch.empty(1, dtype=torch.uint8, device=device)
    except RuntimeError as error:
        raise raised(FailureKind.DEVICE_UNAVAILABLE, error, device=name, reason=_first_line(error)) from error
    return device


def move_workload(workload: Workload, device: torch.device) -> None:
    """Move the model, a loss that is a module, and the optimizer's state; the batches follow when they are prepared.

    Raises:
        FailureError: `OUT_OF_MEMORY`, or `DEVICE_UNAVAILABLE` when the model cannot be moved there.
    """
    try:
        workload.model.to(device)
        if isinstance(workload.loss, nn.Module):
            workload.loss.to(device)
        if workload.optimizer is not None:
            _move_state(workload.optimizer)
    except Exception as error:
        raise raised(
            FailureKind.DEVICE_UNAVAILABLE, error, device=str(device), reason="The model cannot be moved there."
        ) from error


def _move_state(optimizer: torch.optim.Optimizer) -> None:
    for group in optimizer.param_groups:
        # Step counters stay on the CPU unless the optimizer counts on the device.
        counts_on_device = bool(group.get("capturable") or group.get("fused"))
        for parameter in group["params"]:
            state = optimizer.state.get(parameter, {})
            for name, value in state.items():
                if name != "step" or counts_on_device:
                    state[name] = _moved(value, parameter.device)


def _moved(value: object, device: torch.device) -> object:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, list):  # LBFGS keeps lists of old directions
        return [_moved(item, device) for item in value]
    return value


def _why_no_cuda() -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if torch.cuda.is_available():
            return ""
    if torch.version.cuda is None and torch.version.hip is None:
        return "this PyTorch build has no CUDA support"
    # PyTorch says why in a warning, for example that the driver is too old.
    detail = _first_line(caught[0].message).partition(". ")[0] if caught else ""
    return f"no CUDA device was found ({detail})" if detail else "no CUDA device was found"


def _describe_cuda(index: int) -> DeviceInfo:
    name = f"cuda:{index}"
    try:
        properties = torch.cuda.get_device_properties(index)
    except (RuntimeError, AssertionError) as error:
        return DeviceInfo(name, name, unavailable=_first_line(error))
    return DeviceInfo(name, f"{name} {properties.name}", properties.total_memory)


def _main_memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return 0


def _first_line(error: object) -> str:
    return str(error).strip().partition("\n")[0]


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."
