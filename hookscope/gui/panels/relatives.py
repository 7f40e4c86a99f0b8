"""Which other tensors can be set against one: those of its module, and of the modules beside it."""

import re
from typing import TYPE_CHECKING

from hookscope.figures.choice import has_values
from hookscope.gui.panels.registry import PANEL_KINDS
from hookscope.gui.panels.subject import Subject
from hookscope.gui.panels.target import Target
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import TensorSpec

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession

_MOST = 64
"""So many tensors are offered at most."""
_KEY_NAME = re.compile(r"(.*_)?(k|key|keys|wk)(_.*|proj)?", re.IGNORECASE)


def subject_of(
    session: "DebugSession",
    target: Target,
    ref: TensorRef,
    spec: TensorSpec,
    kind: str,
    *,
    is_difference: bool,
) -> Subject:
    """Return what a kind of view is told to show; what it could be set against is looked up only where it needs it."""
    class_name = target.module.class_name if target.module is not None else ""
    if not PANEL_KINDS[kind].needs_others:
        return Subject(ref, spec, is_difference, class_name)
    others, keys = others_of(session, target, spec), keys_of(session, target, spec)
    return Subject(ref, spec, is_difference, class_name, others, keys)


def others_of(session: "DebugSession", target: Target, spec: TensorSpec) -> tuple[TensorRef, ...]:
    """Return the other tensors of the module that have as many elements."""
    found = (ref for ref in target.choices if ref != target.ref)
    return tuple(ref for ref in found if _count(session, ref) == spec.count)[:_MOST]


def keys_of(session: "DebugSession", target: Target, spec: TensorSpec) -> tuple[TensorRef, ...]:
    """Return the tensors that may be keys to a query: what looks like one first.

    They are what its module and the modules beside it were given and returned, with as many dims and with features
    that can be heads of the same size.
    """
    ref, tree = target.ref, session.tree
    if ref is None or tree is None or target.module is None or not spec.shape:
        return ()
    beside = [module.path for module in tree.modules if module.parent == target.module.parent]
    refs = [other for other in target.choices if other.slot in {Slot.INPUT, Slot.OUTPUT}]
    for path in beside:
        refs += [record.ref for record in session.records.of(path) if record.ref.slot is Slot.OUTPUT]
    fitting = [other for other in dict.fromkeys(refs) if other != ref and _may_be_key(session, other, spec)]
    return tuple(sorted(fitting, key=_is_named_otherwise)[:_MOST])


def _count(session: "DebugSession", ref: TensorRef) -> int | None:
    record = session.records.get(ref)
    return record.spec.count if record is not None and record.spec is not None and has_values(record.spec) else None


def _may_be_key(session: "DebugSession", ref: TensorRef, query: TensorSpec) -> bool:
    record = session.records.get(ref)
    key = record.spec if record is not None else None
    if key is None or not has_values(key) or len(key.shape) != len(query.shape) or "float" not in key.dtype:
        return False
    if len(query.shape) == 4:
        return key.shape[-1] == query.shape[-1]
    return query.shape[-1] % key.shape[-1] == 0


def _is_named_otherwise(ref: TensorRef) -> bool:
    names = (ref.path.rpartition(".")[2], ref.leaf.rpartition(".")[2])
    return not any(_KEY_NAME.fullmatch(name) for name in names)
