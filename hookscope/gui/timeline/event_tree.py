"""The events of a step as a bracketed tree: what happened in one pass of a call is inside one row, oldest first.

That row is the event that entered the call; the event that left it is the last one inside. In backward an inner module
is often reached before the one around it, and calls may take turns: each event is inside its own call nevertheless, and
its number tells when it came.
"""

from hookscope.figures.lanes import Span, StepTrace
from hookscope.protocol.stops import StepEvent

TOP = -1
"""Parent of the outermost rows."""
NO_EVENT = -1
"""Number in the row of a call of which no entering event has come."""


class EventRows:
    """Rows over the events of a trace. Further events only add rows behind their siblings.

    Attributes:
        trace: The events.
        parent: Of each row the row that it is inside of, or `TOP`.
        inside: Of each row that has any, the rows directly inside it; `TOP` has the outermost.
        position: Of each row its place among its siblings.
        number: Of each row its event's number, or `NO_EVENT`.
        span: Of each row the span that it is of; `None` for loss and optimizer.
        bracket_of: Of each span the row that stands for it.
        row_of: Of each event its row.
    """

    def __init__(self, trace: StepTrace) -> None:
        self.trace = trace
        self.parent: list[int] = []
        self.inside: dict[int, list[int]] = {TOP: []}
        self.position: list[int] = []
        self.number: list[int] = []
        self.span: list[Span | None] = []
        self.bracket_of: dict[Span, int] = {}
        self.row_of: list[int] = []
        self._newest_backward: Span | None = None
        self.extend()

    def __len__(self) -> int:
        return len(self.parent)

    def event(self, row: int) -> StepEvent | None:
        """Return the event of a row, if it has one."""
        number = self.number[row]
        return self.trace.events[number] if number != NO_EVENT else None

    def is_bracket(self, row: int) -> bool:
        """Whether a row stands for a whole span."""
        span = self.span[row]
        return span is not None and self.bracket_of[span] == row

    def extend(self) -> list[int]:
        """Add rows for the events that the trace has got since; returns older rows that have their event now."""
        trace, bracket_of = self.trace, self.bracket_of
        changed = []
        first_new = len(self.parent)
        for number in range(len(self.row_of), len(trace.events)):
            span = trace.span_of[number]
            if span is None:
                self.row_of.append(self._add(TOP, number, None))
                continue
            row = bracket_of.get(span)
            if row is None:
                row = self._add_bracket(span)
            if span.enter == number:
                self.number[row] = number
                if row < first_new:
                    changed.append(row)
            else:
                row = self._add(row, number, span)
            self.row_of.append(row)
            if span.is_backward:
                self._newest_backward = span
        return changed

    def _add_bracket(self, span: Span) -> int:
        above = span.parent
        if not span.is_backward and self._newest_backward is not None and (above is None or above.leave >= 0):
            above = self._newest_backward  # run again during backward, to get back what was not kept
        if above is None:
            outer = TOP
        else:
            found = self.bracket_of.get(above)
            outer = found if found is not None else self._add_bracket(above)
        row = self.bracket_of[span] = self._add(outer, NO_EVENT, span)
        return row

    def _add(self, above: int, number: int, span: Span | None) -> int:
        row = len(self.parent)
        siblings = self.inside.get(above)
        if siblings is None:
            siblings = self.inside[above] = []
        self.parent.append(above)
        self.position.append(len(siblings))
        self.number.append(number)
        self.span.append(span)
        siblings.append(row)
        return row
