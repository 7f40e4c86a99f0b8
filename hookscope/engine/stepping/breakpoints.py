"""The breakpoints of a session: which are in force, at which events they count, and when a step stops at one."""

import fnmatch
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hookscope.engine.stepping.conditions import ConditionTest, EventContext, Tensors, compile_condition
from hookscope.engine.stepping.expressions import ExpressionError
from hookscope.engine.stepping.log_text import LogMoment, LogText, compile_log_text
from hookscope.protocol.stops import (
    Breakpoint,
    EventKind,
    EventPhase,
    SpecChanged,
    StepEvent,
    StopKind,
    StopReason,
)

CLASS_PREFIX = "class:"
"""Begins a glob over class names; any other pattern is one over module paths."""

_PHASES = {
    EventKind.FORWARD_ENTER: EventPhase.FORWARD_ENTER,
    EventKind.FORWARD_LEAVE: EventPhase.FORWARD_LEAVE,
    EventKind.BACKWARD_ENTER: EventPhase.BACKWARD_ENTER,
    EventKind.BACKWARD_LEAVE: EventPhase.BACKWARD_LEAVE,
    EventKind.PARAMETER_GRADIENT: EventPhase.PARAMETER_GRADIENT,
}
"""The loss and the optimizer are no module's: no breakpoint is on them."""


@dataclass(frozen=True)
class Decision:
    """What one breakpoint makes of an event.

    Attributes:
        stop: Whether the step stops.
        reason: Why; `None` when it does not.
        log: A line for the log, of a log point that is due.
    """

    stop: bool
    reason: StopReason | None = None
    log: str | None = None


@dataclass(frozen=True)
class _Accepted:
    """A breakpoint that nothing is wrong with."""

    breakpoint: Breakpoint
    test: ConditionTest
    log: LogText | None

    def is_at(self, names: Sequence[str], class_name: str) -> bool:
        """Whether the pattern means a module, by any of its paths or by its class."""
        pattern = self.breakpoint.pattern
        if pattern.startswith(CLASS_PREFIX):
            return fnmatch.fnmatchcase(class_name, pattern.removeprefix(CLASS_PREFIX))
        # A path is itself, also where a part of it would mean something in a glob.
        return pattern in names or any(fnmatch.fnmatchcase(name, pattern) for name in names)

    def is_of(self, operation: str) -> bool:
        """Whether it counts at an operation, which `add` and `add:1` both name; `""` is the module itself."""
        pattern = self.breakpoint.operation
        if not (pattern and operation):
            return pattern == operation
        return any(fnmatch.fnmatchcase(name, pattern) for name in (operation, operation.partition(":")[0]))


@dataclass(frozen=True)
class _Rules:
    """What is in force; replaced as a whole, so that hooks on other threads never see half of a change.

    Attributes:
        accepted: All that can be in force, by id.
        aliases: All paths of the modules that have several, by the first.
        matches: What `match` has found so far.
    """

    accepted: dict[int, _Accepted] = field(default_factory=dict)
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matches: dict[tuple[str, EventKind, str], tuple[Breakpoint, ...]] = field(default_factory=dict)

    @property
    def enabled(self) -> list[_Accepted]:
        """Those in force, in the order in which they were set."""
        return [accepted for accepted in self.accepted.values() if accepted.breakpoint.enabled]

    def names(self, path: str) -> Sequence[str]:
        """Return all paths of a module."""
        return self.aliases.get(path, (path,))


