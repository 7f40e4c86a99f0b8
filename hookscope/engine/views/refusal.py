"""A view that cannot be made of a tensor, and why."""

from hookscope.protocol.views import NoPictureReason


class Refusal(Exception):  # noqa: N818 - a property of the tensor, not an error of ours
    """The tensor has no such view; the text says why, for people."""

    def __init__(self, reason: NoPictureReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def wrong_rank(needs: str, tensor_rank: int) -> Refusal:
    """Return the refusal of a tensor with another number of dims than a view `needs`: "a grid needs 3 dims"."""
    return Refusal(NoPictureReason.WRONG_RANK, f"{needs}, and this tensor has {tensor_rank}")
