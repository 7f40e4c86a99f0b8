"""Runs one step: seed, inputs, forward, loss, backward, optimizer. On the debuggee's main thread."""

import math
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import msgspec
import torch
from torch import nn

from hookscope.engine import memory
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.failing_module import failing_module
from hookscope.engine.failure_report import FailureError, raised
from hookscope.engine.module_tree import named_modules
from hookscope.engine.nonfinite.finder import NonFiniteFinder
from hookscope.engine.state.eager import running_eagerly
from hookscope.engine.state.randomness import seed_everything
from hookscope.engine.state.state_snapshot import StateSnapshot
from hookscope.engine.stepping.model_stepping import Stepping
from hookscope.engine.workloads.inputs import Batch, Batches, prepare
from hookscope.engine.workloads.losses import compute_loss
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.events import Phase, StepFinished
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.stops import NonFiniteOrigin
from hookscope.protocol.workload import RunSettings


class StepRunner:
    """Runs the steps of one workload.

    Args:
        workload: What to run.
        batches: Where its inputs come from.
        recorder: Told of each phase; its hooks are on the model.
        store: Where the captures are.
        stepping: Told of each moment of a step; stops it where that is wanted.
    """

    def __init__(
        self, workload: Workload, batches: Batches, recorder: Recorder, store: CaptureStore, stepping: Stepping
    ) -> None:
        self._workload = workload
        self._batches = batches
        self._recorder = recorder
        self._store = store
        self._stepping = stepping
        self._finder: NonFiniteFinder | None = None
        self._origin: NonFiniteOrigin | None = None
        self._told: set[str] = set()

    def find_non_finite(self, settings: RunSettings, finder: NonFiniteFinder) -> NonFiniteOrigin | None:
        """Run one step, and say where its first non-finite value was born; see `run` for what it raises."""
        self._finder, self._origin = finder, None
        try:
            with finder.watching():
                self.run(settings)
        finally:
            self._finder = None
        return self._origin

    def run(self, settings: RunSettings) -> StepFinished:
        """Run one step.

        Args:
            settings: How to run it.

        Raises:
            FailureError: Something of the user's raised, or a loss cannot be made; captures up to there are kept.
            StepAborted: A hook was told to stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        step = self._recorder.step + 1
        device = torch.device(settings.device)
        batch = prepare(self._batches.next(), device, settings.requires_grad)
        restores = self._restores(settings)
        with self._kept(settings, device), running_eagerly(settings.run_eagerly):
            if settings.seed is not None:
                seed_everything(settings.seed if restores else settings.seed + step - 1)
            return self._run(settings, step, batch, device)

    def _run(self, settings: RunSettings, step: int, batch: Batch, device: torch.device) -> StepFinished:
        model, finder = self._workload.model, self._finder
        self._clear_gradients()
        memory.reset_peak(device)
        self._recorder.begin_step(step)
        self._stepping.begin_step(step, device)
        try:
            with torch.enable_grad():
                if finder is not None:
                    finder.look_at_inputs(batch.args, batch.kwargs)
                started = time.perf_counter()
                with self._reported(FailureKind.FORWARD_RAISED):
                    output = model(*batch.args, **batch.kwargs)
                self._synchronize(device)
                forward_done = time.perf_counter()
                self._recorder.begin_phase(Phase.LOSS)
                with finder.watching_loss(output) if finder is not None else nullcontext():
                    loss = compute_loss(settings.loss, self._workload.loss, output, batch.targets)
                del output
                self._stepping.loss(loss)
                self._recorder.begin_phase(Phase.BACKWARD)
                backward_started = time.perf_counter()
                with self._reported(FailureKind.BACKWARD_RAISED):
                    loss.backward()  # type: ignore[no-untyped-call]
                self._synchronize(device)
                backward_done = time.perf_counter()
                self._stepping.end_backward()
                if finder is not None:
                    self._origin = finder.origin(step, loss)
            self._recorder.complete_step()
            stepped = self._optimize(settings, device)
            finished = time.perf_counter()
        finally:
            self._stepping.end_step()
            self._recorder.end_step()
        value = float(loss.detach())
        return StepFinished(
            step=step,
            loss=value if math.isfinite(value) else None,
            duration_s=finished - started,
            forward_s=forward_done - started,
            backward_s=backward_done - backward_started,
            memory_bytes=memory.used_bytes(device),
            capture_bytes=self._store.pool.held_bytes,
            optimizer_stepped=stepped,
            budget_bytes=self._store.pool.budget_bytes,
        )

    def run_forward(self, settings: RunSettings) -> None:
        """Run the forward pass of the first batch alone, without using it up, and put the state back.

        Raises:
            FailureError: The model raised, or there is no batch.
            StepAborted: A hook was told to stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        device = torch.device(settings.device)
        batch = prepare(self._batches.first(), device, settings.requires_grad)
        with self._restored(device, parameters=settings.restore_state is True), running_eagerly(settings.run_eagerly):
            if settings.seed is not None:
                seed_everything(settings.seed)
            with torch.enable_grad(), self._reported(FailureKind.FORWARD_RAISED):
                self._workload.model(*batch.args, **batch.kwargs)

    def _restores(self, settings: RunSettings) -> bool:
        wanted = settings.restore_state
        return self._workload.optimizer is None if wanted is None else wanted

    def _kept(self, settings: RunSettings, device: torch.device) -> AbstractContextManager[None]:
        """Put the state back after a step as the settings say, or at least after one that was stepped and given up.

        Who steps through a step may well give it up, and expects to be where it began.
        """
        if self._restores(settings):
            return self._restored(device, parameters=settings.restore_state is True)
        if self._stepping.is_wanted:
            return self._restored(device, parameters=True, only_if_given_up=True)
        return nullcontext()

    @contextmanager
    def _restored(self, device: torch.device, *, parameters: bool, only_if_given_up: bool = False) -> Iterator[None]:
        """Put the state back however the step ends, or only when it does not come to its end.

        Args:
            device: Where the model runs.
            parameters: Whether parameters and the optimizer's state are put back too.
            only_if_given_up: Whether a step that came to its end is left as it is.
        """
        workload = self._workload
        beside = (workload.loss,) if isinstance(workload.loss, nn.Module) else ()
        snapshot = StateSnapshot.take(
            workload.model,
            device,
            parameters=parameters,
            beside=beside,
            optimizer=workload.optimizer,
        )
        came_to_its_end = False
        try:
            yield
            came_to_its_end = True
        finally:
            if not (came_to_its_end and only_if_given_up):
                snapshot.restore()
                self._tell(snapshot.not_restored())

    def _tell(self, not_restored: tuple[str, ...]) -> None:
        """Print what a step left changed, each once."""
        for text in not_restored:
            if text not in self._told:
                print(f"hookscope: not as it was before the step: {text}", file=sys.stderr)
                self._told.add(text)

    def _clear_gradients(self) -> None:
        """Start from no gradients, as a training loop does, so that a parameter gradient is this step's own."""
        self._workload.model.zero_grad(set_to_none=True)
        if self._workload.optimizer is not None:
            self._workload.optimizer.zero_grad(set_to_none=True)

    def _optimize(self, settings: RunSettings, device: torch.device) -> bool:
        optimizer = self._workload.optimizer
        if optimizer is None or not settings.optimizer:
            return False
        self._recorder.begin_phase(Phase.OPTIMIZER)
        self._store.keep_parameters()
        self._stepping.optimizer()
        with self._reported(FailureKind.OPTIMIZER_RAISED):
            optimizer.step()
        self._synchronize(device)
        return True

    @contextmanager
    def _reported(self, kind: FailureKind) -> Iterator[None]:
        """Turn what the user's code raises into a failure that says where."""
        try:
            yield
        except (FailureError, KeyboardInterrupt):
            raise
        except (Exception, SystemExit) as error:
            failure = self._failure(kind, error)
            self._recorder.fail_step(error)
            traceback.clear_frames(error.__traceback__)  # the frames hold the step's activations
            raise FailureError(failure) from None

    def _failure(self, kind: FailureKind, error: BaseException) -> Failure:
        failure = raised(kind, error).failure
        where = failing_module(error, named_modules(self._workload.model))
        if where is None:
            return failure
        return msgspec.structs.replace(
            failure, module_path=where.path, module_class=where.class_name, inputs=where.inputs
        )

    @staticmethod
    def _synchronize(device: torch.device) -> None:
        """Wait for the device, so that durations are of the work and not of its queueing."""
        if device.type == "cuda":
            torch.cuda.synchronize(device)