class BreakpointTable:
    """Keeps the breakpoints and counts their hits. `match` and `hit` are for hooks, on any thread; the rest for one."""

    def __init__(self) -> None:
        self._rules = _Rules()
        self._hits: Counter[int] = Counter()
        self._counting = threading.Lock()

    def set(self, breakpoints: Iterable[Breakpoint]) -> dict[int, str]:
        """Put exactly these in force. One that has the id of a former one goes on counting its hits.

        Returns:
            Id -> why a breakpoint is refused, which then never stops.
        """
        accepted: dict[int, _Accepted] = {}
        refused: dict[int, str] = {}
        for breakpoint_ in breakpoints:
            try:
                accepted[breakpoint_.id] = _accept(breakpoint_)
            except ValueError as error:
                refused[breakpoint_.id] = str(error)
        self._rules = _Rules(accepted, self._rules.aliases)
        with self._counting:
            kept = accepted.keys() | refused.keys()
            self._hits = Counter({id_: count for id_, count in self._hits.items() if id_ in kept})
        return refused

    def set_aliases(self, aliases: Mapping[str, Sequence[str]]) -> None:
        """Say which modules of the model have several paths, all of them by the first, which is the one in events.

        A breakpoint on any of them is one on the module.
        """
        self._rules = _Rules(self._rules.accepted, aliases)

    @property
    def needs_events(self) -> bool:
        """Whether any breakpoint is in force."""
        return bool(self._rules.enabled)

    @property
    def needs_previous(self) -> bool:
        """Whether a condition in force compares with the last step, so that `EventContext.previous` must be filled."""
        return any(isinstance(accepted.breakpoint.condition, SpecChanged) for accepted in self._rules.enabled)

    def unmatched(self, modules: Mapping[str, str]) -> tuple[int, ...]:
        """Return the ids of those, in force or switched off, that mean no module of a model.

        Args:
            modules: Class name of each module, by its first path.
        """
        rules = self._rules
        return tuple(
            id_
            for id_, accepted in rules.accepted.items()
            if not any(accepted.is_at(rules.names(path), class_name) for path, class_name in modules.items())
        )

    def paths_needed(self, modules: Mapping[str, str], *, operations: bool = False) -> frozenset[str]:
        """Return the modules at which a breakpoint in force could stop: only there are events needed for them.

        Args:
            modules: Class name of each module, by its first path.
            operations: Whether it is asked for breakpoints on operations within the modules, instead of those on the
                modules themselves.
        """
        rules = self._rules
        wanted = [accepted for accepted in rules.enabled if bool(accepted.breakpoint.operation) is operations]
        return frozenset(
            path
            for path, class_name in modules.items()
            if any(accepted.is_at(rules.names(path), class_name) for accepted in wanted)
        )

    def match(self, event: StepEvent, class_name: str) -> tuple[Breakpoint, ...]:
        """Return the breakpoints on an event, whatever their conditions, in the order in which they were set.

        Args:
            event: What has just happened.
            class_name: Class of the event's module.
        """
        rules = self._rules
        key = (event.path, event.kind, event.operation)
        found = rules.matches.get(key)
        if found is None:
            phase, names = _PHASES.get(event.kind), rules.names(event.path)
            found = rules.matches[key] = tuple(
                accepted.breakpoint
                for accepted in rules.enabled
                if phase in accepted.breakpoint.phases
                and accepted.is_of(event.operation)
                and accepted.is_at(names, class_name)
            )
        return found

    def hit(self, breakpoint_: Breakpoint, tensors: Tensors, context: EventContext) -> Decision:
        """Test a breakpoint's condition at an event and count the hit if it holds. Never raises an `Exception`.

        What goes wrong in a condition stops the step, to be seen; of a log point, which never stops, it is logged.

        Args:
            breakpoint_: One that `match` returned for the event.
            tensors: The tensors at hand.
            context: What else is known at the event.
        """
        accepted = self._rules.accepted.get(breakpoint_.id)
        if accepted is None or accepted.breakpoint != breakpoint_:  # it was changed a moment ago
            return Decision(stop=False)
        try:
            return self._decide(accepted, tensors, context)
        except Exception as error:
            text = str(error) if isinstance(error, ExpressionError) else f"{type(error).__name__}: {error}"
        if accepted.log is not None:
            return Decision(stop=False, log=f"The condition failed: {text}")
        values = {"breakpoint": str(breakpoint_.id), "error": text}
        return Decision(stop=True, reason=StopReason(StopKind.CONDITION_FAILED, values))

    def _decide(self, accepted: _Accepted, tensors: Tensors, context: EventContext) -> Decision:
        found = accepted.test(tensors, context)
        if found is None:
            return Decision(stop=False)
        id_ = accepted.breakpoint.id
        with self._counting:
            self._hits[id_] += 1
            hits = self._hits[id_]
        if hits < accepted.breakpoint.hits:
            return Decision(stop=False)
        if accepted.log is not None:
            tensor = next((tensor for leaf, tensor in tensors if found.leaf in {"", leaf}), None)
            return Decision(stop=False, log=accepted.log(LogMoment(tensor, context, hits)))
        told = {"what": found.what, "value": found.value, "limit": found.limit, "leaf": found.leaf}
        values = {"breakpoint": str(id_), "hits": str(hits), **told}
        return Decision(stop=True, reason=StopReason(StopKind.BREAKPOINT, values))


def _accept(breakpoint_: Breakpoint) -> _Accepted:
    """Check a breakpoint and make what is needed to decide. Raises `ValueError` with what is wrong."""
    if breakpoint_.pattern == CLASS_PREFIX:
        raise ValueError(f"`{CLASS_PREFIX}` must be followed by the name of a class, for example `{CLASS_PREFIX}Conv*`")
    if not breakpoint_.phases:
        raise ValueError("it is on no event: choose at least one phase")
    if breakpoint_.hits < 1:
        raise ValueError(f"hits are counted from 1; it cannot stop at hit {breakpoint_.hits}")
    log = compile_log_text(breakpoint_.log) if breakpoint_.log else None
    return _Accepted(breakpoint_, compile_condition(breakpoint_.condition), log)
