"""How badges look: a glyph of its own for each kind, so that none is told by its colour alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from hookscope.protocol.tensors import Badge, BadgeKind


@dataclass(frozen=True)
class BadgeLook:
    """A codicon, and the name of a `Theme` colour."""

    icon: str
    color: str = "quiet"


LOOKS: dict[BadgeKind, BadgeLook] = {
    BadgeKind.CHANGED: BadgeLook("msc.wand", "accent"),
    BadgeKind.EDITED: BadgeLook("msc.pencil", "accent"),
    BadgeKind.RAISED: BadgeLook("msc.error", "trouble"),
    BadgeKind.DID_NOT_RETURN: BadgeLook("msc.debug-step-into", "trouble"),
    BadgeKind.CAPTURE_FAILED: BadgeLook("msc.warning", "trouble"),
    BadgeKind.OVER_BUDGET: BadgeLook("msc.database", "at_hand"),
    BadgeKind.COMPILED: BadgeLook("msc.zap", "at_hand"),
    BadgeKind.SCRIPTED: BadgeLook("msc.file-code", "at_hand"),
    BadgeKind.EXPORTED: BadgeLook("msc.export", "at_hand"),
    BadgeKind.BYPASSES_CALL: BadgeLook("msc.debug-step-over", "at_hand"),
    BadgeKind.NEVER_CALLED_WITH_GRADIENT: BadgeLook("msc.references", "at_hand"),
    BadgeKind.NEVER_CALLED: BadgeLook("msc.circle-slash", "at_hand"),
    BadgeKind.ALIAS_VOID: BadgeLook("msc.link", "at_hand"),
    BadgeKind.NATIVE_REFUSED: BadgeLook("msc.shield", "trouble"),
    BadgeKind.NO_GRAD_MODE: BadgeLook("msc.mute", "at_hand"),
    BadgeKind.NO_GRADIENT_REACHED: BadgeLook("msc.circle-large-outline", "at_hand"),
    BadgeKind.OUTPUT_NEEDS_NO_GRAD: BadgeLook("msc.stop-circle"),
    BadgeKind.INTEGER_OUTPUT: BadgeLook("msc.symbol-numeric"),
    BadgeKind.NO_PATH_TO_INPUT: BadgeLook("msc.debug-disconnect"),
    BadgeKind.MODIFIED_IN_PLACE: BadgeLook("msc.edit"),
    BadgeKind.MODIFIED_AFTERWARDS: BadgeLook("msc.replace"),
    BadgeKind.RECOMPUTED: BadgeLook("msc.sync"),
    BadgeKind.CALLED_REPEATEDLY: BadgeLook("msc.versions"),
    BadgeKind.LATER_PASS: BadgeLook("msc.history"),
    BadgeKind.PASS_THROUGH: BadgeLook("msc.arrow-right"),
    BadgeKind.FROM_BASE: BadgeLook("msc.layers"),
    BadgeKind.FUNCTORCH: BadgeLook("msc.symbol-namespace"),
    BadgeKind.SHARDED: BadgeLook("msc.split-horizontal"),
    BadgeKind.SCALED: BadgeLook("msc.symbol-ruler"),
    BadgeKind.FROZEN: BadgeLook("msc.lock"),
    BadgeKind.UNINITIALIZED: BadgeLook("msc.question"),
    BadgeKind.NO_DATA: BadgeLook("msc.eye-closed"),
    BadgeKind.INPUT_NEEDS_NO_GRAD: BadgeLook("msc.circle-outline"),
    BadgeKind.NATIVE: BadgeLook("msc.debug-alt"),
    BadgeKind.ALIAS: BadgeLook("msc.clone"),
    BadgeKind.LEGACY: BadgeLook("msc.archive"),
    BadgeKind.NOT_A_TENSOR: BadgeLook("msc.symbol-misc"),
}
"""One row a kind, the more important before the less important."""

_RANK = {kind: rank for rank, kind in enumerate(LOOKS)}


def look_of(badges: Sequence[Badge]) -> BadgeLook | None:
    """Return the look of the most important badge; `None` when there is none."""
    return LOOKS[min((badge.kind for badge in badges), key=_RANK.__getitem__)] if badges else None
