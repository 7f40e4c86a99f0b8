"""Badges in words: why a value is absent, or what to know about it; one row a kind."""

from collections.abc import Callable
from dataclasses import dataclass

from hookscope.protocol.tensors import Badge, BadgeKind


@dataclass(frozen=True)
class BadgeWords:
    """One kind of badge.

    Attributes:
        label: A few words, for a row or beside a picture.
        sentence: What it means and, where something can be done, what.
    """

    label: str
    sentence: str


WORDS: dict[BadgeKind, BadgeWords] = {
    BadgeKind.NEVER_CALLED: BadgeWords(
        "not called", "The forward pass of this step did not call this module, so nothing went through it."
    ),
    BadgeKind.NO_GRAD_MODE: BadgeWords(
        "gradients off", "The module ran with gradients switched off (torch.no_grad), so backward does not reach it."
    ),
    BadgeKind.INPUT_NEEDS_NO_GRAD: BadgeWords(
        "input needs no grad",
        "The input does not require grad, so nothing computes a gradient for it. Tick “requires grad” on the input to "
        "see one.",
    ),
    BadgeKind.OUTPUT_NEEDS_NO_GRAD: BadgeWords(
        "output needs no grad", "The output does not require grad: nothing before it asked for a gradient."
    ),
    BadgeKind.NO_PATH_TO_INPUT: BadgeWords(
        "no path to input",
        "The output does not depend on this input, so no gradient flows back to it.",
    ),
    BadgeKind.NO_GRADIENT_REACHED: BadgeWords(
        "no gradient reached it", "Backward ended without a gradient arriving here: the loss does not depend on it."
    ),
    BadgeKind.PASS_THROUGH: BadgeWords(
        "passed through", "The module returned its input as it is, so this is the gradient of the output."
    ),
    BadgeKind.FROM_BASE: BadgeWords(
        "from its base", "The tensor is a view of another one, and the gradient was taken there."
    ),
    BadgeKind.MODIFIED_IN_PLACE: BadgeWords(
        "modified in place", "A later operation overwrites this tensor in place; shown is the value it had here."
    ),
    BadgeKind.DID_NOT_RETURN: BadgeWords("did not return", "The module raised an error before it had an output."),
    BadgeKind.RECOMPUTED: BadgeWords(
        "recomputed", "Activation checkpointing ran the module a second time during backward."
    ),
    BadgeKind.FROZEN: BadgeWords("frozen", "The parameter does not require grad, so it gets no gradient."),
    BadgeKind.NO_DATA: BadgeWords("no data", "The tensor has a shape but no values that could be read."),
    BadgeKind.OVER_BUDGET: BadgeWords(
        "over the memory budget", "There was no memory left for a copy. Check fewer modules to see this one."
    ),
    BadgeKind.CAPTURE_FAILED: BadgeWords("capture failed", "Copying the tensor failed; the model itself went on."),
}


def badge_label(badge: Badge, translate: Callable[[str], str] = str) -> str:
    """Return the few words for a badge."""
    return translate(WORDS[badge.kind].label)


def badge_sentence(badge: Badge, translate: Callable[[str], str] = str) -> str:
    """Return the plain sentence for a badge, with the engine's detail in parentheses."""
    sentence = translate(WORDS[badge.kind].sentence)
    return f"{sentence} ({badge.detail})" if badge.detail else sentence
