"""The newest record of every tensor of the loaded model. Belongs to the thread of its session."""

import re
from collections.abc import Iterable, Mapping
from functools import partial

import msgspec

from hookscope.protocol.identity import SLOT_ORDER, Slot, TensorRef
from hookscope.protocol.tensors import BadgeKind, Record
from hookscope.protocol.tree import ModuleTree

_SLOT_RANK = {slot: rank for rank, slot in enumerate(SLOT_ORDER)}

_TOLD_LATE = frozenset({BadgeKind.MODIFIED_IN_PLACE, BadgeKind.MODIFIED_AFTERWARDS})
"""What a record has only once its module has returned, or its step is at its end."""

_Owner = tuple[str, str]
"""A module's path, and an operation in it or `""`."""


class RecordBook:
    """Newest record per tensor ref, apart for a module and for each operation in it.

    A module that fired in a finished step is described by that step (and a newer one that still runs): refs that no
    longer occur, such as further calls of a shared module, are gone then. Parameters are always there.

    A badge that only the end of a step can give is kept from the step before while a step runs, or it would come and go
    with every step; `settle` takes it back.
    """

    def __init__(self) -> None:
        self._by_owner: dict[_Owner, dict[TensorRef, Record]] = {}
        self._orders: dict[_Owner, list[TensorRef]] = {}
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._as_told: dict[TensorRef, Record] = {}
        self._step = 0
        self._finished = 0

    @property
    def step(self) -> int:
        """Newest step of any record, from 1; 0 when there is none."""
        return self._step

    def of(self, path: str, operation: str = "") -> tuple[Record, ...]:
        """Return the records of a module, or those of an operation in it, sorted by slot, call and leaf.

        Parameters are in the order in which the module registered them.
        """
        return tuple(self._current((path, operation)))

    def get(self, ref: TensorRef) -> Record | None:
        """Return the newest record of a ref."""
        record = self._by_owner.get(_owner_of(ref), {}).get(ref)
        return record if record is not None and self._is_current(record) else None

    def output(self, path: str) -> Record | None:
        """Return the first leaf of what the module's first call returned; one that is no tensor, if none is."""
        records = self._current((path, ""))
        found = [one for one in records if one.ref.slot is Slot.OUTPUT and one.ref.call == 0]
        return next((one for one in found if not one.instead), found[0] if found else None)

    def calls(self, path: str) -> int:
        """Return how often the module was called in its newest step; 0 when there is nothing of it."""
        return max((record.ref.call + 1 for record in self._current((path, ""))), default=0)

    def paths(self) -> frozenset[str]:
        """Return the modules that have records of their own."""
        return frozenset(path for path, operation in self._by_owner if not operation)

    def follow(self, tree: ModuleTree) -> None:
        """Take over in which order the modules of a model have their parameters; for the session alone."""
        names = ((module.path, tuple(parameter.name for parameter in module.parameters)) for module in tree.modules)
        self._parameters = {path: own for path, own in names if len(own) > 1}
        self._orders.clear()

    def add(self, records: Iterable[Record]) -> None:
        """Take newer records; for the session alone."""
        for record in records:
            owner = _owner_of(record.ref)
            of_owner = self._by_owner.setdefault(owner, {})
            if record.ref not in of_owner:
                self._orders.pop(owner, None)
            of_owner[record.ref] = self._with_late_badges(record, of_owner.get(record.ref))
            self._step = max(self._step, record.step)

    def finish(self, step: int) -> None:
        """Note that all records of a step have come; for the session alone."""
        self._finished = max(self._finished, step)

    def settle(self, step: int | None = None) -> tuple[Record, ...]:
        """Take back the badges that were kept from the step before; for the session alone.

        Args:
            step: A step that has told everything; by default also the one that runs, which is looked at as it is.

        Returns:
            The records that are others now.
        """
        changed = tuple(told for told in self._as_told.values() if step is None or told.step <= step)
        for record in changed:
            del self._as_told[record.ref]
            self._by_owner[_owner_of(record.ref)][record.ref] = record
        return changed

    def clear(self) -> None:
        """Forget everything; for the session alone."""
        self._as_told.clear()
        self._by_owner.clear()
        self._orders.clear()
        self._step = self._finished = 0

    def _with_late_badges(self, record: Record, before: Record | None) -> Record:
        self._as_told.pop(record.ref, None)
        if before is None or record.step == before.step:
            return record
        late = tuple(badge for badge in before.badges if badge.kind in _TOLD_LATE and badge not in record.badges)
        if not late:
            return record
        self._as_told[record.ref] = record
        return msgspec.structs.replace(record, badges=(*record.badges, *late))

    def _current(self, owner: _Owner) -> list[Record]:
        """Return what describes an owner, in order."""
        since = self._newest_finished(owner)
        found = self._by_owner.get(owner, {})
        if owner not in self._orders:  # the same in every step, as a rule: all ask for it when any is new
            ranks = {name: rank for rank, name in enumerate(self._parameters.get(owner[0], ()))}
            self._orders[owner] = sorted(found, key=partial(_sort_key, ranks=ranks))
        records = (found[ref] for ref in self._orders[owner])
        return [record for record in records if record.step >= since or record.ref.slot is Slot.PARAMETER]

    def _is_current(self, record: Record) -> bool:
        return record.ref.slot is Slot.PARAMETER or record.step >= self._newest_finished(_owner_of(record.ref))

    def _newest_finished(self, owner: _Owner) -> int:
        steps = (record.step for record in self._by_owner.get(owner, {}).values())
        return max((step for step in steps if step <= self._finished), default=0)


def _owner_of(ref: TensorRef) -> _Owner:
    return ref.path, ref.operation


def _sort_key(ref: TensorRef, ranks: Mapping[str, int]) -> tuple[int, int, int, list[tuple[bool, int, str]]]:
    """Sort a ref of a module by the ranks of its parameters; those that it has got since come last."""
    is_parameter = ref.slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD}
    rank = ranks.get(ref.leaf, len(ranks)) if is_parameter else 0
    return _SLOT_RANK[ref.slot], ref.call, rank, [_part_key(part) for part in re.split(r"(\d+)", ref.leaf)]


def _part_key(part: str) -> tuple[bool, int, str]:
    """Sort numbers by value, so that `args.2` comes before `args.10`."""
    return (False, int(part), "") if part.isdecimal() else (True, 0, part)
