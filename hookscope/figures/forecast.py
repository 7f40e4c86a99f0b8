"""What a step that is stopped has yet to do, and about when: like in another step where there is one, else a guess."""

from collections.abc import Iterable
from dataclasses import dataclass

from hookscope.figures.lanes import Span, SpanKey, StepTrace
from hookscope.protocol.stops import StepEvent

_BACKWARD_FACTOR = 2.0
"""Backward takes about twice as long as forward: for every layer there are two products instead of one."""
_UNKNOWN_S = 1e-3
"""Length of what comes while nothing has taken any time."""


@dataclass(frozen=True)
class Coming:
    """A span that has not begun.

    Attributes:
        key: Path, call, and whether it is the backward pass.
        begin_s: About when it will begin, in seconds since the step began.
        end_s: About when it will end.
        is_pending: Whether it is the backward pass of a call whose forward is done; else the call was not reached.
        parent: The module that it will be called in, where that is known.
        has_inner: Whether others will be inside.
    """

    key: SpanKey
    begin_s: float
    end_s: float
    is_pending: bool
    parent: str | None = None
    has_inner: bool = False


def forecast(trace: StepTrace, former: StepTrace | None, leaves: Iterable[str]) -> tuple[Coming, ...]:
    """Return what has yet to come, in the order in which it will.

    Args:
        trace: The step so far.
        former: A whole step of the same model, if there was one.
        leaves: Paths of all modules without others inside, in their order; for the first step of a model.
    """
    if not trace.events:
        return ()
    return _as_in(former, trace) if former is not None else _guessed(trace, leaves)


def _as_in(former: StepTrace, trace: StepTrace) -> tuple[Coming, ...]:
    """Move the rest of a former step to where this one stands now."""
    shift_s = trace.end_s - _time_there(former, trace.events[-1])
    coming = [
        _moved(former, span, shift_s, trace)
        for span in former.spans.values()
        if span.key not in trace.spans and not (trace.is_forward_over and not span.is_backward)
    ]
    return tuple(sorted(coming, key=_order))


def _time_there(former: StepTrace, event: StepEvent) -> float:
    wanted = (event.kind, event.path, event.call, event.leaf)
    for other in reversed(former.events):
        if (other.kind, other.path, other.call, other.leaf) == wanted:
            return former.time_of(other)
    return former.end_s


def _moved(former: StepTrace, span: Span, shift_s: float, trace: StepTrace) -> Coming:
    begin_s = max(span.begin_s + shift_s, trace.end_s)
    forward = trace.spans.get((span.path, span.call, False))
    is_pending = span.is_backward and forward is not None and forward.leave >= 0
    parent = span.parent.path if span.parent is not None else None
    return Coming(span.key, begin_s, begin_s + former.duration_of(span), is_pending, parent, span.has_inner)


def _guessed(trace: StepTrace, leaves: Iterable[str]) -> tuple[Coming, ...]:
    """Line up the modules that were not called, and then the backward pass of the calls that returned."""
    inner = [span for span in trace.spans.values() if not span.has_inner and not span.is_backward and span.leave >= 0]
    usual_s = sum(map(trace.duration_of, inner)) / len(inner) if inner else 0.0
    usual_s = usual_s or _UNKNOWN_S
    now_s = trace.end_s
    coming = []
    if not trace.is_forward_over:
        called = {span.path for span in trace.spans.values()}
        for path in leaves:
            if path not in called:
                coming.append(Coming((path, 0, False), now_s, now_s + usual_s, is_pending=False))
                now_s += usual_s
    for span in sorted(inner, key=_leave, reverse=True):
        key = (span.path, span.call, True)
        if key not in trace.spans:
            length_s = _BACKWARD_FACTOR * trace.duration_of(span) or usual_s
            parent = span.parent.path if span.parent is not None else None
            coming.append(Coming(key, now_s, now_s + length_s, is_pending=True, parent=parent))
            now_s += length_s
    return tuple(coming)


def _order(coming: Coming) -> float:
    return coming.begin_s


def _leave(span: Span) -> int:
    return span.leave
