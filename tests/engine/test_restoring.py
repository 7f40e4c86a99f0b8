"""Steps of the debuggee that leave the state as it was: when there is no optimizer, and on request."""

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.identity import Slot
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import LossChoice, RunSettings
from tests.engine import models, state_models
from tests.engine.driving import driving

MODELS = "tests.engine.state_models"
NO_SEED = RunSettings(seed=None)


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def gradients(driver):
    return [driver.values(path, Slot.PARAMETER_GRAD, "weight") for path in ("0", "3")]


@pytest.mark.parametrize("settings", [RunSettings(seed=7), NO_SEED])
def test_that_without_an_optimizer_steps_repeat(driver, settings):
    driver.load(f"{MODELS}:normed")
    model = state_models.made[-1].model
    model[0].weight.grad = old = torch.full((8, 8), 3.0)
    driver.check("0", "3")
    driver.change(settings)
    driver.run()
    first = gradients(driver)
    driver.run()
    assert gradients(driver) == first
    assert driver.finished[0].loss == driver.finished[1].loss
    assert model[1].num_batches_tracked == 0
    assert model[0].weight.grad is old
    assert old.unique().tolist() == [3]
    assert model[3].weight.grad is None


def test_that_generators_counters_and_lists_are_as_before_each_step(driver):
    driver.load(f"{MODELS}:drawing")
    driver.change(NO_SEED)
    driver.run(3)
    model = state_models.made[-1].model
    assert len({step.loss for step in driver.finished}) == 1
    assert (model.calls, model.seen) == (0, [])


def test_that_restoring_can_be_switched_off(driver):
    driver.load(f"{MODELS}:normed")
    driver.change(RunSettings(restore_state=False))
    driver.run(3)
    model = state_models.made[-1].model
    assert model[1].num_batches_tracked == 3
    assert model[0].weight.grad is not None
    assert len({step.loss for step in driver.finished}) == 3


def test_that_with_an_optimizer_a_model_trains(driver):
    driver.load(f"{MODELS}:trained")
    workload = state_models.made[-1]
    before = workload.model[0].weight.detach().clone()
    driver.run(2)
    assert not torch.equal(workload.model[0].weight, before)
    assert workload.model[1].num_batches_tracked == 2
    assert len(workload.optimizer.state) == 6


def test_that_restoring_on_request_makes_a_step_with_an_optimizer_a_look(driver):
    driver.load(f"{MODELS}:trained")
    workload = state_models.made[-1]
    driver.check("0")
    driver.change(RunSettings(restore_state=True))
    before = workload.model[0].weight.detach().clone()
    driver.run(2)
    assert [step.optimizer_stepped for step in driver.finished] == [True, True]
    assert driver.finished[0].loss == driver.finished[1].loss
    assert torch.equal(workload.model[0].weight, before)
    assert torch.equal(torch.tensor(driver.values("0", Slot.PARAMETER, "weight")), before)
    assert not workload.optimizer.state
    driver.change(RunSettings())
    driver.run()
    assert not torch.equal(workload.model[0].weight, before)


def test_that_a_step_that_raised_is_undone(driver):
    driver.load(f"{MODELS}:breaking")
    driver.change(NO_SEED)
    generator = torch.get_rng_state()
    assert driver.run().reason is events.RunEnd.FAILED
    model = state_models.made[-1].model
    assert model.norm.num_batches_tracked == 0
    assert all(module.training for module in model.modules())
    assert torch.equal(torch.get_rng_state(), generator)


def test_that_an_aborted_step_is_undone(driver):
    driver.load("tests.engine.models:waiting")
    model = models.made[-1]
    model.second.weight.grad = old = torch.ones(2, 2)
    driver.check("second")
    driver.send(commands.RunSteps(1))
    assert models.entered.wait(20)
    assert model.second.weight.grad is None
    driver.send(commands.Abort())
    driver.view("first", Slot.OUTPUT, "out", StatisticsRequest())  # so that the abort has been taken
    models.go_on.set()
    assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED
    assert model.second.weight.grad is old


def test_that_what_could_not_be_restored_is_said_once(driver, capfd):
    driver.load(f"{MODELS}:momentum")
    driver.run(3)
    said = capfd.readouterr().err
    assert said == "hookscope: not as it was before the step: the parameter target.weight: the model wrote to it\n"


@pytest.mark.parametrize("example", ["leaf_gradient", "non_leaf", "not_scalar"])
def test_that_leaves_of_a_function_are_not_said_to_be_written_to(driver, capfd, example):
    driver.load(f"example:{example}")
    driver.change(RunSettings(loss=LossChoice.SUM))
    driver.run(2)
    assert len(driver.finished) == 2
    assert capfd.readouterr().err == ""
