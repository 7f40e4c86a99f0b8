"""Trials without a process: a step before and one after, and a debuggee in a few lines that subtracts them."""

import torch

from hookscope.engine.specs import spec_of
from hookscope.engine.views import build_view
from hookscope.protocol import events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference, Intervention
from hookscope.protocol.tensor_changes import Change, Zero
from hookscope.protocol.tensors import Badge, BadgeKind, Record
from hookscope.protocol.views import NoPicture, NoPictureReason, ViewResult
from tests.gui.panel_fakes import Asked, PanelBridge

Tensors = dict[TensorRef, torch.Tensor]


def intervention(id_: int = 1, change: Change | None = None, *, enabled: bool = True) -> Intervention:
    return Intervention(id_, "features.0", Slot.OUTPUT, change or Zero(), enabled=enabled)


def difference(path: str, relative: float, *, order: int = 0, changed: int = 1, slot: Slot = Slot.OUTPUT) -> Difference:
    return Difference(TensorRef(path, slot, "out"), order, relative, relative, changed, 4096)


def finished(step: int, loss: float | None = 0.5, *, is_trial: bool = False) -> events.StepFinished:
    return events.StepFinished(step, loss, 0.01, 0.005, 0.005, 0, 0, False, is_trial=is_trial)


class TrialBridge(PanelBridge):
    """Every step keeps its tensors, and requests are answered from the step that they name."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: dict[int, Tensors] = {}
        self.session.interventions = (intervention(),)

    def run_step(self, tensors: Tensors) -> None:
        """Run a step that is no trial."""
        step = self._capture_step(tensors)
        self.session.trial = None
        self._finish(finished(step))

    def run_trial(
        self, before: Tensors, after: Tensors, losses: tuple[float | None, float | None] = (2.0, 2.5)
    ) -> events.TrialFinished:
        """Run both steps of a trial."""
        steps = []
        for tensors, loss, badges in (
            (before, losses[0], ()),
            (after, losses[1], (Badge(BadgeKind.CHANGED, "1"),)),
        ):
            steps.append(self._capture_step(tensors, badges))
            self._finish(finished(steps[-1], loss, is_trial=True))
        self.session.trial = events.TrialFinished(steps[0], steps[1], *losses)
        self.trial_finished.emit(self.session.trial)
        return self.session.trial

    def compare(self, *differences: Difference, missing: tuple[int, ...] = ()) -> None:
        """Answer the newest question for what moved."""
        trial = self.session.trial
        assert trial is not None
        self.session.comparison = events.StepsCompared(trial.before, trial.after, differences, missing)
        self.steps_compared.emit(self.session.comparison)

    def answer(self, asked: Asked, result: ViewResult | None = None, step: int | None = None) -> None:
        of = asked.step or max(number for number, kept in self.steps.items() if asked.ref in kept)
        tensor = self.steps[of].get(asked.ref)
        if tensor is None:
            gone = NoPicture(NoPictureReason.NOT_CAPTURED)
            self.view_arrived.emit(events.ViewReady(asked.panel, asked.number, asked.ref, 0, None, (), gone))
            return
        if asked.minus is not None:
            tensor = tensor - self.steps[asked.minus][asked.ref]
        made = result or build_view(tensor, asked.request)
        self.view_arrived.emit(events.ViewReady(asked.panel, asked.number, asked.ref, of, spec_of(tensor), (), made))

    def _capture_step(self, tensors: Tensors, badges: tuple[Badge, ...] = ()) -> int:
        step = len(self.steps) + 1
        self.steps[step] = tensors
        records = [
            Record(ref, step, order, spec_of(tensor), badges) for order, (ref, tensor) in enumerate(tensors.items())
        ]
        self.record(*records)
        return step

    def _finish(self, step: events.StepFinished) -> None:
        self.session.records.finish(step.step)
        self.session.history.append(step)
        self.step_finished.emit(step)
