"""The debuggee's commands, from the window's side."""

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import NoPicture, NoPictureReason, Statistics, StatisticsRequest
from hookscope.protocol.workload import LossChoice, RunSettings, SyntheticInput
from tests.engine import models
from tests.engine.driving import SUM, driving

MODELS = "tests.engine.models"


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def test_that_loading_describes_the_model_and_runs_nothing(driver):
    loaded = driver.load(f"{MODELS}:small")
    assert [info.path for info in loaded.tree.modules] == ["", "0", "1", "2"]
    assert [info.class_name for info in loaded.tree.modules] == ["Sequential", "Linear", "ReLU", "Linear"]
    assert loaded.tree.modules[0].parameter_count == 3 * 3 + 3 + 3 + 1
    assert loaded.tree.modules[2].in_place
    assert loaded.workload.inputs[0].leaf == "args.0"
    assert loaded.workload.optimizer_name == "SGD"
    assert not driver.finished


def test_that_checked_modules_are_recorded_and_viewed(driver):
    driver.load(f"{MODELS}:small")
    answer = driver.check("0", "nowhere")
    assert (answer.paths, answer.unknown) == (("0",), ("nowhere",))
    assert driver.run() == events.RunFinished(events.RunEnd.COMPLETED, 1)
    assert {ref.path for ref in driver.records} == {"0"}
    spec = driver.records[TensorRef("0", Slot.OUTPUT, "out")].spec
    assert (spec.shape, spec.dtype, spec.device, spec.size_bytes) == ((2, 3), "float32", "cpu", 24)
    expected = torch.ones(2, 3) @ models.made[-1][0].weight.T  # the optimizer has changed it since
    assert len(driver.values("0", Slot.OUTPUT, "out")) == len(expected)


def test_that_after_unchecking_nothing_of_ours_is_on_the_model(driver):
    driver.load(f"{MODELS}:small")
    model = models.made[-1]
    driver.check("", "0", "1", "2")
    assert all(module._forward_hooks for module in model.modules())
    driver.run()
    driver.check()
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks
    assert all(not (p._backward_hooks or p._post_accumulate_grad_hooks) for p in model.parameters())


def test_that_unchecked_modules_are_recorded_no_more(driver):
    driver.load(f"{MODELS}:small")
    driver.check("0")
    driver.run()
    driver.check()
    driver.records.clear()
    driver.run()
    assert not driver.records


def test_that_parameters_are_those_that_the_step_ran_with(driver):
    driver.load(f"{MODELS}:small")
    model = models.made[-1]
    before = model[0].weight.detach().clone()
    driver.check("0")
    driver.run()
    gradient = torch.tensor(driver.values("0", Slot.PARAMETER_GRAD, "weight"))
    assert torch.equal(torch.tensor(driver.values("0", Slot.PARAMETER, "weight")), before)
    assert torch.allclose(model[0].weight, before - 0.5 * gradient)
    assert driver.finished[-1].optimizer_stepped


def test_that_the_optimizer_can_be_switched_off(driver):
    driver.load(f"{MODELS}:small")
    before = models.made[-1][0].weight.detach().clone()
    driver.change(RunSettings(optimizer=False))
    driver.run(3)
    assert torch.equal(models.made[-1][0].weight, before)
    assert [step.optimizer_stepped for step in driver.finished] == [False] * 3
    assert len({step.loss for step in driver.finished}) == 1


def test_that_a_run_with_the_same_seed_repeats(driver):
    settings = RunSettings(seed=7, restore_state=False)
    driver.load(f"{MODELS}:dropping", seed=7)
    driver.change(settings)
    driver.run(3)
    with driving() as again:
        again.load(f"{MODELS}:dropping", seed=7)
        again.change(settings)
        again.run(3)
        losses = [step.loss for step in again.finished]
    assert [step.loss for step in driver.finished] == losses
    assert len(set(losses)) == 3


