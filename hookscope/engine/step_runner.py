"""Runs one step: seed, inputs, forward, loss, backward, optimizer. On the debuggee's main thread."""

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn

from hookscope.engine import memory
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.capture.recorder import Recorder
from hookscope.engine.intervening.intervener import Intervener
from hookscope.engine.nonfinite.finder import NonFiniteFinder
from hookscope.engine.state.eager import running_eagerly, unwrapped
from hookscope.engine.state.randomness import seed_everything
from hookscope.engine.state.state_keeper import StateKeeper
from hookscope.engine.step_failures import StepFailures
from hookscope.engine.stepping.model_stepping import Stepping
from hookscope.engine.workloads.inputs import Batch, Batches, prepare
from hookscope.engine.workloads.losses import loss_of_step
from hookscope.engine.workloads.workload import Workload
from hookscope.protocol.events import InterventionsActed, Phase, StepFinished
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.stops import NonFiniteOrigin
from hookscope.protocol.workload import RunSettings


@dataclass
class Attendance:
    """Who attends the steps of a model, whatever its inputs are.

    Attributes:
        recorder: Told of each phase; its hooks are on the model.
        intervener: Changes tensors on their way.
        store: Where the captures are.
        stepping: Told of each moment of a step; stops it where that is wanted.
        tell: Told how interventions fared, when a step has ended.
        steps: How many steps have begun that were no trials; seeds go by it.
    """

    recorder: Recorder
    intervener: Intervener
    store: CaptureStore
    stepping: Stepping
    tell: Callable[[InterventionsActed], None]
    steps: int = 0


class Witness(Protocol):
    """Who looks at what a run gives."""

    def begins(self, batch: Batch) -> None:
        """The model is about to run."""

    def returned(self, output: object) -> None:
        """The model has returned."""

    def finished(self, loss: torch.Tensor) -> None:
        """The backward pass is over."""


@dataclass(frozen=True)
class _Passes:
    """What forward, loss and backward gave, and how long they took, in seconds."""

    loss: torch.Tensor
    started: float
    forward_s: float
    backward_s: float


