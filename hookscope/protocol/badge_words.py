"""Badges in words: why a value is absent, or what to know about it; one row a kind."""

from collections.abc import Callable
from dataclasses import dataclass

from hookscope.protocol.tensors import Badge, BadgeKind


@dataclass(frozen=True)
class BadgeWords:
    """One kind of badge.

    Attributes:
        label: A few words, for a row or beside a picture.
        sentence: What it means.
        advice: What can be done in the window, where something can.
        tells_detail: Whether the detail of a badge is for people.
    """

    label: str
    sentence: str
    advice: str = ""
    tells_detail: bool = True


WORDS: dict[BadgeKind, BadgeWords] = {
    BadgeKind.NEVER_CALLED: BadgeWords(
        "not called", "The forward pass of this step did not call this module, so nothing went through it."
    ),
    BadgeKind.NEVER_CALLED_WITH_GRADIENT: BadgeWords(
        "bypassed",
        "Nothing called this module, but something used its parameters directly, and they got a gradient.",
    ),
    BadgeKind.CALLED_REPEATEDLY: BadgeWords(
        "called repeatedly", "The step called this module several times; each call is kept apart."
    ),
    BadgeKind.NO_GRAD_MODE: BadgeWords(
        "gradients off", "The module ran with gradients switched off (torch.no_grad), so backward does not reach it."
    ),
    BadgeKind.INPUT_NEEDS_NO_GRAD: BadgeWords(
        "input needs no grad",
        "The input does not require grad, so nothing computes a gradient for it.",
        "Tick “requires grad” on the input to see one.",
    ),
    BadgeKind.OUTPUT_NEEDS_NO_GRAD: BadgeWords(
        "output needs no grad", "The output does not require grad: nothing before it asked for a gradient."
    ),
    BadgeKind.NO_PATH_TO_INPUT: BadgeWords(
        "no path to input", "The output does not depend on this input, so no gradient flows back to it."
    ),
    BadgeKind.NO_GRADIENT_REACHED: BadgeWords(
        "no gradient reached it",
        "Backward ended without a gradient arriving here: it was cut off (detach), or the loss does not use it.",
    ),
    BadgeKind.INTEGER_OUTPUT: BadgeWords(
        "no gradient: integers", "Integers and booleans have no gradient; nothing can flow back through this output."
    ),
    BadgeKind.PASS_THROUGH: BadgeWords(
        "passed through", "The module returned its input as it is, so this is the gradient of the output."
    ),
    BadgeKind.FROM_BASE: BadgeWords(
        "from its base", "The tensor is a view of another one, and the gradient was taken there."
    ),
    BadgeKind.MODIFIED_IN_PLACE: BadgeWords(
        "modified in place", "The module overwrites this tensor in place; shown is the value it had here."
    ),
    BadgeKind.MODIFIED_AFTERWARDS: BadgeWords(
        "overwritten later",
        "An operation after the module wrote into its output; shown is what the module returned.",
    ),
    BadgeKind.DID_NOT_RETURN: BadgeWords(
        "did not return", "The call ended without an output: something in it raised, and the model went on."
    ),
    BadgeKind.RECOMPUTED: BadgeWords(
        "recomputed", "Activation checkpointing ran the module a second time during backward."
    ),
    BadgeKind.RAISED: BadgeWords("raised", "An exception left this call before it had an output."),
    BadgeKind.LATER_PASS: BadgeWords(
        "later backward pass", "Several backward passes reached this call; this is the gradient of the newest one."
    ),
    BadgeKind.FROZEN: BadgeWords("frozen", "The parameter does not require grad, so it gets no gradient."),
    BadgeKind.UNINITIALIZED: BadgeWords(
        "not initialised",
        "A lazy module makes this parameter in its first forward pass, which had not run when the step began.",
    ),
    BadgeKind.NO_DATA: BadgeWords("no data", "The tensor has a shape but no values that could be read."),
    BadgeKind.OVER_BUDGET: BadgeWords(
        "over the memory budget",
        "There was no memory left for a copy within the budget.",
        "Check fewer modules to see this one.",
    ),
    BadgeKind.CAPTURE_FAILED: BadgeWords("capture failed", "Copying the tensor failed; the model itself went on."),
    BadgeKind.COMPILED: BadgeWords(
        "compiled",
        "torch.compile runs this module without its hooks.",
        "Switch on “run eagerly” to see what happens in it.",
    ),
    BadgeKind.SCRIPTED: BadgeWords(
        "TorchScript", "TorchScript runs this module without Python, so its hooks are not called."
    ),
    BadgeKind.EXPORTED: BadgeWords(
        "exported", "torch.export made one flat graph of the model, which never calls the modules that it lists."
    ),
    BadgeKind.FUNCTORCH: BadgeWords(
        "inside torch.func",
        "A torch.func transform wraps this tensor; the values are those within, and may have more dims.",
    ),
    BadgeKind.SHARDED: BadgeWords("sharded", "The tensor is spread over several processes; this is the local part."),
    BadgeKind.BYPASSES_CALL: BadgeWords(
        "bypasses hooks", "The class overrides __call__, and PyTorch calls no hooks on such a module."
    ),
    BadgeKind.NATIVE: BadgeWords("native hook", "Shown is what PyTorch’s own full backward hook delivers."),
    BadgeKind.NATIVE_REFUSED: BadgeWords(
        "hook refused", "The kind of hook that was chosen cannot be on this module, so it is captured exactly."
    ),
    BadgeKind.ALIAS: BadgeWords(
        "alias", "The module was given a view of its input, so this is the share of this call alone."
    ),
    BadgeKind.ALIAS_VOID: BadgeWords(
        "alias without effect", "The module wrote into its input in place, so its share cannot be told from the total."
    ),
    BadgeKind.LEGACY: BadgeWords("legacy hook", "Shown is what the deprecated register_backward_hook delivers."),
    BadgeKind.SCALED: BadgeWords(
        "scaled", "A gradient scaler multiplied the loss, and this gradient still has the factor."
    ),
    BadgeKind.CHANGED: BadgeWords("changed", "An intervention of yours made this value.", tells_detail=False),
    BadgeKind.EDITED: BadgeWords("edited", "You changed this value by hand while the step was stopped here."),
    BadgeKind.NOT_A_TENSOR: BadgeWords(
        "not a tensor", "What is here is no tensor, so it has no values and no gradient."
    ),
}


def badge_label(badge: Badge, translate: Callable[[str], str] = str) -> str:
    """Return the few words for a badge."""
    return translate(WORDS[badge.kind].label)


def badge_reason(badge: Badge, translate: Callable[[str], str] = str) -> str:
    """Return the plain sentence for a badge, with the engine's detail in parentheses."""
    words = WORDS[badge.kind]
    sentence = translate(words.sentence)
    return f"{sentence} ({badge.detail})" if badge.detail and words.tells_detail else sentence


def badge_sentence(badge: Badge, translate: Callable[[str], str] = str) -> str:
    """Return the reason and, where there is one, the advice: what a tooltip of the window says."""
    advice = WORDS[badge.kind].advice
    reason = badge_reason(badge, translate)
    return f"{reason} {translate(advice)}" if advice else reason
