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
    NoPictureReason.FAILED: "The picture could not be made: {detail}",
}
"""One row a reason."""


def word_no_picture(nothing: NoPicture, spec: TensorSpec | None, badges: tuple[Badge, ...] = ()) -> str:
    """Return the sentence for a view that has no picture; badges say why values were never kept."""
    if nothing.reason is NoPictureReason.NOT_CAPTURED and badges:
        return " ".join(badge_sentence(badge) for badge in badges)
    shape = format_shape(spec.shape) if spec is not None else "?"
    detail = nothing.detail.rstrip(".") or "?"
    return QCoreApplication.translate(_CONTEXT, REASONS[nothing.reason]).format(shape=shape, detail=detail)