class StepRunner:
    """Runs the steps of one workload.

    Args:
        workload: What to run.
        batches: Where its inputs come from.
        attendance: Who attends.
    """

    def __init__(self, workload: Workload, batches: Batches, attendance: Attendance) -> None:
        self._workload = workload
        self._batches = batches
        self._attendance = attendance
        self._recorder = attendance.recorder
        self._intervener = attendance.intervener
        self._store = attendance.store
        self._stepping = attendance.stepping
        self._failures = StepFailures(workload.model, self._recorder)
        self._keeper = StateKeeper(workload)
        self._finder: NonFiniteFinder | None = None
        self._origin: NonFiniteOrigin | None = None

    @property
    def model(self) -> nn.Module:
        """What runs, as it was written."""
        return unwrapped(self._workload.model)

    @property
    def step(self) -> int:
        """Number of the newest step, trials included."""
        return self._recorder.step

    def find_non_finite(
        self, settings: RunSettings, finder: NonFiniteFinder
    ) -> tuple[StepFinished, NonFiniteOrigin | None]:
        """Run one step, and say where its first non-finite value was born; see `run` for what it raises."""
        self._finder, self._origin = finder, None
        try:
            with finder.watching():
                finished = self.run(settings)
        finally:
            self._finder = None
        return finished, self._origin

    def run(self, settings: RunSettings) -> StepFinished:
        """Run one step.

        Args:
            settings: How to run it.

        Raises:
            FailureError: Something of the user's raised, a loss cannot be made, or an intervention cannot; captures up
                to there are kept.
            StepAborted: A hook was told to stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        device = torch.device(settings.device)
        batch = prepare(self._batches.next(), device, settings.requires_grad)
        self._attendance.steps += 1
        with self._kept(settings, device), running_eagerly(settings.run_eagerly):
            self._seed(settings)
            return self._run(settings, batch, device)

    def try_out(self, settings: RunSettings, *, intervenes: bool, witness: Witness | None = None) -> StepFinished:
        """Run the newest step once more, from its random state and the present weights, and put everything back.

        No optimizer steps, and nothing stops it. See `run` for what it raises.

        Args:
            settings: How to run it.
            intervenes: Whether interventions act in it.
            witness: Who looks at what it gives.
        """
        device = torch.device(settings.device)
        batch = prepare(self._batches.again(), device, settings.requires_grad)
        without = nullcontext() if intervenes else self._intervener.suspended()
        with without, self._keeper.restored(device, parameters=True), running_eagerly(settings.run_eagerly):
            self._seed(settings)
            return self._run(settings, batch, device, is_trial=True, witness=witness)

    def run_bare(self, settings: RunSettings, witness: Witness) -> None:
        """Run as `try_out` does, but record nothing; the caller has taken everything of ours off the model."""
        device = torch.device(settings.device)
        batch = prepare(self._batches.again(), device, settings.requires_grad)
        with self._keeper.restored(device, parameters=True), running_eagerly(settings.run_eagerly):
            self._seed(settings)
            self._clear_gradients()
            self._pass(settings, batch, device, witness)

    def run_forward(self, settings: RunSettings) -> None:
        """Run the forward pass of the first batch alone, without using it up, and put the state back.

        Raises:
            FailureError: The model raised, or there is no batch.
            StepAborted: A hook was told to stop.
            KeyboardInterrupt: The main thread was interrupted.
        """
        device = torch.device(settings.device)
        batch = prepare(self._batches.first(), device, settings.requires_grad)
        parameters = settings.restore_state is True
        with self._keeper.restored(device, parameters=parameters), running_eagerly(settings.run_eagerly):
            if settings.seed is not None:
                seed_everything(settings.seed)
            with torch.enable_grad(), self._failures.reported(FailureKind.FORWARD_RAISED):
                self._workload.model(*batch.args, **batch.kwargs)

    def restores(self, settings: RunSettings) -> bool:
        """Whether an ordinary step leaves the state as it was."""
        wanted = settings.restore_state
        return self._workload.optimizer is None if wanted is None else wanted

    def _run(
        self,
        settings: RunSettings,
        batch: Batch,
        device: torch.device,
        *,
        is_trial: bool = False,
        witness: Witness | None = None,
    ) -> StepFinished:
        step = self._recorder.step + 1
        self._clear_gradients()
        memory.reset_peak(device)
        try:
            with self._failures.interventions_reported():
                self._intervener.begin_step(step)
                self._recorder.begin_step(step)
                if not is_trial:
                    self._stepping.begin_step(step, device)
                passes = self._pass(settings, batch, device, witness)
                self._recorder.complete_step()
                self._intervener.complete_step()
                self._intervener.restore_parameters()
                stepped = not is_trial and self._optimize(settings, device)
            finished = self._now()
        finally:
            self._stepping.end_step()
            self._recorder.end_step()
            self._intervener.end_step()
            statuses = self._intervener.statuses()
            if statuses:
                self._attendance.tell(InterventionsActed(step, statuses))
        value = float(passes.loss.detach())
        return StepFinished(
            step=step,
            loss=value if math.isfinite(value) else None,
            duration_s=finished - passes.started,
            forward_s=passes.forward_s,
            backward_s=passes.backward_s,
            memory_bytes=memory.used_bytes(device),
            capture_bytes=self._store.pool.held_bytes,
            optimizer_stepped=stepped,
            budget_bytes=self._store.pool.budget_bytes,
            acted=sum(status.applied > 0 for status in statuses),
            is_trial=is_trial,
            loss_choice=settings.loss,
        )

    def _pass(self, settings: RunSettings, batch: Batch, device: torch.device, witness: Witness | None) -> _Passes:
        """Run forward, loss and backward."""
        finder = self._finder
        with torch.enable_grad():
            if finder is not None:
                finder.look_at_inputs(batch.args, batch.kwargs)
            if witness is not None:
                witness.begins(batch)
            started = self._now()
            with self._failures.reported(FailureKind.FORWARD_RAISED):
                output = self._workload.model(*batch.args, **batch.kwargs)
            self._synchronize(device)
            forward_done = self._now()
            self._recorder.begin_phase(Phase.LOSS)
            if witness is not None:
                witness.returned(output)
            with finder.watching_loss(output) if finder is not None else nullcontext():
                loss = loss_of_step(settings, self._workload, output, batch.targets)
            del output
            self._stepping.loss(loss)
            self._recorder.begin_phase(Phase.BACKWARD)
            backward_started = self._now()
            with self._failures.reported(FailureKind.BACKWARD_RAISED):
                loss.backward()  # type: ignore[no-untyped-call]
            self._synchronize(device)
            backward_done = self._now()
            self._stepping.end_backward()
            if finder is not None:
                self._origin = finder.origin(self._recorder.step, loss)
            if witness is not None:
                witness.finished(loss)
        return _Passes(loss, started, forward_done - started, backward_done - backward_started)

    def _seed(self, settings: RunSettings) -> None:
        """Seed as the newest step that is no trial was seeded, or is to be."""
        if settings.seed is not None:
            later = 0 if self.restores(settings) else max(self._attendance.steps, 1) - 1
            seed_everything(settings.seed + later)

    def _kept(self, settings: RunSettings, device: torch.device) -> AbstractContextManager[None]:
        """Put the state back after a step as the settings say, or at least after one that was given up.

        Who steps through a step, or intervenes in it, may well give it up, and expects to be where it began.
        """
        intervenes = self._intervener.is_active
        if self.restores(settings):
            return self._keeper.restored(device, parameters=settings.restore_state is True or intervenes)
        if intervenes or self._stepping.is_wanted:
            return self._keeper.restored(device, parameters=True, only_if_given_up=True)
        return nullcontext()

    def _now(self) -> float:
        """Return the time, in seconds, with the stops of steps left out."""
        return time.perf_counter() - self._stepping.stopped_s

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
        with self._failures.reported(FailureKind.OPTIMIZER_RAISED):
            optimizer.step()
        self._synchronize(device)
        return True

    @staticmethod
    def _synchronize(device: torch.device) -> None:
        """Wait for the device, so that durations are of the work and not of its queueing."""
        if device.type == "cuda":
            torch.cuda.synchronize(device)
