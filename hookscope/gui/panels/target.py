"""What a panel looks at: the window's current tensor, or one of its own; and in words why there is nothing to see."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from hookscope.client.state import SessionState
from hookscope.gui.badge_text import badge_sentence
from hookscope.gui.panels.words import card_of_other
from hookscope.gui.trials.comparison import Aim
from hookscope.protocol.identity import LOCAL_PREFIX, Slot, TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.tree import ModuleInfo, ModuleTree

if TYPE_CHECKING:
    from hookscope.client.session import DebugSession
    from hookscope.gui.current import Current
    from hookscope.gui.panels.text_card import CardWords


_CHECK_MODULE = "Check this module and press Step to capture it."
_WAIT = "Waiting for the step to reach this module."
_STEP = "Press Step to capture it."
_VARIABLE_GONE = "This variable is gone: the step has gone on."
_CHECK_OPERATION = "Check this operation and press Step to capture it."


_AT_REST = frozenset({SessionState.IDLE, SessionState.STOPPED})


_MOST_DETAIL = 200
"""Characters of a value that is no tensor; a panel has all that is known of it."""


@dataclass(frozen=True)
class Target:
    """A module and one of its tensors, with what is known of them.

    Attributes:
        path: Module path, or `None` when nothing is looked at.
        ref: The tensor; `None` until something of the module was captured.
        module: The module in the loaded model, if it has it.
        record: The newest record of the tensor, if there is one.
        choices: Tensors of the same module and call, with its parameters and its checked operations.
        calls: How often the module was called in its newest step.
        tree: The tree that `module` was found in.
        records: All newest records of the module, whatever the call.
    """

    path: str | None
    ref: TensorRef | None
    module: ModuleInfo | None = None
    record: Record | None = None
    choices: tuple[TensorRef, ...] = ()
    calls: int = 0
    tree: ModuleTree | None = field(default=None, compare=False, repr=False)
    records: tuple[Record, ...] = field(default=(), compare=False, repr=False)

    def is_like(self, other: "Target") -> bool:
        """Whether nothing but values is different: as a rule a step finds what the last one has found."""
        if (self.path, self.ref) != (other.path, other.ref) or self.tree is not other.tree:
            return False
        pairs = zip(self.records, other.records, strict=False)
        return len(self.records) == len(other.records) and all(mine.is_like(its) for mine, its in pairs)

    @property
    def title(self) -> str:
        """Name of the module for people; the root is called by its class."""
        if self.path:
            return self.path
        return self.module.name if self.module is not None else ""


def find_target(session: "DebugSession", path: str | None, ref: TensorRef | None, before: Target) -> Target:
    """Look up a module and a tensor in the loaded model.

    Args:
        session: The session.
        path: Module path.
        ref: The tensor.
        before: What the same panel looked at before; spares the search for a module that is still the same.
    """
    if path is None:
        return Target(None, None)
    is_same = before.path == path and before.tree is session.tree
    module = before.module if is_same else _find_module(session.tree, path)
    records = records_at(session, path)
    call = ref.call if ref is not None else 0
    choices = tuple(record.ref for record in records if record.ref.call == call or is_parameter(record.ref))
    calls = max((record.ref.call + 1 for record in records), default=0)
    record = session.records.get(ref) if ref is not None else None
    return Target(path, ref, module, record, choices, calls, session.tree, records)


def look_again(session: "DebugSession", before: Target) -> tuple[Target, bool]:
    """Look the same up in newer records; also returns whether more of it has to be shown anew than its values."""
    target = find_target(session, before.path, before.ref, before)
    return target, target.record is None or not target.is_like(before)


def records_at(session: "DebugSession", path: str) -> tuple[Record, ...]:
    """Return the newest records of a module's own tensors, and then those of its checked operations as they ran."""
    records = session.records
    operations = [records.of(path, one.text) for one in session.checked_operations if one.path == path]
    ran = sorted(filter(None, operations), key=_first_order)
    return records.of(path) + tuple(record for operation in ran for record in operation)


def _first_order(records: tuple[Record, ...]) -> int:
    """Return when an operation ran first: what it was given and returned comes before its gradients."""
    return records[0].order


