"""Why there is no picture, in words."""

import re

from PySide6.QtCore import QCoreApplication

from hookscope.figures.text import format_shape, slot_label
from hookscope.gui.badge_text import badge_sentence
from hookscope.gui.panels.text_card import CardWords
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.tensors import Badge, BadgeKind, TensorSpec, instead_of_tensor
from hookscope.protocol.views import NoPicture, NoPictureReason

_CONTEXT = "NoPicture"

REASONS: dict[NoPictureReason, str] = {
    NoPictureReason.EMPTY: "Empty: the tensor has the shape {shape} and no elements.",
    NoPictureReason.NOT_CAPTURED: (
        "The values of this tensor are not kept any more. Check its module and press Step to capture them again."
    ),
    NoPictureReason.STEP_GONE: "This step has left the memory budget: newer steps needed its room.",
    NoPictureReason.NO_DATA: "This tensor has no values that can be read: {detail}.",
    NoPictureReason.WRONG_RANK: "This view does not fit: {detail}. Choose another one at the top right.",
    NoPictureReason.MISMATCH: "The two tensors do not go together: {detail}.",
    NoPictureReason.TOO_LARGE: "Too large for this view: {detail}.",
    NoPictureReason.NOT_FINITE: "This view needs finite values, but {detail} are NaN or infinite.",
    NoPictureReason.NOT_FOUND: "There is no such value: {detail}.",
    NoPictureReason.CANCELLED: "Cancelled. Choose the view again to look at all values after all.",
    NoPictureReason.FAILED: "The picture could not be made: {detail}",
}
"""One row a reason."""

DETAILS = (
    "no value is finite",
    "all values are finite",
    "the other tensor",
    "on the meta device: it has a shape but no values",
    "inside a torch.func transform: it has no values of its own",
    "not initialized: a lazy module gives it a shape on its first call",
    "a grid of channels needs {0} dims or more, and this tensor has {1}",
    "a picture in colours needs {0} dims or more, and this tensor has {1}",
    "kernels have {0} to {1} dims, and this tensor has {2}",
    "query and key have {0} to {1} dims, and this tensor has {2}",
    "singular values need {0} dims or more, and this tensor has {1}",
    "an embedding needs {0} dims or more, and this tensor has {1}",
    "a similarity of rows needs {0} dims or more, and this tensor has {1}",
    "the shapes are {0} and, in step {1}, {2}",
    "one has {0} elements, the other {1}",
    "{0} features are not {1} equal heads",
    "heads of {0} features, and of {1} in the key",
    "a query of shape {0} and a key of shape {1}: {2} heads for {3} of the key",
    "more than {0} tiles are not put in order of strength",
    "{0} × {1} values; a text has {2} at most",
    "heads of {0} × {1} values; {2} at most",
    "a matrix of {0} × {1}; up to {2} on the shorter side, {3} elements",
    "{0} of {1} values",
)
"""Details that a translation can have, numbers and shapes as `{0}`, `{1}`; any other is shown as it was written."""

_NUMBER = re.compile(r"\(\d+,(?: \d+(?:, \d+)*)?\)|\d+(?:,\d{3})*")
"""A shape, `(3,)` or `(2, 3)`, or a number, `16,384`."""

_OTHER_NOT_CAPTURED = (
    "The values of the other tensor are not kept. Choose one that was captured in the same step, or check its module."
)
_NESTED = "A nested tensor: its {count} parts have shapes of their own, so there is no picture of it as one."
_MORE_PARTS = "and {count} more"
_DESCRIBED = frozenset({NoPictureReason.EMPTY, NoPictureReason.NO_DATA})
_NOT_KEPT = NoPicture(NoPictureReason.NOT_CAPTURED)


def word_answer(answer: ViewReady, nothing: NoPicture) -> CardWords | str:
    """Return what a panel says of an answer without a picture, and of what there is instead."""
    card = card_of_other(answer.ref, answer.badges) or _card_of_tensor(nothing, answer.spec, answer.badges)
    return card or word_no_picture(nothing, answer.spec, answer.badges)


def word_no_picture(nothing: NoPicture, spec: TensorSpec | None, badges: tuple[Badge, ...] = ()) -> str:
    """Return the text for a view that has no picture; badges say why values were never kept.

    Where there is nothing to see but what the tensor is, that stands in a line of its own before it.
    """
    card = _card_of_tensor(nothing, spec, badges)
    if card is not None:
        return f"{card.what}\n\n{card.sentence}"
    if nothing.reason is NoPictureReason.NOT_CAPTURED:
        if nothing.detail:
            return _translate(_OTHER_NOT_CAPTURED)
        if badges:
            return " ".join(map(badge_sentence, badges))
    return _reason(nothing, spec)


def _card_of_tensor(nothing: NoPicture, spec: TensorSpec | None, badges: tuple[Badge, ...]) -> CardWords | None:
    """Return what is said of a tensor that has nothing to see but what it is; `None` of any other."""
    was_never_kept = nothing == _NOT_KEPT and bool(badges)
    if spec is None or not (was_never_kept or nothing.reason in _DESCRIBED):
        return None
    layout = spec.layout if spec.layout != "strided" else ""
    what = " · ".join(filter(None, (format_shape(spec.shape), spec.dtype, layout, spec.device)))
    if was_never_kept:
        return CardWords(what, "", " ".join(map(badge_sentence, badges)))
    if not nothing.parts:
        return CardWords(what, "", _reason(nothing, spec))
    count = spec.shape[0]
    rows = [f"{number}: {format_shape(shape)}" for number, shape in enumerate(nothing.parts)]
    if count > len(rows):
        rows.append(_translate(_MORE_PARTS).format(count=f"{count - len(rows):,}"))
    return CardWords(what, "\n".join(rows), _translate(_NESTED).format(count=f"{count:,}"))


def card_of_other(ref: TensorRef, badges: tuple[Badge, ...]) -> CardWords | None:
    """Return what is said of a value that is no tensor; `None` of a tensor."""
    instead = instead_of_tensor(badges)
    if not instead:
        return None
    kind, _, value = instead.partition(": ")
    said = (Badge(badge.kind) if badge.kind is BadgeKind.NOT_A_TENSOR else badge for badge in badges)
    return CardWords(f"{slot_label(ref)} · {kind}", value, " ".join(map(badge_sentence, said)))


def _reason(nothing: NoPicture, spec: TensorSpec | None) -> str:
    shape = format_shape(spec.shape) if spec is not None else "?"
    detail = _detail(nothing.detail.rstrip(".")) if nothing.detail else "?"
    return _translate(REASONS[nothing.reason]).format(shape=shape, detail=detail)


def detail_template(detail: str) -> tuple[str, tuple[str, ...]]:
    """Return a detail with `{0}`, `{1}` in place of its numbers and shapes, and these."""
    parts = _NUMBER.split(detail)
    template = "".join(f"{part}{{{number}}}" for number, part in enumerate(parts[:-1])) + parts[-1]
    return template, tuple(_NUMBER.findall(detail))


def _detail(english: str) -> str:
    template, numbers = detail_template(english)
    if template not in DETAILS:
        return english
    return _translate(template).format(*numbers)


def _translate(english: str) -> str:
    return QCoreApplication.translate(_CONTEXT, english)
