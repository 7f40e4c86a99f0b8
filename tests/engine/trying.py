"""What tests of trials and of changes at hand ask of a driven debuggee."""

import math
import random

import numpy as np
import torch

from hookscope import Workload
from hookscope.protocol import commands, events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Difference, Intervention, Selection
from hookscope.protocol.tensor_changes import Change
from hookscope.protocol.views import NoPicture, Statistics, StatisticsRequest
from tests.engine.driving import Driver

MODELS = "tests.engine.trial_models"


def on(
    path: str, slot: Slot, change: Change, *, id_: int = 1, leaf: str = "", where: Selection | None = None
) -> Intervention:
    return Intervention(id_, path, slot, change, leaf, where=where)


def intervene(driver: Driver, *interventions: Intervention) -> dict[int, str]:
    driver.send(commands.SetInterventions(interventions))
    return driver.expect(events.InterventionsSet).errors


def try_out(driver: Driver) -> events.TrialFinished:
    driver.send(commands.RunTrial())
    trial = driver.expect(events.TrialFinished | events.RunFinished)
    if isinstance(trial, events.TrialFinished):
        assert driver.expect(events.RunFinished).reason is events.RunEnd.COMPLETED
    return trial


def prove(driver: Driver) -> events.UnchangedProved:
    driver.send(commands.ProveUnchanged())
    proof = driver.expect(events.UnchangedProved | events.RunFinished)
    assert isinstance(proof, events.UnchangedProved), driver.failures
    driver.expect(events.RunFinished)
    return proof


def compare(driver: Driver, before: int, after: int) -> events.StepsCompared:
    driver.send(commands.CompareSteps(before, after))
    return driver.expect(events.StepsCompared)


def moved(driver: Driver, trial: events.TrialFinished) -> dict[tuple[str, Slot], Difference]:
    return {(one.ref.path, one.ref.slot): one for one in compare(driver, trial.before, trial.after).differences}


def look(driver: Driver, ref: TensorRef, step: int | None = None, minus: int | None = None) -> Statistics | NoPicture:
    driver.send(commands.RequestView("test", 1, ref, StatisticsRequest(), step, minus))
    return driver.expect(events.ViewReady).result


def mean(driver: Driver, ref: TensorRef, step: int | None = None, minus: int | None = None) -> float:
    found = look(driver, ref, step, minus)
    return math.nan if isinstance(found, NoPicture) else found.mean


def bits_of(workload: Workload) -> dict[str, object]:
    """Return all of the state that a step may change, in a form that can be compared bit for bit."""
    model, optimizer = workload.model, workload.optimizer
    found: dict[str, object] = {name: _bytes(tensor) for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        found[f"{name}.grad"] = (id(parameter.grad), None if parameter.grad is None else _bytes(parameter.grad))
        found[f"{name}.requires_grad"] = parameter.requires_grad
    if optimizer is not None:
        for index, state in optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{index}.{name}": _bytes(torch.as_tensor(value)) for name, value in state.items()}
    found["calls"] = getattr(model, "calls", None)
    found["training"] = [module.training for module in model.modules()]
    found["random"] = (random.getstate(), _bytes(torch.get_rng_state()), np.random.get_state()[1].tobytes())
    found["hooks"] = [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules()]
    return found


def _bytes(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
