"""Private copies of tensors, in buffers that are reused from step to step under a byte budget.

A buffer belongs to the step that copied into it, and to those it is shared with. `copy_*` run in hooks, on whichever
thread fired them, and usually take no lock; `release` runs there too, `begin_step` and `drop_step` on the main thread,
and `reading` on any. A buffer is reused only when its steps were dropped and nobody reads it, so a reader never sees a
capture change.
"""

import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from hookscope.engine.compat import is_functorch_wrapped, version_of
from hookscope.engine.specs import spec_of
from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.workload import CapturePlace

_Key = tuple[torch.Size, tuple[int, ...], torch.dtype, torch.device]
_IDLE_STEPS = 3
"""A buffer that has been free for so long, because no step wanted it, is given back to the allocator."""
_RECENT_GRADIENTS = 3
"""A gradient is handed from a node to the next one at once, so looking back this far finds it."""


class OverBudgetError(Exception):
    """A copy would exceed the byte budget."""


class NoDataError(Exception):
    """The tensor has no values that could be copied; the text says why."""


class WrappedError(Exception):
    """The tensor is a wrapper around the one that has the values; `wrapped.plain_value` finds it."""


class Buffer:
    """One private copy.

    Attributes:
        tensor: The copy, detached.
        spec: What it is a copy of.
        key: What can be copied into it later; `None` if nothing can.
        owners: How many steps it belongs to that were not dropped.
        free_since: Of a free one, the step in which it became so.
        ready: Of a tensor on CUDA, the event after which the copy is complete; a reader waits for it.
    """

    __slots__ = ("free_since", "key", "owners", "readers", "ready", "spec", "tensor")

    def __init__(self, tensor: torch.Tensor, spec: TensorSpec, key: _Key | None) -> None:
        self.tensor = tensor
        self.spec = spec
        self.key = key
        self.owners = 0
        self.readers = 0
        self.free_since = 0
        self.ready: torch.cuda.Event | None = None


