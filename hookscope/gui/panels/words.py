"""Why there is no picture, in words."""

from PySide6.QtCore import QCoreApplication

from hookscope.figures.text import format_shape
from hookscope.gui.badge_text import badge_sentence
from hookscope.protocol.tensors import Badge, TensorSpec
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
)
"""Details without numbers in them, which a translation can have; all others are shown as the debuggee wrote them."""

_OTHER_NOT_CAPTURED = (
    "The values of the other tensor are not kept. Choose one that was captured in the same step, or check its module."
)
_DESCRIBED = frozenset({NoPictureReason.EMPTY, NoPictureReason.NO_DATA})


def word_no_picture(nothing: NoPicture, spec: TensorSpec | None, badges: tuple[Badge, ...] = ()) -> str:
    """Return the text for a view that has no picture; badges say why values were never kept.

    Where there is nothing to see but what the tensor is, that stands in a line of its own before it.
    """
    if nothing.reason is NoPictureReason.NOT_CAPTURED:
        if nothing.detail:
            return _translate(_OTHER_NOT_CAPTURED)
        if badges:
            return " ".join(badge_sentence(badge) for badge in badges)
    shape = format_shape(spec.shape) if spec is not None else "?"
    detail = _translate(nothing.detail.rstrip(".")) if nothing.detail else "?"
    sentence = _translate(REASONS[nothing.reason]).format(shape=shape, detail=detail)
    if spec is None or nothing.reason not in _DESCRIBED:
        return sentence
    layout = spec.layout if spec.layout != "strided" else ""
    what = " · ".join(filter(None, (shape, spec.dtype, layout, spec.device)))
    return f"{what}\n\n{sentence}"


def _translate(english: str) -> str:
    return QCoreApplication.translate(_CONTEXT, english)
