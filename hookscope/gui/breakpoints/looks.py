"""How breakpoints look: a shape for each kind, hollow when it does not stop."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from hookscope.protocol.stops import Breakpoint


@dataclass(frozen=True)
class BreakpointLook:
    """A codicon, the name of a `Theme` colour, and what kind it is in a word."""

    icon: str
    color: str
    text: str


_PLAIN = ("msc.debug-breakpoint", "Breakpoint")
_CONDITIONAL = ("msc.debug-breakpoint-conditional", "Conditional breakpoint")
_LOG = ("msc.debug-breakpoint-log", "Log point")
_HOLLOW = "-unverified"


def look_of(point: Breakpoint, *, is_verified: bool) -> BreakpointLook:
    """Return how a breakpoint looks: hollow grey when it is off, hollow when it cannot stop in this model.

    Args:
        point: The breakpoint.
        is_verified: Whether it is accepted and there is a module that it is on.
    """
    glyph, text = _LOG if point.log else _CONDITIONAL if _is_conditional(point) else _PLAIN
    words = _translate(text)
    if not point.enabled:
        return BreakpointLook(f"{glyph}{_HOLLOW}", "quiet", _translate("{kind}, off").format(kind=words))
    return BreakpointLook(glyph if is_verified else f"{glyph}{_HOLLOW}", "trouble", words)


def _is_conditional(point: Breakpoint) -> bool:
    return point.condition is not None or point.hits > 1


def _translate(english: str) -> str:
    return QCoreApplication.translate("breakpoints", english)
