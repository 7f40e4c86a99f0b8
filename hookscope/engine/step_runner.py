"""Runs one step: seed, inputs, forward, loss, backward, optimizer. On the debuggee's main thread."""

import math
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import torch

from hookscope.engine import memory
from hookscope.engine.captures import CaptureStore
from hookscope.engine.failing_module import failing_module
from hookscope.engine.failure_report import FailureError, raised
from hookscope.engine.inputs import Batches, prepare
from hookscope.engine.losses import compute_loss
from hookscope.engine.module_tree import named_modules
from hookscope.engine.randomness import seed_everything
from hookscope.engine.recorder import Recorder
from hookscope.engine.workload import Workload
from hookscope.protocol.events import Phase, StepFinished
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.workload import RunSettings


class StepRunner:
    """Runs the steps of one workload.

    Args:
        workload: What to run.
        batches: Where its inputs come from.
        recorder: Told of each phase; its hooks are on the model.
        store: Where the captures are.
    """

    def __init__(self, workload: Workload, batches: Batches, recorder: Recorder, store: CaptureStore) -> None:
        self._workload = workload
        self._batches = batches
        self._recorder = recorder
        self._store = store

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
        model = self._workload.model
        device = torch.device(settings.device)
        batch = prepare(self._batches.next(), device, settings.requires_grad)
        self._clear_gradients()
        if settings.seed is not None:
            seed_everything(settings.seed + step - 1)
        memory.reset_peak(device)
        self._recorder.begin_step(step)
        try:
            with torch.enable_grad():
                started = time.perf_counter()
                with self._reported(FailureKind.FORWARD_RAISED):
                    output = model(*batch.args, **batch.kwargs)
                self._synchronize(device)
                forward_done = time.perf_counter()
                self._recorder.begin_phase(Phase.LOSS)
                loss = compute_loss(settings.loss, self._workload.loss, output, batch.targets)
                del output
                self._recorder.begin_phase(Phase.BACKWARD)
                backward_started = time.perf_counter()
                with self._reported(FailureKind.BACKWARD_RAISED):
                    loss.backward()  # type: ignore[no-untyped-call]
                self._synchronize(device)
                backward_done = time.perf_counter()
            self._recorder.complete_step()
            stepped = self._optimize(settings, device)
            finished = time.perf_counter()
        finally:
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
        )

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
