"""What is to be known about a module as a whole, told from its records: plain data in, badges out."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication

from hookscope.figures.text import slot_label
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.tree import ModuleInfo

IMPORTANCE: tuple[BadgeKind, ...] = (
    # A person did it,
    BadgeKind.CHANGED,
    BadgeKind.EDITED,
    # something went wrong,
    BadgeKind.RAISED,
    BadgeKind.DID_NOT_RETURN,
    BadgeKind.CAPTURE_FAILED,
    BadgeKind.OVER_BUDGET,
    # hooks are blind here,
    BadgeKind.COMPILED,
    BadgeKind.SCRIPTED,
    BadgeKind.EXPORTED,
    BadgeKind.BYPASSES_CALL,
    BadgeKind.NEVER_CALLED_WITH_GRADIENT,
    BadgeKind.NEVER_CALLED,
    BadgeKind.ALIAS_VOID,
    # no gradient,
    BadgeKind.NO_GRAD_MODE,
    BadgeKind.NO_GRADIENT_REACHED,
    BadgeKind.OUTPUT_NEEDS_NO_GRAD,
    BadgeKind.INTEGER_OUTPUT,
    BadgeKind.NO_PATH_TO_INPUT,
    # read the values with care,
    BadgeKind.MODIFIED_IN_PLACE,
    BadgeKind.MODIFIED_AFTERWARDS,
    BadgeKind.RECOMPUTED,
    BadgeKind.CALLED_REPEATEDLY,
    BadgeKind.LATER_PASS,
    BadgeKind.PASS_THROUGH,
    BadgeKind.FROM_BASE,
    BadgeKind.FUNCTORCH,
    BadgeKind.SHARDED,
    BadgeKind.SCALED,
    # and what is as it should be.
    BadgeKind.FROZEN,
    BadgeKind.UNINITIALIZED,
    BadgeKind.NO_DATA,
    BadgeKind.INPUT_NEEDS_NO_GRAD,
)
"""What a module can be marked with, the most important first."""

SAID_BY_MODE = frozenset({BadgeKind.NATIVE, BadgeKind.NATIVE_REFUSED, BadgeKind.ALIAS, BadgeKind.LEGACY})
"""Badges that say in which mode a value was captured; a module has its mode, which says the same."""

SAID_BY_VALUE = frozenset({BadgeKind.NOT_A_TENSOR})
"""Badges of single values that tell nothing of the module."""

_BLIND = frozenset({BadgeKind.COMPILED, BadgeKind.SCRIPTED, BadgeKind.EXPORTED, BadgeKind.BYPASSES_CALL})
"""Badges of what keeps hooks from being called; where one was called they say nothing."""

_NEVER_RAN = _BLIND | {BadgeKind.NEVER_CALLED, BadgeKind.NEVER_CALLED_WITH_GRADIENT}
_ABSENT_GRADIENT = frozenset(
    {
        BadgeKind.NO_GRAD_MODE,
        BadgeKind.NO_GRADIENT_REACHED,
        BadgeKind.OUTPUT_NEEDS_NO_GRAD,
        BadgeKind.INTEGER_OUTPUT,
        BadgeKind.NO_PATH_TO_INPUT,
        BadgeKind.INPUT_NEEDS_NO_GRAD,
    }
)
"""Badges that hold for a module only when no tensor of the slot has a gradient."""

_OF_SLOTS = _ABSENT_GRADIENT | {BadgeKind.FROZEN}
_OF_TENSORS = frozenset(
    {
        BadgeKind.OVER_BUDGET,
        BadgeKind.MODIFIED_IN_PLACE,
        BadgeKind.MODIFIED_AFTERWARDS,
        BadgeKind.PASS_THROUGH,
        BadgeKind.FROM_BASE,
        BadgeKind.FUNCTORCH,
        BadgeKind.NO_DATA,
    }
)
"""Badges of single tensors; for the module, the detail names these."""
_MOST_NAMES = 4

_RANK = {kind: rank for rank, kind in enumerate(IMPORTANCE)}


def node_badges(
    module: ModuleInfo,
    records: Sequence[Record],
    calls: int,
    *,
    run_eagerly: bool = False,
    changes: Sequence[str] = (),
) -> tuple[Badge, ...]:
    """Return the badges of a module, each kind once, the most important first.

    Args:
        module: What is known of it before a step.
        records: Newest records of its own tensors; none before the first step, or when it is not checked.
        calls: How often it was called in the step of the records, recomputations included.
        changes: What is changed of it, in words; then it is marked before a step has run, too.
        run_eagerly: Whether compiled modules run as they were written; then it says nothing that one is compiled.
    """
    captured = (record.ref.slot for record in records if record.spec is not None or record.instead)
    was_called = any(slot in {Slot.INPUT, Slot.OUTPUT} for slot in captured)
    static = [
        badge
        for badge in module.badges
        if not (was_called and badge.kind in _BLIND) and not (run_eagerly and badge.kind is BadgeKind.COMPILED)
    ]
    if changes:
        static.append(Badge(BadgeKind.CHANGED, "; ".join(changes)))
    found: dict[BadgeKind, Badge] = {}
    for badge in (*static, *_of_records(records), *_of_calls(records, calls), *_of_parameters(module, records)):
        if badge.kind in _RANK and not (badge.kind in found and found[badge.kind].detail):
            found[badge.kind] = badge
    if found.keys() & _NEVER_RAN:  # nothing else can be expected then
        found = {kind: badge for kind, badge in found.items() if kind not in _ABSENT_GRADIENT}
    return tuple(sorted(found.values(), key=lambda badge: _RANK[badge.kind]))


def _of_records(records: Sequence[Record]) -> Iterable[Badge]:
    """Return what holds for one of the module's tensors, and therefore for the module."""
    without_gradient = {Slot.GRAD_INPUT, Slot.GRAD_OUTPUT}
    without_gradient -= {record.ref.slot for record in records if record.spec is not None}
    named: dict[BadgeKind, dict[str, None]] = {}
    for record in records:
        for badge in record.badges:
            if badge.kind in _OF_TENSORS and not badge.detail:
                named.setdefault(badge.kind, {})[slot_label(record.ref)] = None
            elif badge.kind not in _OF_SLOTS or record.ref.slot in without_gradient:
                yield badge
    for kind, names in named.items():
        yield Badge(kind, _joined(list(names)))