def _find_module(tree: ModuleTree | None, path: str) -> ModuleInfo | None:
    modules = tree.modules if tree is not None else ()
    return next((module for module in modules if module.path == path or path in module.aliases), None)


def unfinished_step(session: "DebugSession") -> int | None:
    """Return the step that has begun and not come to its end, because it is stopped or was given up; else `None`."""
    newest = session.records.step
    finished = session.history[-1].step if session.history else 0
    return newest if session.state in _AT_REST and newest > finished else None


def is_left_behind(session: "DebugSession", ref: TensorRef | None, step: int) -> bool:
    """Whether a value is of a step before the one that is stopped or was given up, which has not come to it.

    Args:
        session: The session.
        ref: The tensor; a parameter is there all the time.
        step: The step of the value; 0 for none.
    """
    unfinished = unfinished_step(session)
    return unfinished is not None and 0 < step < unfinished and ref is not None and ref.slot is not Slot.PARAMETER


def is_parameter(ref: TensorRef) -> bool:
    """Whether a tensor belongs to the module itself and not to one of its calls."""
    return ref.slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD}


def words_of_absence(session: "DebugSession", target: Target) -> "CardWords | str":
    """Return what stands in place of values: a card of what there is instead, or why there is nothing."""
    record = target.record
    card = card_of_other(record.ref, record.badges) if record is not None else None
    return card or explain_absence(session, target)


def explain_absence(session: "DebugSession", target: Target) -> str:
    """Say why there are no values of a target, and what to do; `""` when there are some."""
    if target.record is not None:
        return "" if target.record.spec is not None else _explain_badges(target.record)
    if session.tree is None:
        return _translate("No model is open.")
    if target.path is None:
        return _translate("Select a module in the tree.")
    if target.module is None:
        return _translate("This model has no module “{path}”.").format(path=target.path)
    if not _is_checked(session, target.path, target.ref):
        return _translate(_why_not_captured(target.ref))
    return _translate(_WAIT if session.state is SessionState.RUNNING else _STEP)


def _why_not_captured(ref: TensorRef | None) -> str:
    if is_local(ref):
        return _VARIABLE_GONE
    return _CHECK_OPERATION if ref is not None and ref.operation else _CHECK_MODULE


def is_local(ref: TensorRef | None) -> bool:
    """Whether a tensor is a local variable of a stopped step."""
    return ref is not None and ref.operation.startswith(LOCAL_PREFIX)


def step_of(session: "DebugSession", ref: TensorRef | None, wanted: int | None) -> int | None:
    """Return the step of which a tensor is asked for, whether it is recorded or not; `None` follows its records.

    A local variable has no records: it is one of the step that is stopped, as long as it stops there.
    """
    if not is_local(ref):
        return wanted
    stack = session.stack
    variables = (variable for frame in (stack.frames if stack is not None else ()) for variable in frame.variables)
    is_at_hand = any(variable.ref == ref for variable in variables)
    return stack.step if stack is not None and is_at_hand else None


def aim_of(session: "DebugSession", target: Target, current: "Current") -> Aim:
    """Return which values of a target are asked for: of the step that was gone to, else what is shown of a trial."""
    step = step_of(session, target.ref, current.step)
    if step is not None or target.record is None:
        return Aim(step)
    return current.comparison.aim


def _is_checked(session: "DebugSession", path: str, ref: TensorRef | None) -> bool:
    if ref is None or not ref.operation:
        return path in session.checked
    return any((checked.path, checked.text) == (path, ref.operation) for checked in session.checked_operations)


def _explain_badges(record: Record) -> str:
    sentences = [badge_sentence(_shortened(badge)) for badge in record.badges]
    return " ".join(sentences) or _translate("There is no such tensor in this step.")


def _shortened(badge: Badge) -> Badge:
    if badge.kind is not BadgeKind.NOT_A_TENSOR or len(badge.detail) <= _MOST_DETAIL:
        return badge
    return Badge(badge.kind, f"{badge.detail[:_MOST_DETAIL]}…")


def _translate(english: str) -> str:
    return QCoreApplication.translate("Absence", english)
