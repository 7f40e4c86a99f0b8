"""The captures of the newest steps: written by hooks, read by views.

`add` runs in hooks; `open` and `captures` run on the view thread too; everything else runs on the main thread.
"""

import itertools
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

import torch

from hookscope.engine.capture.buffers import Buffer, BufferPool, NoDataError, OverBudgetError
from hookscope.engine.views import build_view
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record, TensorSpec
from hookscope.protocol.views import StatisticsRequest, ViewResult

STEPS_KEPT = 10
"""Steps that can be gone back to, the running one included, as long as the budget has room for them."""

ALWAYS_KEPT = 2
"""The running step, and the one before it, so that a panel always has a complete picture to show."""

CAPTURES_KEPT = 20_000
"""Captures of all kept steps; beyond, Python's garbage collector would be felt in every step."""

HISTORY_SHARE = 2
"""All kept steps together may take the second part of the budget; the rest is for a step larger than those before."""


class Capture:
    """What is kept of one firing of a hook.

    Attributes:
        ref: Which tensor.
        step: Step number.
        order: Running number within the step.
        spec: What it is, or `None` when there is nothing.
        buffer: The private copy, if one was made.
        live: A parameter that is read where it is, because nothing has written to it since.
        statistics: What is left of values that were not copied.
        badges: Reasons and remarks.
        same_as: Other leaves that are this tensor.
    """

    __slots__ = ("badges", "buffer", "live", "order", "ref", "same_as", "spec", "statistics", "step")

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
        self.statistics: ViewResult | None = None
        self.badges = badges
        self.same_as = same_as

    def record(self) -> Record:
        """Return what the window is told about it."""
        return Record(self.ref, self.step, self.order, self.spec, self.badges, self.same_as)


class CaptureStore:
    """Captures by step and ref. The oldest steps leave when a new one begins, or earlier when the budget is short.

    Pinned steps stay, unless the budget cannot hold the running step beside them.
    """

    def __init__(self, pool: BufferPool) -> None:
        self.pool = pool
        self._lock = pool.lock
        self._newest: dict[TensorRef, Capture] = {}
        self._steps: dict[int, dict[TensorRef, Capture]] = {}
        self._live: dict[int, list[Capture]] = {}
        self._pins: dict[str, frozenset[int]] = {}
        self._first_to_go: int | None = None
        pool.make_room = self._make_room

    def begin_step(self, step: int) -> None:
        """Open a step and let the oldest go: so many that one as large as the last finds buffers of theirs, or room.

        A step of the same number, which was given up, goes too.
        """
        self.pool.begin_step(step)
        with self._lock:
            room = self.pool.budget_bytes // HISTORY_SHARE - self.pool.bytes_of(max(self._steps, default=step))
            if step in self._steps:
                self._drop(step)
            self._newest = self._steps[step] = {}
            while self._is_too_much(room):
                spared = self._spared(ALWAYS_KEPT)
                if not spared:
                    break
                self._drop(spared[0])

    def pin(self, owner: str, steps: Collection[int]) -> None:
        """Keep exactly these steps for an owner, as long as there is any room for them."""
        with self._lock:
            self._pins[owner] = frozenset(steps)

    def drop_first(self, step: int) -> None:
        """Drop a step before any other, once something has to go."""
        self._first_to_go = step

    def drop(self, step: int) -> None:
        """Drop a step that is over, if it is kept."""
        with self._lock:
            if step in self._steps and self._steps[step] is not self._newest:
                self._drop(step)

    def add(self, capture: Capture) -> None:
        """Keep a capture of the open step; one with the same ref is replaced."""
        self._newest[capture.ref] = capture
        if capture.live is not None:
            self._live.setdefault(capture.step, []).append(capture)

    def keeps(self, step: int) -> bool:
        """Whether a step is kept."""
        return step in self._steps

    def get(self, ref: TensorRef, step: int) -> Capture | None:
        """Return the capture of a ref in a step, if there is one."""
        return self._steps.get(step, {}).get(ref)

    def newest(self) -> list[Capture]:
        """Return the captures of the open step."""
        return list(self._newest.values())

    def captures(self, step: int) -> list[Capture] | None:
        """Return the captures of a step; `None` when it is not kept."""
        with self._lock:
            kept = self._steps.get(step)
            return list(kept.values()) if kept is not None else None

    def keep_parameters(self) -> None:
        """Copy every parameter that is read where it is; called before an optimizer writes to them."""
        live, self._live = self._live, {}
        for capture in itertools.chain.from_iterable(live.values()):
            if capture.live is None:  # it was kept twice
                continue
            try:
                capture.buffer = self.pool.copy_activation(capture.live)
                if self.keeps(capture.step):  # the copy may have taken its room
                    self.pool.share(capture.buffer, capture.step)
            except OverBudgetError:
                capture.statistics = build_view(capture.live.detach(), StatisticsRequest(sampled=True))
                capture.badges = (*capture.badges, Badge(BadgeKind.OVER_BUDGET))
            except NoDataError as error:
                capture.badges = (*capture.badges, Badge(BadgeKind.NO_DATA, str(error)))
            capture.live = None

    @contextmanager
    def open(self, ref: TensorRef, step: int | None = None) -> Iterator[tuple[Capture | None, torch.Tensor | None]]:
        """Give a reader the newest capture of a ref (or that of a step) and its values, unchanging inside the block.

        Yields:
            The capture and its tensor; `None` for what is not kept.
        """
        with ExitStack() as stack:
            with self._lock:
                found = self._find(ref, step)
                live = found.live if found is not None else None
                buffer = found.buffer if found is not None else None
                tensor = live.detach() if live is not None else None
                if buffer is not None:
                    tensor = stack.enter_context(self.pool.reading(buffer))
            yield found, tensor

    @contextmanager
    def lend(self, ref: TensorRef, step: int) -> Iterator[torch.Tensor | None]:
        """Give a reader the values of a capture, unchanging inside the block; `None` when there are none."""
        with self.open(ref, step) as (_, tensor):
            yield tensor

    def _make_room(self) -> bool:
        """Drop a step, a pinned one if need be, unless only the open one is left; returns whether it did."""
        with self._lock:
            others = self._spared(1) or sorted(self._steps)[:-1]
            if others:
                self._drop(others[0])
            return bool(others)

    def _spared(self, always_kept: int) -> list[int]:
        """Return the steps that nobody needs, in the order in which they go.

        Args:
            always_kept: This many of the newest stay.
        """
        pinned = frozenset().union(*self._pins.values())
        old = [step for step in sorted(self._steps)[:-always_kept] if step not in pinned]
        if self._first_to_go in old:
            old.insert(0, old.pop(old.index(self._first_to_go)))
        return old

    def _is_too_much(self, room_bytes: int) -> bool:
        return (
            len(self._steps) > STEPS_KEPT
            or self.pool.bytes_of() > room_bytes
            or sum(map(len, self._steps.values())) > CAPTURES_KEPT
        )

    def _drop(self, step: int) -> None:
        del self._steps[step]
        self._live.pop(step, None)
        self.pool.drop_step(step)

    def _find(self, ref: TensorRef, step: int | None) -> Capture | None:
        if step is not None:
            return self._steps.get(step, {}).get(ref)
        for kept in sorted(self._steps, reverse=True):
            if (capture := self._steps[kept].get(ref)) is not None:
                return capture
        return None