def _of_calls(records: Sequence[Record], calls: int) -> Iterable[Badge]:
    recomputed = {record.ref.call for record in records if _has(record, BadgeKind.RECOMPUTED)}
    if calls - len(recomputed) > 1:
        words = QCoreApplication.translate("badges", "{count} calls")
        yield Badge(BadgeKind.CALLED_REPEATEDLY, words.format(count=calls - len(recomputed)))


def _of_parameters(module: ModuleInfo, records: Sequence[Record]) -> Iterable[Badge]:
    """Return what holds for the parameters; the detail names them when it is not all of them."""
    frozen = [parameter.name for parameter in module.parameters if not parameter.requires_grad]
    lost = [
        record.ref.leaf
        for record in records
        if record.ref.slot is Slot.PARAMETER_GRAD and _has(record, BadgeKind.NO_GRADIENT_REACHED)
    ]
    for names, kind in ((frozen, BadgeKind.FROZEN), (lost, BadgeKind.NO_GRADIENT_REACHED)):
        if names:
            yield Badge(kind, "" if len(names) == len(module.parameters) else _joined(names))


def _joined(names: list[str]) -> str:
    return ", ".join(names if len(names) <= _MOST_NAMES else [*names[:_MOST_NAMES], "…"])


def _has(record: Record, kind: BadgeKind) -> bool:
    return any(badge.kind is kind for badge in record.badges)
