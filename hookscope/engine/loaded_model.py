"""A loaded workload with its hooks, captures and settings: what the debuggee's commands act on.

Everything here belongs to the main thread, apart from `store`, which the view thread reads.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from hookscope.engine import memory
from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.devices import check_device, move_workload
from hookscope.engine.failure_report import failed, near_names
from hookscope.engine.intervening.intervener import Intervener
from hookscope.engine.modes.preflight import Preflight
from hookscope.engine.modes.wanted_modes import WantedModes
from hookscope.engine.module_tree import describe_modules, named_modules
from hookscope.engine.nonfinite.finder import NonFiniteFinder
from hookscope.engine.operations.operation_trace import OperationTrace
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate
from hookscope.engine.state.eager import compiled_paths, unwrapped
from hookscope.engine.state.randomness import seed_everything
from hookscope.engine.step_runner import Attendance, StepRunner
from hookscope.engine.stepping.model_stepping import Stepping
from hookscope.engine.trials.digest import StateDigest
from hookscope.engine.trials.proof import prove_unchanged
from hookscope.engine.trials.trial import Trials
from hookscope.engine.workloads.inputs import Batches, describe
from hookscope.engine.workloads.sources import LoadedSource, load_source, with_inputs
from hookscope.protocol.commands import Load, SetBreakpoints, SetHooks, SetInterventions
from hookscope.protocol.events import (
    BreakpointsSet,
    HooksSet,
    InterventionsSet,
    Loaded,
    OperationsTraced,
    StepFinished,
    TrialFinished,
    UnchangedProved,
)
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.stops import NonFiniteOrigin
from hookscope.protocol.workload import CapturePlace, RunSettings, SyntheticInput, WorkloadInfo

_SOURCES = "sources of interventions"


class LoadedModel:
    """One model, ready to be hooked and stepped.

    Args:
        command: What to load and how to run it.
        gate: Looked at in every hook.
        outbox: Tells the window.

    Raises:
        FailureError: The source, the device or the inputs cannot be used.
    """

    def __init__(self, command: Load, gate: Gate, outbox: Outbox) -> None:
        device = check_device(command.settings.device)
        if command.settings.seed is not None:
            seed_everything(command.settings.seed)
        self.settings = command.settings
        self._gate = gate
        self._source = load_source(command.source, command.inputs)
        move_workload(self._source.workload, device)
        self._budgets: dict[torch.device, int] = {}
        self.store = CaptureStore(BufferPool(0))
        self._writer = writer = CaptureWriter(self.store, outbox.add_capture)
        self.recorder = Recorder(writer, gate)
        self.stepping = Stepping(self._source.workload.model, gate, outbox, writer, self.store)
        self._modes = WantedModes(self.recorder)
        self._hooks = SetHooks(())
        self._intervener = Intervener(writer, self.store)
        self._tell = outbox.add_finished
        self._attendance = Attendance(self.recorder, self._intervener, self.store, self.stepping, self._tell)
        self._trials = Trials(self.store, gate, self._tell)
        self._digest: StateDigest | None = None
        self._is_stepping = False
        self._are_set = False
        self._use(self._source)
        self._apply_settings()

    @property
    def workload(self) -> WorkloadInfo:
        """What is loaded, for the window."""
        return describe(self._source, self._batches)

    def loaded(self) -> Loaded:
        """Describe the model for the window."""
        return Loaded(describe_modules(self._source.workload.model), self.workload, self.settings)

    def set_hooks(self, command: SetHooks) -> HooksSet:
        """Hook exactly these modules and operations, from their next call on."""
        self._trials.outdate()
        self._hooks = command
        modules = named_modules(self._source.workload.model)
        self._modes.set({path: modules[path] for path in command.paths if path in modules}, command.modes)
        self.recorder.operations.watch(modules, command.operations)
        wanted = dict.fromkeys((*command.paths, *(ref.path for ref in command.operations)))
        return self._modes.answer(tuple(path for path in wanted if path not in modules))

    def set_breakpoints(self, command: SetBreakpoints) -> BreakpointsSet:
        """Let exactly these breakpoints hold, from the next event on."""
        return self.stepping.set_breakpoints(command.breakpoints)

    def set_interventions(self, command: SetInterventions) -> InterventionsSet:
        """Let exactly these interventions act, from the next call on."""
        modules = named_modules(self._source.workload.model)
        if command.interventions and not self._are_set and self._digest is None and not self._is_stepping:
            self._digest = StateDigest(unwrapped(self._source.workload.model))
        self._are_set = bool(command.interventions)
        errors = self._intervener.set(command.interventions, modules)
        self.store.pin(_SOURCES, self._intervener.sources)
        return InterventionsSet(errors)

    def try_modes(self) -> HooksSet | None:
        """Try wanted hook modes that were not tried yet, and let those hold that can; called before a step.

        Returns:
            What holds, when that is not what was said before.

        Raises:
            FailureError: There is no batch to try them on.
            StepAborted: The window asked for Stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        if self._batches is None or self._modes.are_tried:
            return None
        self._trials.outdate()
        preflight = Preflight(self._source.workload, self._batches, self.settings, self._gate)
        return self._modes.answer() if self._modes.try_out(preflight) else None

    def set_settings(self, settings: RunSettings) -> None:
        """Run the next step with these; the budget of captures holds at once.

        Raises:
            FailureError: The device cannot be used; then nothing has changed.
        """
        if settings.device != self.settings.device:
            move_workload(self._source.workload, check_device(settings.device))
        self.settings = settings
        self._trials.outdate()
        self._apply_settings()

    def set_inputs(self, inputs: tuple[SyntheticInput, ...]) -> None:
        """Run the next step on made-up inputs.

        Raises:
            FailureError: They cannot be made; then nothing has changed.
        """
        self._use(with_inputs(self._source, inputs))
        self._trials.outdate()

    def run_step(self) -> StepFinished:
        """Run one step; see `StepRunner.run` for what it raises."""
        with self._ordinary_step() as runner:
            return runner.run(self.settings)

    def find_non_finite(self) -> tuple[StepFinished, NonFiniteOrigin | None]:
        """Run one step, and say where its first non-finite value was born; see `StepRunner.run` for what it raises."""
        finder = NonFiniteFinder(self._source.workload.model, self._writer, self._gate)
        with self._ordinary_step() as runner:
            return runner.find_non_finite(self.settings, finder)

    def run_trial(self) -> TrialFinished:
        """Run the newest step again, without interventions and with them; see `Trials.run` for what it raises."""
        return self._trials.run(self._able_runner(), self.settings)

    def prove_unchanged(self) -> UnchangedProved:
        """Prove that the model is as it was; see `prove_unchanged` for what it raises."""
        return prove_unchanged(self._able_runner(), self.settings, self._unhooked, self._digest, self._tell)

    def trace_operations(self, path: str) -> OperationsTraced:
        """List the operations of a module, and leave the model as it was.

        Raises:
            FailureError: There is no such module, no input, or the model raised.
            StepAborted: The window asked for Stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        modules = named_modules(self._source.workload.model)
        if path not in modules:
            raise failed(FailureKind.UNKNOWN_MODULES, pattern=path, near=near_names(path, modules))
        runner = self._able_runner()
        with OperationTrace(path, modules[path], self._gate) as trace:
            runner.run_forward(self.settings)
        return OperationsTraced(path, tuple(trace.operations))

    def _able_runner(self) -> StepRunner:
        if self._runner is None:
            raise failed(FailureKind.NEEDS_INPUT)
        return self._runner

    @contextmanager
    def _ordinary_step(self) -> Iterator[StepRunner]:
        """Lend the runner for an ordinary step, after which nothing that is known of the last one holds any more."""
        runner = self._able_runner()
        self._trials.forget()
        self._is_stepping = True
        try:
            yield runner
        finally:
            self._is_stepping = False
            if not runner.restores(self.settings):
                self._digest = None

    @contextmanager
    def _unhooked(self) -> Iterator[None]:
        """Take every hook of ours off the model."""
        operations, modules = self.recorder.operations, named_modules(self._source.workload.model)
        with self._intervener.suspended(), self._modes.unhooked():
            operations.watch(modules, ())
            try:
                yield
            finally:
                operations.watch(modules, self._hooks.operations)

    def _apply_settings(self) -> None:
        settings = self.settings
        self.store.pool.set_place(settings.capture_place)
        self.store.pool.set_budget(self._own_budget() if settings.budget_bytes is None else settings.budget_bytes)
        model = self._source.workload.model
        self.recorder.compiled = frozenset() if settings.run_eagerly else compiled_paths(model)

    def _own_budget(self) -> int:
        """Return the budget of the place where captures are kept now, as it was when they were first kept there."""
        on_cpu = self.settings.capture_place is CapturePlace.CPU
        place = torch.device("cpu" if on_cpu else self.settings.device)
        if place not in self._budgets:
            self._budgets[place] = memory.default_budget(place)
        return self._budgets[place]

    def _use(self, source: LoadedSource) -> None:
        self._source = source
        self._batches = None if source.needs_input else Batches(source.workload)
        if self._batches is None:
            self._runner: StepRunner | None = None
        else:
            self._runner = StepRunner(source.workload, self._batches, self._attendance)
