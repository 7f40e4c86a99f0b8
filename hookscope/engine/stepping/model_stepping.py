"""All that stepping needs, for one loaded model: breakpoints, the tracer, the stop, and the way on.

`begin_run`, `set_breakpoints`, `join` and the moments of a step run on the main thread; `go_on`, `request_stack`,
`change_at_hand` and `wake` run on the reader thread.
"""

from functools import partial

import torch
from torch import nn

from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.module_tree import named_modules, names_of
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate
from hookscope.engine.stepping.breakpoints import BreakpointTable
from hookscope.engine.stepping.step_tracer import StepTracer
from hookscope.engine.stepping.stepper import Goal
from hookscope.engine.stepping.stop_decision import StopDecision
from hookscope.engine.stepping.stopper import Stopper
from hookscope.protocol.commands import Continue, RunSteps
from hookscope.protocol.events import BreakpointsSet
from hookscope.protocol.interventions import HandChange
from hookscope.protocol.stops import Breakpoint, ContinueMode


class Stepping:
    """Steps one model.

    Args:
        model: The model.
        gate: Where the window's wishes are.
        outbox: Tells the window.
        writer: Writes captures.
        store: Keeps them.
    """

    def __init__(
        self, model: nn.Module, gate: Gate, outbox: Outbox, writer: CaptureWriter, store: CaptureStore
    ) -> None:
        self.variables = VariableStore()
        self._model = model
        self._gate = gate
        self._outbox = outbox
        self._breakpoints = BreakpointTable()
        self._breakpoints.set_aliases(names_of(model))
        self._stopper = Stopper(gate, outbox.post)
        self._decision = StopDecision(
            gate, self._stopper, self._breakpoints, writer, store, self.variables, outbox.post
        )
        self._tracer = StepTracer(self._decision, outbox.add_event)
        self._is_traced = False
        self._step = 0
        self._device = torch.device("cpu")
        self._in_step = False

    def begin_run(self, command: RunSteps) -> None:
        """Take over how far the first step is to go."""
        self._is_traced = command.trace
        self._decision.goal = Goal(command.mode, None, command.path)

    def set_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> BreakpointsSet:
        """Let exactly these hold, from the next event on; in an untraced step, from the next call on."""
        errors = self._breakpoints.set(breakpoints)
        modules = {path: type(module).__name__ for path, module in named_modules(self._model).items()}
        self.join()
        return BreakpointsSet(errors, self._breakpoints.unmatched(modules))

    def begin_step(self, step: int, device: torch.device) -> None:
        """Begin to trace a step, if anything wants that."""
        self._step, self._device, self._in_step = step, device, True
        self.join()

    @property
    def is_wanted(self) -> bool:
        """Whether something may stop the next step, or a stop is to be expected in it."""
        return (
            self._gate.pause_wanted
            or self._decision.goal.mode is not ContinueMode.CONTINUE
            or self._breakpoints.needs_events
        )

    @property
    def stopped_s(self) -> float:
        """How long steps have been stopped so far, all together, in seconds."""
        return self._tracer.stopped_s

    def join(self) -> None:
        """Trace the running step from its next call on, if anything wants that and it is not traced."""
        if self._in_step and (self.is_wanted or self._is_traced) and not self._tracer.is_running:
            modules = named_modules(self._model)
            self._decision.modules = modules
            classes = {path: type(module).__name__ for path, module in modules.items()}
            within = self._breakpoints.paths_needed(classes, operations=True)
            operations = {path: modules[path] for path in within}
            self._tracer.begin_step(self._step, modules, operations, self._device)

    def loss(self, loss: torch.Tensor) -> None:
        """The loss is known."""
        if self._tracer.is_running:
            self._tracer.loss(loss)

    def end_backward(self) -> None:
        """Backward is over."""
        if self._tracer.is_running:
            self._tracer.end_backward()

    def optimizer(self) -> None:
        """The optimizer is about to step."""
        if self._tracer.is_running:
            self._tracer.optimizer()

    def end_step(self) -> None:
        """The step is over, however it ended."""
        self._in_step = False
        for event in self._tracer.end_step():
            self._outbox.add_event(self._step, event)

    def go_on(self, command: Continue) -> None:
        """Let a stopped step go on."""
        self._stopper.go_on(command)

    def run_there(self) -> bool:
        """Let the stopped thread obey what else was asked for; returns whether one is stopped."""
        return self._stopper.run_there(self._gate.run_errand)

    def request_stack(self) -> bool:
        """Let the stopped thread tell its frames; returns whether one is stopped."""
        return self._stopper.run_there(self._decision.post_stack)

    def change_at_hand(self, changes: tuple[HandChange, ...]) -> bool:
        """Let the stopped thread change the tensors at hand; returns whether one is stopped."""
        return self._stopper.run_there(partial(self._decision.change_at_hand, changes))

    def wake(self) -> None:
        """An abort was asked for."""
        self._stopper.wake()
