"""A loaded workload with its hooks, captures and settings: what the debuggee's commands act on.

Everything here belongs to the main thread, apart from `store`, which the view thread reads.
"""

from hookscope.engine import memory
from hookscope.engine.buffers import BufferPool
from hookscope.engine.capture_writer import CaptureWriter, Listener
from hookscope.engine.captures import CaptureStore
from hookscope.engine.devices import check_device, move_workload
from hookscope.engine.failure_report import failed
from hookscope.engine.inputs import Batches, describe
from hookscope.engine.module_tree import describe_modules, named_modules
from hookscope.engine.pause import Gate
from hookscope.engine.randomness import seed_everything
from hookscope.engine.recorder import Recorder
from hookscope.engine.sources import LoadedSource, load_source, with_inputs
from hookscope.engine.step_runner import StepRunner
from hookscope.protocol.commands import Load
from hookscope.protocol.events import HooksSet, Loaded, StepFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.workload import RunSettings, SyntheticInput, WorkloadInfo

BUDGET_SHARE = 4
"""Captures may take the fourth part of the memory that was free when the model was loaded."""


class LoadedModel:
    """One model, ready to be hooked and stepped.

    Args:
        command: What to load and how to run it.
        gate: Looked at in every hook.
        listener: Told of every capture.

    Raises:
        FailureError: The source, the device or the inputs cannot be used.
    """

    def __init__(self, command: Load, gate: Gate, listener: Listener) -> None:
        device = check_device(command.settings.device)
        if command.settings.seed is not None:
            seed_everything(command.settings.seed)
        self.settings = command.settings
        self._source = load_source(command.source, command.inputs)
        move_workload(self._source.workload, device)
        self.store = CaptureStore(BufferPool(memory.free_bytes(device) // BUDGET_SHARE))
        self.recorder = Recorder(CaptureWriter(self.store, listener), gate)
        self._use(self._source)

    @property
    def workload(self) -> WorkloadInfo:
        """What is loaded, for the window."""
        return describe(self._source, self._batches)

    def loaded(self) -> Loaded:
        """Describe the model for the window."""
        return Loaded(describe_modules(self._source.workload.model), self.workload, self.settings)

    def set_hooks(self, paths: tuple[str, ...]) -> HooksSet:
        """Hook exactly these modules, from their next call on."""
        modules = named_modules(self._source.workload.model)
        self.recorder.watch({path: modules[path] for path in paths if path in modules})
        return HooksSet(self.recorder.paths, tuple(path for path in paths if path not in modules))

    def set_settings(self, settings: RunSettings) -> None:
        """Run the next step with these.

        Raises:
            FailureError: The device cannot be used; then nothing has changed.
        """
        if settings.device != self.settings.device:
            move_workload(self._source.workload, check_device(settings.device))
        self.settings = settings

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

    def _use(self, source: LoadedSource) -> None:
        self._source = source
        self._batches = None if source.needs_input else Batches(source.workload)
        if self._batches is None:
            self._runner: StepRunner | None = None
        else:
            self._runner = StepRunner(source.workload, self._batches, self.recorder, self.store)
