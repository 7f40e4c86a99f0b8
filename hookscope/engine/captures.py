"""The captures of the newest steps: written by hooks, read by views.

`add` runs in hooks; `open` runs on the view thread; `begin_step` and `keep_parameters` run on the main thread.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from hookscope.engine.buffers import Buffer, BufferPool, NoDataError, OverBudgetError
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Badge, Record, TensorSpec

STEPS_KEPT = 2
"""The running step, and the one before it, so that a panel always has a complete picture to show."""


class Capture:
    """What is kept of one firing of a hook.

    Attributes:
        ref: Which tensor.
        step: Step number.
        order: Running number within the step.
        spec: What it is, or `None` when there is nothing.
        buffer: The private copy, if one was made.
        live: A parameter that is read where it is, because nothing has written to it since.
        badges: Reasons and remarks.
        same_as: Other leaves that are this tensor.
    """

    __slots__ = ("badges", "buffer", "live", "order", "ref", "same_as", "spec", "step")

    def __init__(
        self,
        ref: TensorRef,
        step: int,
        order: int,
        spec: TensorSpec | None = None,
        buffer: Buffer | None = None,
        badges: tuple[Badge, ...] = (),
        same_as: tuple[str, ...] = (),
    ) -> None:
        self.ref = ref
        self.step = step
        self.order = order
        self.spec = spec
        self.buffer = buffer
        self.live: torch.Tensor | None = None
        self.badges = badges
        self.same_as = same_as

    def record(self) -> Record:
        """Return what the window is told about it."""
        return Record(self.ref, self.step, self.order, self.spec, self.badges, self.same_as)


class CaptureStore:
    """Captures by step and ref; the oldest step leaves when a new one begins."""

    def __init__(self, pool: BufferPool) -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._steps: dict[int, dict[TensorRef, Capture]] = {}
        self._newest: dict[TensorRef, Capture] = {}

    def begin_step(self, step: int) -> None:
        """Open a step and let the oldest go."""
        self.pool.begin_step(step)
        with self._lock:
            self._newest = {}
            self._steps[step] = self._newest
            leaving = [self._steps.pop(old) for old in sorted(self._steps)[:-STEPS_KEPT]]
        for captures in leaving:
            for capture in captures.values():
                self._let_go(capture)

    def add(self, capture: Capture) -> None:
        """Keep a capture of the open step; one with the same ref is replaced."""
        if capture.buffer is not None:
            self.pool.hold(capture.buffer)
        with self._lock:
            replaced = self._newest.get(capture.ref)
            self._newest[capture.ref] = capture
        if replaced is not None:
            self._let_go(replaced)

    def keep_parameters(self) -> None:
        """Copy every parameter that is read where it is; called before an optimizer writes to them."""
        with self._lock:
            live = [c for captures in self._steps.values() for c in captures.values() if c.live is not None]
        for capture in live:
            parameter, capture.live = capture.live, None
            assert parameter is not None
            try:
                buffer = self.pool.copy_activation(parameter)
            except (OverBudgetError, NoDataError):
                continue  # no copy: a reader is told that it is not kept
            self.pool.hold(buffer)
            capture.buffer = buffer

    @contextmanager
    def open(self, ref: TensorRef, step: int | None = None) -> Iterator[tuple[Capture | None, torch.Tensor | None]]:
        """Give a reader the newest capture of a ref (or that of a step) and its values, unchanging inside the block.

        Yields:
            The capture and its tensor; `None` for what is not kept.
        """
        with self._lock:
            found = self._find(ref, step)
            buffer = found.buffer if found is not None else None
            tensor = found.live.detach() if found is not None and found.live is not None else None
            if buffer is not None:
                self.pool.hold(buffer)
        if buffer is None:
            yield found, tensor
            return
        try:
            if buffer.ready is not None:
                torch.cuda.current_stream(buffer.tensor.device).wait_event(buffer.ready)
            yield found, buffer.tensor
        finally:
            self.pool.release(buffer)

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            steps, self._steps, self._newest = self._steps, {}, {}
        for captures in steps.values():
            for capture in captures.values():
                self._let_go(capture)
        self.pool.end_step()

    def _find(self, ref: TensorRef, step: int | None) -> Capture | None:
        if step is not None:
            return self._steps.get(step, {}).get(ref)
        for kept in sorted(self._steps, reverse=True):
            if (capture := self._steps[kept].get(ref)) is not None:
                return capture
        return None

    def _let_go(self, capture: Capture) -> None:
        with self._lock:
            buffer, capture.buffer, capture.live = capture.buffer, None, None
        if buffer is not None:
            self.pool.release(buffer)
