"""Stamps the events of a step: wall time without stops, memory, and on CUDA the device's own time."""

import time

import msgspec
import torch

from hookscope.protocol.stops import StepEvent


class EventClock:
    """The clock of one step; it starts when it is made.

    Args:
        device: Where the model runs; on CUDA an event is recorded on the current stream at each stamp.
    """

    def __init__(self, device: torch.device | None) -> None:
        self._device = device if device is not None and device.type == "cuda" else None
        self._started = time.perf_counter()
        self._stamped: list[tuple[StepEvent, torch.cuda.Event]] = []
        self._first = self._mark() if self._device is not None else None

    def stamp(self, event: StepEvent) -> StepEvent:
        """Return the event with the time and memory of now. Never waits for the device."""
        time_s = time.perf_counter() - self._started
        if self._device is None:
            return msgspec.structs.replace(event, time_s=time_s)
        memory = torch.cuda.memory_allocated(self._device)
        stamped = msgspec.structs.replace(event, time_s=time_s, memory_bytes=memory)
        self._stamped.append((stamped, self._mark()))
        return stamped

    def leave_out(self, seconds: float) -> None:
        """Leave a stop out of the time."""
        self._started += seconds

    def device_times(self) -> tuple[StepEvent, ...]:
        """Wait for the device and return the stamped events with its own times; nothing on the CPU."""
        if self._first is None or not self._stamped:
            return ()
        torch.cuda.synchronize(self._device)
        first = self._first
        return tuple(
            msgspec.structs.replace(event, device_s=first.elapsed_time(mark) / 1000) for event, mark in self._stamped
        )

    def _mark(self) -> torch.cuda.Event:
        mark = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        mark.record()
        return mark
