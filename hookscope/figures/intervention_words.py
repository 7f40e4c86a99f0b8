"""Interventions in words: what is changed, where, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from hookscope.figures.intervention_kinds import CHANGES, IDLE, SELECTIONS, STRAIGHT_THROUGH
from hookscope.figures.selection_text import format_index, format_numbers
from hookscope.figures.text import format_number, format_shape, slot_label
from hookscope.protocol.badge_words import WORDS
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import (
    Channels,
    HandChange,
    Idle,
    Index,
    Intervention,
    InterventionStatus,
    Selection,
)
from hookscope.protocol.tensor_changes import Change, Clamp, FromStep, NanTo, StraightThrough
from hookscope.protocol.tensors import Array, BadgeKind

Translate = Callable[[str], str]


class Tone(StrEnum):
    """How a text is meant; the values are names of theme colours."""

    PLAIN = "text"
    QUIET = "quiet"
    WARNING = "at_hand"
    TROUBLE = "trouble"


@dataclass(frozen=True)
class ToldText:
    """A text and how it is meant."""

    text: str
    tone: Tone = Tone.PLAIN


def word_change(change: Change, translate: Translate = str) -> str:
    """Put a change into words: `scale × 0.5`."""
    if isinstance(change, StraightThrough):
        return translate(STRAIGHT_THROUGH.text).format(change=word_change(change.change, translate))
    text = translate(_template_of(change)).format_map(_values_of(change))
    ref = change.ref if isinstance(change, FromStep) else None
    if ref is None:
        return text
    return f"{text}, {' '.join(filter(None, (ref.path, slot_label(ref))))}"


def word_selection(selection: Selection | None, translate: Translate = str) -> str:
    """Put a selection into words: `[:, 3]`; everything is `""`."""
    match selection:
        case None:
            return ""
        case Index():
            return translate(SELECTIONS[Index].text).format(parts=format_index(selection))
        case Channels(numbers=numbers, dim=dim) if dim != 1:
            return translate("{numbers} of dim {dim}").format(numbers=format_numbers(numbers), dim=dim)
        case Channels(numbers=(number,)):
            return translate("channel {number}").format(number=number)
        case _:
            return translate(SELECTIONS[type(selection)].text).format_map(_values_of(selection))


def word_tensor(slot: Slot, leaf: str = "", operation: str = "", translate: Translate = str) -> str:
    """Name a tensor that is changed, in PyTorch's words: `grad_output`, `weight grad`, `add:0 output`."""
    if not leaf and slot in {Slot.PARAMETER, Slot.PARAMETER_GRAD}:
        return translate("parameter") if slot is Slot.PARAMETER else translate("parameter grad")
    return slot_label(TensorRef("", slot, leaf, operation=operation))


def word_place(intervention: Intervention, root: str, translate: Translate = str) -> str:
    """Say where an intervention acts: `features.3 grad_output [:, 5] · call 0`; `root` is the root module's name."""
    tensor = word_tensor(intervention.slot, intervention.leaf, intervention.operation, translate)
    words = " ".join(filter(None, (intervention.path or root, tensor, word_selection(intervention.where, translate))))
    call = "" if intervention.call is None else translate("call {call}").format(call=intervention.call)
    return " · ".join(filter(None, (words, call)))


def word_hand_place(change: HandChange, translate: Translate = str) -> str:
    """Say which part of the tensor at hand is changed: `output [0, 3]`."""
    return " ".join(filter(None, (slot_label(change.ref), word_selection(change.where, translate))))


def word_status(status: InterventionStatus | None, error: str = "", translate: Translate = str) -> ToldText:
    """Say how an intervention fared in the newest step.

    Args:
        status: What the step told; `None` before one.
        error: Why it was refused; `""` when it was not.
        translate: Gives the words in the person's language.
    """
    if error:
        return ToldText(translate("refused: {error}").format(error=error), Tone.TROUBLE)
    if status is None:
        return ToldText("", Tone.QUIET)
    if status.idle is not None:
        tone = Tone.QUIET if status.idle is Idle.OFF else Tone.WARNING
        return ToldText(_word_idle(status.idle, status.detail, translate), tone)
    elements = translate("1 element") if status.changed == 1 else translate("{count} elements")
    text = translate("acted {times}×, {elements}").format(
        times=status.applied, elements=elements.format(count=format_number(status.changed))
    )
    if status.warning:
        return ToldText(f"{text}; {status.warning}", Tone.WARNING)
    return ToldText(text)


def _word_idle(idle: Idle, detail: str, translate: Translate) -> str:
    text, template = IDLE[idle]
    if not detail or not template:
        return translate(text)
    kinds = {kind.value: kind for kind in BadgeKind}
    words = translate(WORDS[kinds[detail]].label) if idle is Idle.NO_GRADIENT and detail in kinds else detail
    return f"{translate(text)} ({translate(template).format(detail=words)})"


def _values_of(struct: object) -> dict[str, str]:
    names: tuple[str, ...] = struct.__struct_fields__  # type: ignore[attr-defined]
    return {name: _value_text(name, getattr(struct, name)) for name in names}


def _value_text(name: str, value: object) -> str:
    match value:
        case int():
            return str(value)
        case float():
            return format_number(value)
        case tuple():
            return format_numbers(value)
        case str():
            return PurePath(value).name if name == "file" else value
        case Array(shape=shape):
            return format_shape(shape)
        case _:
            return ""


def _template_of(change: Change) -> str:
    match change:
        case Clamp(low=None, high=None):
            return "leave as it is"
        case Clamp(low=None):
            return "clamp to at most {high}"
        case Clamp(high=None):
            return "clamp to at least {low}"
        case NanTo(infinities=True):
            return "NaN and infinity to {value}"
        case StraightThrough():
            return STRAIGHT_THROUGH.text
        case _:
            return CHANGES[type(change)].text
