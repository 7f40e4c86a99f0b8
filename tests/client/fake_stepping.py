"""How a debuggee without a model steps: the events of a step are always the same, and it stops where it is told.

It knows `INTO`, `TO_SELECTED` and breakpoints without their conditions; every other mode goes on to the end.
"""

import queue
import threading
import time
from abc import ABC, abstractmethod

from hookscope.protocol import commands, events
from hookscope.protocol.identity import TensorRef
from hookscope.protocol.stops import (
    SLOT_OF,
    Breakpoint,
    ContinueMode,
    EventKind,
    Expression,
    StackFrame,
    StepEvent,
    StopKind,
    StopReason,
)
from hookscope.protocol.tree import ModuleInfo, ModuleTree

LONG_S = 600.0
TREE = ModuleTree(
    (ModuleInfo("", "Net", "Net", -1), ModuleInfo("a", "a", "Linear", 0), ModuleInfo("b", "b", "Linear", 0))
)
EVENTS = tuple(
    StepEvent(number, kind, path, 0, 1 if path else 0, number / 1000, leaf)
    for number, (kind, path, leaf) in enumerate(
        [
            (EventKind.FORWARD_ENTER, "", "args.0"),
            (EventKind.FORWARD_ENTER, "a", "args.0"),
            (EventKind.FORWARD_LEAVE, "a", "out"),
            (EventKind.FORWARD_ENTER, "b", "args.0"),
            (EventKind.FORWARD_LEAVE, "b", "out"),
            (EventKind.FORWARD_LEAVE, "", "out"),
            (EventKind.LOSS, "", ""),
            (EventKind.BACKWARD_ENTER, "b", "out"),
            (EventKind.PARAMETER_GRADIENT, "b", "weight"),
            (EventKind.BACKWARD_LEAVE, "b", "args.0"),
            (EventKind.BACKWARD_ENTER, "a", "out"),
            (EventKind.BACKWARD_LEAVE, "a", "args.0"),
        ]
    )
)
"""Of every step: `a`, then `b`."""


class FakeStepping(ABC):
    """Holds the main thread at an event until the window says how to go on."""

    def __init__(self) -> None:
        self.manner = ""
        self.step = 0
        self.stop_soon = threading.Event()
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.stopped_at: StepEvent | None = None
        self.answers: queue.SimpleQueue[commands.Continue | None] = queue.SimpleQueue()

    @abstractmethod
    def send(self, event: events.Event) -> None:
        """Tell the window."""

    def walk(self, wish: commands.RunSteps | commands.Continue, *, trace: bool) -> bool:
        """Go through the events of a step, and stop where that is wished; return whether it was not aborted."""
        number, told = -1, 0
        while True:
            if self.manner == "says what it is asked":
                asked = "continue" if isinstance(wish, commands.Continue) else "run_steps"
                self.send(events.LogPrinted(0, self.step, EVENTS[0], f"{asked} {wish.mode} {wish.path}"))
                wish = commands.Continue(ContinueMode.INTO)
            reason: StopReason | None = None
            while reason is None and number + 1 < len(EVENTS):
                number += 1
                reason = self.why(EVENTS[number], wish)
            if trace or reason is not None:
                self.send(events.StepEvents(self.step, EVENTS[told : number + 1]))
                told = number + 1
            if reason is None:
                return True
            answer = self.stop_at(EVENTS[number], reason)
            if answer is None:
                return False
            wish, trace = answer, True

    def why(self, event: StepEvent, wish: commands.RunSteps | commands.Continue) -> StopReason | None:
        for point in self.breakpoints:
            if point.enabled and event.path == point.pattern and event.kind in point.phases:
                if not point.log:
                    return StopReason(StopKind.BREAKPOINT, {"breakpoint": str(point.id), "hits": "1"})
                self.send(events.LogPrinted(point.id, self.step, event, point.log))
        if self.stop_soon.is_set():
            self.stop_soon.clear()
            return StopReason(StopKind.PAUSE)
        if wish.mode is ContinueMode.INTO or (wish.mode is ContinueMode.TO_SELECTED and event.path == wish.path):
            return StopReason(StopKind.STEP)
        return None

    def stop_at(self, event: StepEvent, reason: StopReason) -> commands.Continue | None:
        slot = SLOT_OF.get(event.kind)
        ref = TensorRef(event.path, slot, event.leaf) if slot is not None else None
        self.stopped_at = event
        self.send(events.Stopped(self.step, event, reason, ref))
        if self.manner == "deaf when stopped":
            time.sleep(LONG_S)
        answer = self.answers.get()
        self.stopped_at = None
        if answer is not None:
            self.send(events.Continued(self.step))
        return answer

    def set_breakpoints(self, command: commands.SetBreakpoints) -> None:
        wrong = {
            point.id: "not Python"
            for point in command.breakpoints
            if isinstance(point.condition, Expression) and point.condition.text == "("
        }
        known = {module.path for module in TREE.modules}
        unmatched = tuple(point.id for point in command.breakpoints if point.pattern not in known)
        self.send(events.BreakpointsSet(wrong, unmatched))
        self.breakpoints = command.breakpoints  # what they do is told after it was told what they are

    def tell_stack(self) -> None:
        event = self.stopped_at
        if event is not None:
            frame = StackFrame("net.py", 3, "Net.forward", "return x", user=True)
            self.send(events.StackReady(self.step, event, (frame,)))