class BufferPool:
    """Copies tensors, each once per step however many slots it appears in.

    Args:
        budget_bytes: What all buffers together may hold.

    Attributes:
        held_bytes: What they hold.
        make_room: Asked to drop an old step when the budget is reached; returns whether it did.
        lock: Guards buffers that change hands; who drops steps takes it too.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self.held_bytes = 0
        self.make_room: Callable[[], bool] = _no_room
        self._place = CapturePlace.DEVICE
        self._step = 0
        self.lock = threading.RLock()
        self._used: dict[int, list[Buffer]] = defaultdict(list)
        self._shared: dict[int, list[Buffer]] = defaultdict(list)
        self._bytes_of: dict[int, int] = {}
        self._free: dict[_Key, list[Buffer]] = {}
        self._copied: dict[int, tuple[weakref.ref[torch.Tensor], int, Buffer]] = {}
        self._recent_gradients: list[tuple[torch.Tensor, int, int, Buffer]] = []
        self._overwritten: set[Buffer] = set()

    def set_budget(self, budget_bytes: int) -> None:
        """Hold at most this from now on. What is too much goes at once, apart from the captures of the newest step."""
        with self.lock:
            self.budget_bytes = budget_bytes
            while self.held_bytes > budget_bytes and (self._discard_free() or self.make_room()):
                pass

    def set_place(self, place: CapturePlace) -> None:
        """Copy to here from now on. Copies that are elsewhere stay as long as their step, and are not reused."""
        if place is self._place:
            return
        with self.lock:
            self._place = place
            self._discard_free()
            for buffers in (*self._used.values(), *self._shared.values()):
                for buffer in buffers:
                    buffer.key = None

    def begin_step(self, step: int) -> None:
        """Open a step, and give back buffers that no step has wanted for a while."""
        self.end_step()
        with self.lock:
            if self._step in self._used:
                self._bytes_of[self._step] = sum(buffer.spec.size_bytes for buffer in self._used[self._step])
            self._step = step
            for free in self._free.values():
                idle = [buffer for buffer in free if buffer.free_since < step - _IDLE_STEPS]
                self.held_bytes -= sum(buffer.spec.size_bytes for buffer in idle)
                free[:] = [buffer for buffer in free if buffer.free_since >= step - _IDLE_STEPS]
            self._free = {key: free for key, free in self._free.items() if free}

    def end_step(self) -> None:
        """Let go of the user's tensors; the copies stay."""
        self._copied.clear()
        self._recent_gradients.clear()
        self._overwritten.clear()

    def bytes_of(self, step: int | None = None) -> int:
        """Return what the copies of a step take that is over, or those of all such steps that were not dropped."""
        return sum(self._bytes_of.values()) if step is None else self._bytes_of.get(step, 0)

    def drop_step(self, step: int) -> None:
        """Make a step's buffers free; those that are being read become free when the reader is done."""
        with self.lock:
            self._bytes_of.pop(step, None)
            for buffer in (*self._used.pop(step, ()), *self._shared.pop(step, ())):
                buffer.owners -= 1
                if not (buffer.owners or buffer.readers):
                    self._make_free(buffer)

    def share(self, buffer: Buffer, step: int) -> None:
        """Keep a copy that was made in the open step for an earlier one too."""
        if step != self._step:
            with self.lock:
                buffer.owners += 1
                self._shared[step].append(buffer)

    def release(self, buffer: Buffer) -> None:
        """Give back a copy of the open step that no capture refers to any more."""
        with self.lock:
            self._used[self._step].remove(buffer)
            self._recent_gradients = [known for known in self._recent_gradients if known[-1] is not buffer]
            buffer.owners -= 1
            if not (buffer.owners or buffer.readers):
                self._make_free(buffer)

    @contextmanager
    def reading(self, buffer: Buffer) -> Iterator[torch.Tensor]:
        """Give the values of a buffer, which do not change inside the block. Enter it while its step is kept."""
        with self.lock:
            buffer.readers += 1
        try:
            if buffer.ready is not None:
                _wait_for(buffer.ready, buffer.tensor)
            yield buffer.tensor
        finally:
            with self.lock:
                buffer.readers -= 1
                if not (buffer.owners or buffer.readers):
                    self._make_free(buffer)

    def copy_activation(self, tensor: torch.Tensor) -> Buffer:
        """Copy a tensor of the forward pass, or find the copy that was made of it at this version.

        Raises:
            OverBudgetError: The copy would exceed the budget, and there is no old step to drop.
            NoDataError: The tensor has no values.
        """
        found = self._copied.get(id(tensor))
        version = version_of(tensor)
        if found is not None and found[0]() is tensor:
            if found[1] == version:
                return found[2]
            self._overwritten.add(found[2])
        buffer = self._copy(tensor.detach())
        if version is not None:
            self._copied[id(tensor)] = (weakref.ref(tensor), version, buffer)
        return buffer

    def overwritten(self) -> set[Buffer]:
        """Return the open step's copies of tensors that were modified in place afterwards, as far as that was seen."""
        for reference, version, buffer in self._copied.values():
            tensor = reference()
            if tensor is not None and version_of(tensor) != version:
                self._overwritten.add(buffer)
        return self._overwritten

    def copy_gradient(self, gradient: torch.Tensor) -> Buffer:
        """Copy a gradient, or find the copy that the neighbouring hook has just made of it.

        Raises:
            OverBudgetError: See the class.
            NoDataError: The tensor has no values.
        """
        version = version_of(gradient)
        pointer = _pointer(gradient)
        for other, other_version, other_pointer, buffer in self._recent_gradients:
            same = other is gradient or (pointer and pointer == other_pointer and _same_values(other, gradient))
            if same and other_version == version:
                return buffer
        buffer = self._copy(gradient.detach())
        if version is not None:
            # The gradient is held, so its memory cannot become another tensor's while it is in this list.
            self._recent_gradients.append((gradient, version, pointer, buffer))
            del self._recent_gradients[:-_RECENT_GRADIENTS]
        return buffer

    def _copy(self, tensor: torch.Tensor) -> Buffer:
        if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_nested:
            return self._copy_special(tensor)
        if tensor.is_meta:
            raise NoDataError("meta tensor")
        if is_functorch_wrapped(tensor):
            raise WrappedError
        key = (tensor.shape, tensor.stride(), tensor.dtype, tensor.device)
        buffer = self._take(key)
        if buffer is None:
            spec = spec_of(tensor)
            self._reserve(spec.size_bytes)
            buffer = Buffer(self._room_for(tensor), spec, key)
        if tensor.is_cuda:
            buffer.tensor.copy_(tensor, non_blocking=True)
            buffer.ready = _recorded_event(tensor.device)
        else:
            buffer.tensor.copy_(tensor)
        return self._use(buffer)

    def _room_for(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.is_cuda and self._place is CapturePlace.CPU:
            # Pinned memory: from a device to any other the copy would wait for everything queued before it.
            return torch.empty_like(tensor, device="cpu", pin_memory=True, memory_format=torch.preserve_format)
        return torch.empty_like(tensor, memory_format=torch.preserve_format)

    def _copy_special(self, tensor: torch.Tensor) -> Buffer:
        if tensor.is_meta:
            raise NoDataError("meta tensor")
        if hasattr(tensor, "to_local"):
            raise WrappedError
        spec = spec_of(tensor)
        self._reserve(spec.size_bytes)
        moves = tensor.is_cuda and self._place is CapturePlace.CPU
        buffer = Buffer(tensor.cpu() if moves else tensor.clone(), spec, None)
        if tensor.is_cuda:
            buffer.ready = _recorded_event(tensor.device)
        return self._use(buffer)

    def _use(self, buffer: Buffer) -> Buffer:
        buffer.owners = 1
        self._used[self._step].append(buffer)
        return buffer

    def _take(self, key: _Key) -> Buffer | None:
        free = self._free.get(key)
        if not free:
            return None
        try:
            return free.pop()
        except IndexError:  # another thread took the last one
            return None

    def _make_free(self, buffer: Buffer) -> None:
        buffer.free_since = self._step
        if buffer.key is None:
            self.held_bytes -= buffer.spec.size_bytes
        else:
            self._free.setdefault(buffer.key, []).append(buffer)

    def _reserve(self, size_bytes: int) -> None:
        with self.lock:
            while self.held_bytes + size_bytes > self.budget_bytes:
                if not self._discard_free() and not self.make_room():
                    raise OverBudgetError
            self.held_bytes += size_bytes

    def _discard_free(self) -> bool:
        free, self._free = self._free, {}
        self.held_bytes -= sum(len(buffers) * buffers[0].spec.size_bytes for buffers in free.values() if buffers)
        return any(free.values())


def _recorded_event(device: torch.device) -> torch.cuda.Event:
    """Return an event that comes when what this thread has queued on a device is done."""
    event = torch.cuda.Event()  # type: ignore[no-untyped-call]
    event.record(torch.cuda.current_stream(device))
    return event


def _wait_for(ready: torch.cuda.Event, copy: torch.Tensor) -> None:
    """Let what this thread does with a copy begin after the copy is complete."""
    if copy.is_cuda:
        torch.cuda.current_stream(copy.device).wait_event(ready)
    else:
        ready.synchronize()


def _no_room() -> bool:
    return False


def _pointer(tensor: torch.Tensor) -> int:
    """Return where a plain tensor's values begin, or 0 for one that is not plain or empty."""
    return tensor.data_ptr() if type(tensor) is torch.Tensor and tensor.layout is torch.strided else 0


def _same_values(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two plain tensors that begin at the same place read the same memory in the same way."""
    return (
        one.shape == other.shape
        and one.dtype is other.dtype
        and one.stride() == other.stride()
        and one.is_conj() == other.is_conj()
        and one.is_neg() == other.is_neg()
    )
