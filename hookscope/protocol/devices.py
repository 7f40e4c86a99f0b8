"""The devices that a debuggee can run on."""

import msgspec


class DeviceInfo(msgspec.Struct, frozen=True):
    """One choice of the device box.

    Attributes:
        name: PyTorch's name: `cpu`, `cuda:0`, ...; plain `cuda` stands for "no CUDA here".
        label: What a person reads, for example `cuda:0 NVIDIA H200`.
        total_bytes: Memory of the device; 0 when not known.
        unavailable: Why it cannot be chosen; `""` when it can.
    """

    name: str
    label: str
    total_bytes: int = 0
    unavailable: str = ""
