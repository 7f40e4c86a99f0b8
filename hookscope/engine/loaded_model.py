"""A loaded workload with its hooks, captures and settings: what the debuggee's commands act on.

Everything here belongs to the main thread, apart from `store`, which the view thread reads.
"""

import torch

from hookscope.engine import memory
from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.devices import check_device, move_workload
from hookscope.engine.failure_report import failed, near_names
from hookscope.engine.modes.preflight import Preflight
from hookscope.engine.modes.wanted_modes import WantedModes
from hookscope.engine.module_tree import describe_modules, named_modules
from hookscope.engine.nonfinite.finder import NonFiniteFinder
from hookscope.engine.operations.operation_trace import OperationTrace
from hookscope.engine.outbox import Outbox
from hookscope.engine.pause import Gate
from hookscope.engine.state.eager import compiled_paths
from hookscope.engine.state.randomness import seed_everything
from hookscope.engine.step_runner import StepRunner
from hookscope.engine.stepping.model_stepping import Stepping
from hookscope.engine.workloads.inputs import Batches, describe
from hookscope.engine.workloads.sources import LoadedSource, load_source, with_inputs
from hookscope.protocol.commands import Load, SetHooks
from hookscope.protocol.events import HooksSet, Loaded, OperationsTraced, StepFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.stops import NonFiniteOrigin
from hookscope.protocol.workload import CapturePlace, RunSettings, SyntheticInput, WorkloadInfo


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
        modules = named_modules(self._source.workload.model)
        self._modes.set({path: modules[path] for path in command.paths if path in modules}, command.modes)
        self.recorder.operations.watch(modules, command.operations)
        wanted = dict.fromkeys((*command.paths, *(ref.path for ref in command.operations)))
        return self._modes.answer(tuple(path for path in wanted if path not in modules))

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
        self._apply_settings()

    def set_inputs(self, inputs: tuple[SyntheticInput, ...]) -> None:
        """Run the next step on made-up inputs.

        Raises:
            FailureError: They cannot be made; then nothing has changed.
        """
        self._use(with_inputs(self._source, inputs))

    def run_step(self) -> StepFinished:
        """Run one step; see `StepRunner.run` for what it raises."""
        if self._runner is None:
            raise failed(FailureKind.NEEDS_INPUT)
        return self._runner.run(self.settings)

    def find_non_finite(self) -> NonFiniteOrigin | None:
        """Run one step, and say where its first non-finite value was born; see `StepRunner.run` for what it raises."""
        if self._runner is None:
            raise failed(FailureKind.NEEDS_INPUT)
        finder = NonFiniteFinder(self._source.workload.model, self._writer, self._gate)
        return self._runner.find_non_finite(self.settings, finder)

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
        if self._runner is None:
            raise failed(FailureKind.NEEDS_INPUT)
        with OperationTrace(path, modules[path], self._gate) as trace:
            self._runner.run_forward(self.settings)
        return OperationsTraced(path, tuple(trace.operations))

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
            self._runner = StepRunner(source.workload, self._batches, self.recorder, self.store, self.stepping)
