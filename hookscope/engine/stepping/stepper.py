"""Decides at each event whether the step goes on: the step commands of a debugger, over events instead of lines."""

from collections.abc import Callable
from dataclasses import dataclass

from hookscope.protocol.stops import ContinueMode, EventKind, StepEvent, StopKind, StopReason

FORWARD = {EventKind.FORWARD_ENTER, EventKind.FORWARD_LEAVE}
BACKWARD = {EventKind.BACKWARD_ENTER, EventKind.BACKWARD_LEAVE, EventKind.PARAMETER_GRADIENT}
LEAVING = {EventKind.FORWARD_LEAVE, EventKind.BACKWARD_LEAVE}
ENTERING = {EventKind.FORWARD_ENTER, EventKind.BACKWARD_ENTER}
OF_THE_STEP = {EventKind.LOSS, EventKind.OPTIMIZER}


@dataclass(frozen=True)
class Goal:
    """How far a step is to go.

    Attributes:
        mode: The command.
        start: The event at which it was given; `None` at the beginning of a step.
        path: The module of `TO_SELECTED`.
    """

    mode: ContinueMode = ContinueMode.CONTINUE
    start: StepEvent | None = None
    path: str = ""


def reached(goal: Goal, event: StepEvent, non_finite: Callable[[], str]) -> StopReason | None:
    """Say whether an event is where a goal leads to.

    Args:
        goal: The goal that was set.
        event: What has just happened.
        non_finite: Looks at the tensors at hand and returns what is not finite in words, or `""`; called only when
            needed.
    """
    return _RULES[goal.mode](goal, event, non_finite)


def _rule(test: Callable[[Goal, StepEvent], bool], kind: StopKind) -> Callable[..., StopReason | None]:
    def applied(goal: Goal, event: StepEvent, _non_finite: Callable[[], str]) -> StopReason | None:
        return StopReason(kind) if test(goal, event) else None

    return applied


def _always(_goal: Goal, _event: StepEvent) -> bool:
    return True


def _never(_goal: Goal, _event: StepEvent) -> bool:
    return False


def _not_deeper(goal: Goal, event: StepEvent) -> bool:
    return goal.start is None or event.depth <= goal.start.depth or _turns_back(goal.start, event)


def _left(goal: Goal, event: StepEvent) -> bool:
    """Whether the call that encloses the start is left, or, since it cannot be any more, the pass is over."""
    start = goal.start
    if start is None or start.kind in OF_THE_STEP or event.kind in OF_THE_STEP:
        return event.kind in OF_THE_STEP
    within = start.depth if start.kind in ENTERING else start.depth - 1
    same_pass = (start.kind in FORWARD) == (event.kind in FORWARD)
    return same_pass and event.kind in LEAVING and event.depth <= within


def _is_selected(goal: Goal, event: StepEvent) -> bool:
    return event.path == goal.path and event.kind not in OF_THE_STEP


def _ends_forward(_goal: Goal, event: StepEvent) -> bool:
    return event.kind is EventKind.FORWARD_LEAVE and event.depth == 0


def _ends_backward(_goal: Goal, event: StepEvent) -> bool:
    return event.kind is EventKind.BACKWARD_LEAVE and event.depth == 0


def _turns_back(start: StepEvent, event: StepEvent) -> bool:
    """Whether the step has gone from forward to backward in between: depths of the two are not compared."""
    return start.kind in FORWARD and event.kind not in FORWARD


def _non_finite(_goal: Goal, _event: StepEvent, non_finite: Callable[[], str]) -> StopReason | None:
    what = non_finite()
    return StopReason(StopKind.NON_FINITE, {"what": what}) if what else None


_RULES: dict[ContinueMode, Callable[[Goal, StepEvent, Callable[[], str]], StopReason | None]] = {
    ContinueMode.CONTINUE: _rule(_never, StopKind.STEP),
    ContinueMode.INTO: _rule(_always, StopKind.STEP),
    ContinueMode.OVER: _rule(_not_deeper, StopKind.STEP),
    ContinueMode.OUT: _rule(_left, StopKind.STEP),
    ContinueMode.TO_SELECTED: _rule(_is_selected, StopKind.SELECTED),
    ContinueMode.TO_NON_FINITE: _non_finite,
    ContinueMode.TO_END_OF_FORWARD: _rule(_ends_forward, StopKind.END_OF_FORWARD),
    ContinueMode.TO_END_OF_BACKWARD: _rule(_ends_backward, StopKind.END_OF_BACKWARD),
}