def test_that_checking_within_a_step_acts_on_the_next_call(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("first")
    driver.send(commands.RunSteps(1))
    assert models.entered.wait(20)
    driver.send(commands.SetHooks(("first", "second")))
    driver.send(commands.RequestView("p", 1, TensorRef("first", Slot.OUTPUT, "out"), StatisticsRequest()))
    driver.expect(events.ViewReady)  # so that the command before it has been taken
    models.go_on.set()
    driver.expect(events.RunFinished)
    driver.run()
    assert TensorRef("second", Slot.OUTPUT, "out") in driver.records


def test_that_views_are_answered_while_a_step_runs(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("first", "second")
    driver.send(commands.RunSteps(1))
    assert models.entered.wait(20)
    answer = driver.view("first", Slot.OUTPUT, "out", StatisticsRequest())
    assert isinstance(answer.result, Statistics)
    assert answer.result.count == 2
    assert driver.view("second", Slot.OUTPUT, "out", StatisticsRequest()).result == NoPicture(
        NoPictureReason.NOT_CAPTURED
    )
    models.go_on.set()
    driver.expect(events.RunFinished)


def test_that_pause_ends_a_continuous_run_after_a_whole_step(driver):
    driver.load(f"{MODELS}:small")
    driver.send(commands.RunSteps(None))
    driver.expect(events.StepFinished)
    driver.send(commands.Pause(at_event=False))
    end = driver.expect(events.RunFinished)
    assert end.reason is events.RunEnd.PAUSED
    assert [step.step for step in driver.finished] == list(range(1, end.steps + 1))


def test_that_abort_ends_a_step_at_its_next_hook_and_the_next_step_works(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("second")
    driver.send(commands.RunSteps(None))
    assert models.entered.wait(20)
    driver.send(commands.Abort())
    driver.view("first", Slot.OUTPUT, "out", StatisticsRequest())
    models.go_on.set()
    assert driver.expect(events.RunFinished) == events.RunFinished(events.RunEnd.ABORTED, 0)
    assert driver.run() == events.RunFinished(events.RunEnd.COMPLETED, 1)


def test_that_a_failing_forward_says_where_and_with_what(driver):
    driver.load(f"{MODELS}:failing")
    driver.check("layer")
    assert driver.run().reason is events.RunEnd.FAILED
    failure = driver.failures[0].failure
    assert failure.kind is FailureKind.FORWARD_RAISED
    assert (failure.module_path, failure.module_class) == ("failing", "Failing")
    assert [(named.leaf, named.spec.shape) for named in failure.inputs] == [
        ("args.0", (1, 3)),
        ("kwargs.scale", (7, 7)),
    ]
    assert failure.exception.type == "RuntimeError"
    assert any(frame.user and frame.function == "forward" for frame in failure.exception.frames)
    assert len(driver.values("layer", Slot.OUTPUT, "out")[0]) == 3


def test_that_a_failing_backward_is_told_from_a_failing_forward(driver):
    driver.load(f"{MODELS}:no_way_back")
    driver.check("layer")
    assert driver.run().reason is events.RunEnd.FAILED
    assert driver.failures[0].failure.kind is FailureKind.BACKWARD_RAISED
    assert "no way back" in driver.failures[0].failure.exception.message
    assert driver.values("layer", Slot.OUTPUT, "out")


def test_that_a_loss_that_is_no_scalar_is_refused_until_one_is_chosen(driver):
    driver.load(f"{MODELS}:no_loss")
    assert driver.run().reason is events.RunEnd.FAILED
    assert driver.failures[0].failure.kind is FailureKind.LOSS_NOT_SCALAR
    driver.change(SUM)
    assert driver.run().reason is events.RunEnd.COMPLETED


def test_that_a_ticked_input_has_a_gradient(driver):
    driver.load("example:one_layer")
    driver.check("")
    driver.run()
    assert driver.badges("", Slot.GRAD_INPUT, "args.0") == ["input_needs_no_grad"]
    driver.change(RunSettings(requires_grad=("args.0",)))
    driver.run()
    assert driver.values("", Slot.GRAD_INPUT, "args.0") == [[2.0]] * 5


def test_that_an_unknown_device_leaves_the_former_one(driver):
    driver.load(f"{MODELS}:small")
    applied = driver.change(RunSettings(device="cuda:99"))
    assert applied.settings.device == "cpu"
    assert driver.run().reason is events.RunEnd.COMPLETED
    assert driver.failures[0].failure.kind is FailureKind.DEVICE_UNAVAILABLE


def test_that_a_model_of_which_nothing_is_known_asks_for_inputs(driver):
    loaded = driver.load(f"{MODELS}:odd_module")
    assert loaded.workload.needs_input
    assert driver.run().reason is events.RunEnd.FAILED
    assert driver.failures[0].failure.kind is FailureKind.NEEDS_INPUT
    driver.send(commands.SetInputs((SyntheticInput((2, 3)), SyntheticInput((3, 1)))))
    applied = driver.expect(events.SettingsApplied)
    assert applied.workload.synthetic
    assert not applied.workload.needs_input
    driver.change(RunSettings(loss=LossChoice.MEAN, requires_grad=("args.0",)))
    assert driver.run().reason is events.RunEnd.COMPLETED


def test_that_a_source_that_cannot_be_loaded_is_a_failure_and_not_the_end(driver):
    failed = driver.load("tests.engine.models:smal")
    assert failed.failure.kind is FailureKind.ATTRIBUTE_MISSING
    assert "small" in failed.failure.values["near"]


def test_that_step_numbers_go_on_when_inputs_change(driver):
    driver.load(f"{MODELS}:small")
    driver.run()
    driver.send(commands.SetInputs((SyntheticInput((5, 3)),)))
    driver.expect(events.SettingsApplied)
    driver.run()
    assert [step.step for step in driver.finished] == [1, 2]
