"""At each event: is it a breakpoint, the goal of a step command, or a pause? If so, stop here.

Runs on the thread that fired the hook. The goal belongs to whichever thread is stopped, and to the main thread between
steps; the reader thread only sets wishes at the gate.
"""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from torch import nn

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.code.call_stack import LightStack, VariableStore, frames_of, live_frames
from hookscope.engine.nonfinite.finiteness import count_non_finite
from hookscope.engine.pause import Gate
from hookscope.engine.specs import spec_of
from hookscope.engine.stepping.at_hand import AtHand, HandOn
from hookscope.engine.stepping.breakpoints import BreakpointTable
from hookscope.engine.stepping.collectives import CollectivesWarning
from hookscope.engine.stepping.conditions import EventContext
from hookscope.engine.stepping.stepper import FORWARD, Goal, reached
from hookscope.engine.stepping.stopper import Stopper
from hookscope.engine.stepping.traced_calls import Tensors
from hookscope.protocol import events
from hookscope.protocol.interventions import HandChange
from hookscope.protocol.stops import EventKind, StepEvent, StopKind, StopReason
from hookscope.protocol.tensors import TensorSpec

_NO_SPECS: Mapping[str, TensorSpec] = MappingProxyType({})


class Passed(NamedTuple):
    """How an event was passed.

    Attributes:
        stopped_s: Seconds that the step was stopped at it.
        handed_on: What goes on in place of the tensors at hand, made by the event's `HandOn`; `None` for themselves.
    """

    stopped_s: float = 0.0
    handed_on: Any = None


_PASSED = Passed()


class StopDecision:
    """Decides, and stops.

    Args:
        gate: Where the window's wishes are.
        stopper: Blocks the thread.
        breakpoints: Those that hold.
        writer: Captures the tensor at hand where its module is not checked.
        store: Tells whether it is captured already.
        variables: Keeps local tensors while the step is stopped.
        post: Tells the window.

    Attributes:
        goal: How far the step is to go.
        modules: All modules of the model.
    """

    def __init__(
        self,
        gate: Gate,
        stopper: Stopper,
        breakpoints: BreakpointTable,
        writer: CaptureWriter,
        store: CaptureStore,
        variables: VariableStore,
        post: Callable[[events.Event], None],
    ) -> None:
        self.goal = Goal()
        self.modules: Mapping[str, nn.Module] = {}
        self._gate = gate
        self._stopper = stopper
        self._breakpoints = breakpoints
        self._writer = writer
        self._store = store
        self._variables = variables
        self._post = post
        self._collectives = CollectivesWarning()
        self._at_hand: AtHand | None = None
        self._stack: LightStack | None = None
        self._specs: dict[tuple[str, int, EventKind], Mapping[str, TensorSpec]] = {}

    def at(self, step: int, event: StepEvent, tensors: Tensors, stack: LightStack | None, hand_on: HandOn) -> Passed:
        """Stop at an event if that is wanted.

        Args:
            step: The step.
            event: What has just happened.
            tensors: What is known now.
            stack: The user's frames of the forward call that the event belongs to.
            hand_on: Makes what goes on in place of these tensors if a person changes them.

        Raises:
            StepAborted: The window asked for Stop.
        """
        self._gate.pass_safe_point()
        reason = self._why(step, event, tensors)
        if reason is None:
            return _PASSED
        started = time.perf_counter()
        with self._stopper.turn():
            self._collectives.tell()
            at_hand = AtHand(step, event, tensors, self.modules.get(event.path), hand_on)
            ref = at_hand.show(self._writer, self._store)
            self._variables.begin_stop()
            self._at_hand, self._stack = at_hand, stack
            try:
                answer = self._stopper.stop(events.Stopped(step, event, reason, ref))
            finally:
                self._at_hand = self._stack = None
                self._variables.end_stop()
            self.goal = Goal(answer.mode, event, answer.path)
        return Passed(time.perf_counter() - started, at_hand.handed_on())

    def post_stack(self) -> None:
        """Tell the window the frames of the event at hand. On the stopped thread."""
        if self._at_hand is None:
            return
        event = self._at_hand.event
        if event.kind in FORWARD:
            frames = live_frames(self._variables, {id(module): path for path, module in self.modules.items()})
        else:
            frames = frames_of(self._stack) if self._stack is not None else ()
        self._post(events.StackReady(self._at_hand.step, event, frames))

    def change_at_hand(self, changes: tuple[HandChange, ...]) -> None:
        """Change the tensors at hand, and tell the window what came of it. On the stopped thread."""
        if self._at_hand is not None:
            self._post(self._at_hand.change(changes, self._writer, self._store))

    def _why(self, step: int, event: StepEvent, tensors: Tensors) -> StopReason | None:
        module = self.modules.get(event.path)
        context = EventContext(event.path, event.call, step, module, self._previous_specs(event, tensors))
        reason = self._breakpoint(step, event, tensors, context)
        if reason is None and self._gate.pause_wanted:
            reason = StopReason(StopKind.PAUSE)
        if reason is None and not event.operation:  # step commands go from module to module
            reason = reached(self.goal, event, lambda: count_non_finite(tensor for _, tensor in tensors).words)
        if reason is not None:
            self._gate.pause_wanted = False
        return reason

    def _breakpoint(self, step: int, event: StepEvent, tensors: Tensors, context: EventContext) -> StopReason | None:
        reason = None
        for breakpoint_ in self._breakpoints.match(event, _class_name(context.module)):
            decision = self._breakpoints.hit(breakpoint_, tensors, context)
            if decision.log is not None:
                self._post(events.LogPrinted(breakpoint_.id, step, event, decision.log))
            if decision.stop and reason is None:
                reason = decision.reason
        return reason

    def _previous_specs(self, event: StepEvent, tensors: Tensors) -> Mapping[str, TensorSpec]:
        """Return what the same tensors were in the last step, and remember what they are now."""
        if not self._breakpoints.needs_previous:
            return _NO_SPECS
        key = (event.path, event.call, event.kind)
        previous = self._specs.get(key, _NO_SPECS)
        self._specs[key] = {leaf: spec_of(tensor) for leaf, tensor in tensors}
        return previous


def _class_name(module: nn.Module | None) -> str:
    return type(module).__name__ if module is not None else ""
