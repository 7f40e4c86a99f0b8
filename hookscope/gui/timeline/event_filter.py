"""The filter of the event list: what a person types, and which rows it keeps.

Terms are separated by spaces and all of them must hold: `forward`, `backward` and `grad` name kinds of events, a term
with `*` or `?` is a glob over the module's path, any other is looked for in it whatever its case; `-term` leaves out.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate

from hookscope.gui.timeline.event_tree import TOP, EventRows
from hookscope.protocol.stops import EventKind, StepEvent

Term = Callable[[StepEvent], bool]

KINDS: dict[str, tuple[EventKind, ...]] = {
    "forward": (EventKind.FORWARD_ENTER, EventKind.FORWARD_LEAVE),
    "backward": (EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE, EventKind.PARAMETER_GRADIENT),
    "grad": (EventKind.PARAMETER_GRADIENT,),
}
"""Words that name kinds of events."""


@dataclass(frozen=True)
class EventFilter:
    """A filter as typed, read by `parse_filter`: all of `required` and none of `excluded` must hold."""

    required: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it keeps every event."""
        return not self.required and not self.excluded

    def matches(self, event: StepEvent) -> bool:
        """Whether an event meets it."""
        return all(term(event) for term in self.required) and not any(term(event) for term in self.excluded)

    def kept(self, rows: EventRows) -> list[int]:
        """Return the rows of matching events and all that they are inside of, in their order."""
        parents = rows.parent
        kept: set[int] = set()
        for event, row in zip(rows.trace.events, rows.row_of, strict=True):
            if row in kept or not self.matches(event):
                continue
            above = row
            while above != TOP and above not in kept:
                kept.add(above)
                above = parents[above]
        return sorted(kept)


def parse_filter(text: str) -> EventFilter:
    """Read a filter; any text is one. A term that is not finished yet (`-`) asks for nothing."""
    required: list[Term] = []
    excluded: list[Term] = []
    for word in text.split():
        name = word.removeprefix("-")
        if name:
            (excluded if word.startswith("-") else required).append(_term_of(name))
    return EventFilter(tuple(required), tuple(excluded))


def _term_of(word: str) -> Term:
    kinds = KINDS.get(word.lower())
    if kinds is not None:
        return _OfKind(kinds)
    if "*" in word or "?" in word:
        return _OnPath(re.compile(translate(word)))
    return _Contains(word.lower())


@dataclass(frozen=True)
class _OfKind:
    kinds: tuple[EventKind, ...]

    def __call__(self, event: StepEvent) -> bool:
        return event.kind in self.kinds


@dataclass(frozen=True)
class _OnPath:
    pattern: re.Pattern[str]

    def __call__(self, event: StepEvent) -> bool:
        return self.pattern.match(event.path) is not None


@dataclass(frozen=True)
class _Contains:
    text: str

    def __call__(self, event: StepEvent) -> bool:
        return self.text in event.path.lower() or self.text in event.leaf.lower()
