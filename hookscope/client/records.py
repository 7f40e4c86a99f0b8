"""The newest record of every tensor of the loaded model. Belongs to the thread of its session."""

import re
from collections.abc import Iterable

from hookscope.protocol.identity import SLOT_ORDER, Slot, TensorRef
from hookscope.protocol.tensors import Record

_SLOT_RANK = {slot: rank for rank, slot in enumerate(SLOT_ORDER)}


class RecordBook:
    """Newest record per tensor ref.

    A module that fired in a finished step is described by that step (and a newer one that still runs): refs that no
    longer occur, such as further calls of a shared module, are gone then. Parameters are always there.
    """

    def __init__(self) -> None:
        self._by_path: dict[str, dict[TensorRef, Record]] = {}
        self._step = 0
        self._finished = 0

    @property
    def step(self) -> int:
        """Newest step of any record, from 1; 0 when there is none."""
        return self._step

    def of(self, path: str) -> tuple[Record, ...]:
        """Return the records of a module, sorted by slot, call and leaf; empty when there are none."""
        return tuple(sorted(self._current(path), key=_sort_key))

    def get(self, ref: TensorRef) -> Record | None:
        """Return the newest record of a ref."""
        record = self._by_path.get(ref.path, {}).get(ref)
        return record if record is not None and self._is_current(record) else None

    def output(self, path: str) -> Record | None:
        """Return the first leaf of what the module's first call returned."""
        found = [record for record in self._current(path) if record.ref.slot is Slot.OUTPUT and record.ref.call == 0]
        return min(found, key=_sort_key, default=None)

    def calls(self, path: str) -> int:
        """Return how often the module was called in its newest step; 0 when there is nothing of it."""
        return max((record.ref.call + 1 for record in self._current(path)), default=0)

    def paths(self) -> frozenset[str]:
        """Return the modules that have records."""
        return frozenset(self._by_path)

    def add(self, records: Iterable[Record]) -> None:
        """Take newer records; for the session alone."""
        for record in records:
            self._by_path.setdefault(record.ref.path, {})[record.ref] = record
            self._step = max(self._step, record.step)

    def finish(self, step: int) -> None:
        """Note that all records of a step have come; for the session alone."""
        self._finished = max(self._finished, step)

    def clear(self) -> None:
        """Forget everything; for the session alone."""
        self._by_path.clear()
        self._step = self._finished = 0

    def _current(self, path: str) -> list[Record]:
        of_path = self._by_path.get(path, {})
        since = self._newest_finished(path)
        return [record for record in of_path.values() if record.step >= since or record.ref.slot is Slot.PARAMETER]

    def _is_current(self, record: Record) -> bool:
        return record.ref.slot is Slot.PARAMETER or record.step >= self._newest_finished(record.ref.path)

    def _newest_finished(self, path: str) -> int:
        steps = (record.step for record in self._by_path.get(path, {}).values())
        return max((step for step in steps if step <= self._finished), default=0)


def _sort_key(record: Record) -> tuple[int, int, list[tuple[bool, int, str]]]:
    ref = record.ref
    return _SLOT_RANK[ref.slot], ref.call, [_part_key(part) for part in re.split(r"(\d+)", ref.leaf)]


def _part_key(part: str) -> tuple[bool, int, str]:
    """Sort numbers by value, so that `args.2` comes before `args.10`."""
    return (False, int(part), "") if part.isdecimal() else (True, 0, part)
