"""Private copies of tensors, in buffers that are reused from step to step under a byte budget.

`BufferPool.copy` runs in hooks, on whichever thread fired them. `release` runs on any thread. A buffer is handed out
again only when nobody holds it any more, so a reader never sees a capture change.
"""

import threading
import weakref

import torch

from hookscope.engine.compat import is_functorch_wrapped, version_of
from hookscope.engine.specs import spec_of
from hookscope.protocol.tensors import TensorSpec

_Key = tuple[torch.Size, tuple[int, ...], torch.dtype, torch.device]
_IDLE_STEPS = 3
"""A free buffer that no step wanted for so long is given back to the allocator."""
_RECENT_GRADIENTS = 3
"""A gradient is handed from a node to the next one at once, so looking back this far finds it."""


class OverBudgetError(Exception):
    """A copy would exceed the byte budget."""


class NoDataError(Exception):
    """The tensor has no values that could be copied; the text says why."""


class Buffer:
    """One private copy.

    Attributes:
        tensor: The copy, detached.
        spec: What it is a copy of.
        ready: On CUDA, the event after which the copy is complete; a reader waits for it on its own stream.
    """

    __slots__ = ("holders", "key", "last_step", "ready", "spec", "tensor")

    def __init__(self, tensor: torch.Tensor, spec: TensorSpec, key: _Key | None) -> None:
        self.tensor = tensor
        self.spec = spec
        self.key = key
        self.holders = 0
        self.last_step = 0
        self.ready: torch.cuda.Event | None = None


class BufferPool:
    """Copies tensors, each once per step however many slots it appears in.

    Args:
        budget_bytes: What all buffers together may hold; beyond it `copy` raises `OverBudgetError`.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self.held_bytes = 0
        self._step = 0
        self._lock = threading.Lock()
        self._free: dict[_Key, list[Buffer]] = {}
        self._returned: set[Buffer] = set()
        self._copied: dict[int, tuple[weakref.ref[torch.Tensor], int, Buffer]] = {}
        self._recent_gradients: list[tuple[torch.Tensor, int, Buffer]] = []

    def begin_step(self, step: int) -> None:
        """Make free what nobody holds, and give back what no step has wanted for a while.

        Only here: until the lists of recent copies are forgotten, a released buffer may be found in them again.
        """
        self.end_step()
        self._step = step
        with self._lock:
            for buffer in self._returned:
                if buffer.holders == 0:
                    self._make_free(buffer)
            self._returned.clear()
            for key, free in list(self._free.items()):
                kept = [buffer for buffer in free if buffer.last_step >= step - _IDLE_STEPS]
                self.held_bytes -= (len(free) - len(kept)) * free[0].spec.size_bytes
                self._free[key] = kept
                if not kept:
                    del self._free[key]

    def end_step(self) -> None:
        """Let go of the user's tensors; the copies stay."""
        self._copied.clear()
        self._recent_gradients.clear()

    def copy_activation(self, tensor: torch.Tensor) -> Buffer:
        """Copy a tensor of the forward pass, or find the copy that was made of it at this version.

        Raises:
            OverBudgetError: See the class.
            NoDataError: The tensor has no values.
        """
        found = self._copied.get(id(tensor))
        version = version_of(tensor)
        if found is not None and found[0]() is tensor and found[1] == version:
            return found[2]
        buffer = self._copy(tensor.detach())
        if version is not None:
            self._copied[id(tensor)] = (weakref.ref(tensor), version, buffer)
        return buffer

    def copy_gradient(self, gradient: torch.Tensor) -> Buffer:
        """Copy a gradient, or find the copy that the neighbouring hook has just made of it.

        Raises:
            OverBudgetError: See the class.
            NoDataError: The tensor has no values.
        """
        version = version_of(gradient)
        for other, other_version, buffer in self._recent_gradients:
            if version == other_version and (other is gradient or _same_memory(other, gradient)):
                return buffer
        buffer = self._copy(gradient.detach())
        if version is not None:
            # The gradient is held, so its memory cannot become another tensor's while it is in this list.
            self._recent_gradients.append((gradient, version, buffer))
            del self._recent_gradients[:-_RECENT_GRADIENTS]
        return buffer

    def hold(self, buffer: Buffer) -> None:
        """Keep a buffer from being reused until as many `release` calls."""
        with self._lock:
            buffer.holders += 1

    def release(self, buffer: Buffer) -> None:
        """Undo one `hold`; with the last one the buffer can be reused from the next step on."""
        with self._lock:
            buffer.holders -= 1
            if buffer.holders == 0:
                self._returned.add(buffer)

    def _make_free(self, buffer: Buffer) -> None:
        if buffer.key is None:
            self.held_bytes -= buffer.spec.size_bytes
        else:
            self._free.setdefault(buffer.key, []).append(buffer)

    def _copy(self, tensor: torch.Tensor) -> Buffer:
        if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or tensor.is_nested:
            return self._copy_special(tensor)
        if tensor.device.type == "meta":
            raise NoDataError("meta tensor")
        if is_functorch_wrapped(tensor):
            raise NoDataError("wrapped by torch.func")
        key = (tensor.shape, tensor.stride(), tensor.dtype, tensor.device)
        buffer = self._take(key)
        if buffer is None:
            spec = spec_of(tensor)
            self._reserve(spec.size_bytes)
            buffer = Buffer(torch.empty_like(tensor, memory_format=torch.preserve_format), spec, key)
        buffer.last_step = self._step
        buffer.tensor.copy_(tensor)
        if tensor.is_cuda:
            buffer.ready = torch.cuda.Event()  # type: ignore[no-untyped-call]
            buffer.ready.record()
        return buffer

    def _copy_special(self, tensor: torch.Tensor) -> Buffer:
        if tensor.device.type == "meta":
            raise NoDataError("meta tensor")
        spec = spec_of(tensor)
        self._reserve(spec.size_bytes)
        return Buffer(tensor.clone(), spec, None)

    def _take(self, key: _Key) -> Buffer | None:
        free = self._free.get(key)
        if not free:
            return None
        try:
            return free.pop()
        except IndexError:  # another thread took the last one
            return None

    def _reserve(self, size_bytes: int) -> None:
        with self._lock:
            if self.held_bytes + size_bytes > self.budget_bytes:
                raise OverBudgetError
            self.held_bytes += size_bytes


def _same_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        type(one) is torch.Tensor
        and type(other) is torch.Tensor
        and one.layout is torch.strided
        and other.layout is torch.strided
        and one.data_ptr() == other.data_ptr()
        and one.shape == other.shape
        and one.dtype is other.dtype
        and one.stride() == other.stride()
        and one.is_conj() == other.is_conj()
        and one.is_neg() == other.is_neg()
        and one.numel() > 0
    )
