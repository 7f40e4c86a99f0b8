"""Trials: the newest step again, with and without interventions, and everything as it was afterwards."""

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels
from hookscope.protocol.stops import Breakpoint, EventPhase
from hookscope.protocol.tensor_changes import Add, Expression, Flip, FromStep, Mean, Noise, Scale, Zero
from hookscope.protocol.tensors import BadgeKind
from hookscope.protocol.views import NoPicture, NoPictureReason
from hookscope.protocol.workload import RunSettings
from tests.engine import trial_models
from tests.engine.driving import driving
from tests.engine.trial_models import GRADIENTS_STAY
from tests.engine.trying import MODELS, bits_of, intervene, look, mean, moved, on, try_out

FIRST_OUT = TensorRef("0", Slot.OUTPUT, "out")
TWICE_IN = on("0", Slot.INPUT, Scale(2.0))


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def test_that_a_trial_shows_the_step_without_and_with_interventions(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0", "2")
    assert intervene(driver, TWICE_IN) == {}
    trial = try_out(driver)
    assert trial == events.TrialFinished(1, 2, 10.0, 20.0)
    assert [(step.step, step.loss, step.is_trial, step.acted) for step in driver.finished] == [
        (1, 10.0, True, 0),
        (2, 20.0, True, 1),
    ]
    assert (mean(driver, FIRST_OUT, 1), mean(driver, FIRST_OUT, 2)) == (5.0, 10.0)  # (3, 7) and (6, 14)
    assert BadgeKind.CHANGED in driver.badges("0", Slot.INPUT, "args.0")


@pytest.mark.parametrize(
    ("intervention", "gradient"),
    [
        (on("0", Slot.INPUT, Scale(2.0)), [[2.0, 2.0], [2.0, 2.0]]),
        (on("0", Slot.OUTPUT, Scale(0.0)), [[0.0, 0.0], [0.0, 0.0]]),
        (on("0", Slot.OUTPUT, Zero(), where=Channels((1,))), [[1.0, 1.0], [0.0, 0.0]]),
        (on("0", Slot.GRAD_OUTPUT, Scale(10.0)), [[10.0, 10.0], [10.0, 10.0]]),
        (on("2", Slot.GRAD_INPUT, Flip()), [[-1.0, -1.0], [-1.0, -1.0]]),
        (on("0", Slot.PARAMETER_GRAD, Scale(3.0)), [[3.0, 3.0], [3.0, 3.0]]),
        (on("0", Slot.PARAMETER, Add(1.0)), [[1.0, 1.0], [1.0, 1.0]]),
    ],
    ids=lambda value: value.slot.value if hasattr(value, "slot") else "",
)
def test_that_an_ordinary_step_acts_as_the_same_hook_by_hand_would(driver, intervention, gradient):
    driver.load(f"{MODELS}:net")
    driver.change(GRADIENTS_STAY)
    intervene(driver, intervention)
    driver.send(commands.RunSteps(1))
    acted = driver.expect(events.InterventionsActed)
    driver.expect(events.RunFinished)
    assert (acted.step, acted.statuses[0].applied, acted.statuses[0].idle) == (1, 1, None)
    assert driver.finished[-1].acted == 1
    model = trial_models.made[-1].model
    assert model[0].weight.grad.tolist() == gradient
    assert model[0].weight.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_that_the_step_without_interventions_is_kept_and_run_only_once(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    intervene(driver, TWICE_IN)
    try_out(driver)
    for number in range(3, 33):
        intervene(driver, on("0", Slot.INPUT, Scale(float(number))))
        assert try_out(driver) == events.TrialFinished(1, number, 10.0, 10.0 * number)
    assert mean(driver, FIRST_OUT, 1) == 5.0
    gone = look(driver, FIRST_OUT, 30)
    assert isinstance(gone, NoPicture)
    assert gone.reason is NoPictureReason.STEP_GONE


def test_that_trials_do_not_push_ordinary_steps_out(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    driver.run(3)
    intervene(driver, TWICE_IN)
    for _ in range(20):
        try_out(driver)
    assert [mean(driver, FIRST_OUT, step) for step in (1, 2, 3)] == [5.0] * 3


@pytest.mark.parametrize(
    "change",
    [
        lambda driver: driver.run(),
        lambda driver: driver.check("0", "1"),
        lambda driver: driver.change(RunSettings(seed=7)),
    ],
    ids=["an ordinary step", "other hooks", "other settings"],
)
def test_that_what_the_step_depends_on_outdates_it(driver, change):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    intervene(driver, TWICE_IN)
    assert try_out(driver).before == 1
    assert try_out(driver).before == 1
    change(driver)
    assert try_out(driver).before > 3


def test_that_interventions_do_not_outdate_it(driver):
    driver.load(f"{MODELS}:net")
    intervene(driver, TWICE_IN)
    assert try_out(driver).before == 1
    intervene(driver)
    assert try_out(driver) == events.TrialFinished(1, 3, 10.0, 10.0)


def test_that_everything_is_as_before_the_trial_bit_for_bit(driver):
    driver.load(f"{MODELS}:training")
    driver.check("first", "norm", "drop", "last")
    driver.run(2)
    workload = trial_models.made[-1]
    before = bits_of(workload)
    found = (
        on("first", Slot.OUTPUT, Noise(0.5)),
        on("norm", Slot.PARAMETER, Scale(3.0), id_=2, leaf="weight"),
        on("drop", Slot.GRAD_OUTPUT, Flip(), id_=3),
    )
    intervene(driver, *found)
    trial = try_out(driver)
    assert trial.loss_before != trial.loss_after
    intervene(driver)
    assert bits_of(workload) == before


def test_that_both_steps_of_a_trial_have_the_random_numbers_of_the_newest_step(driver):
    driver.load(f"{MODELS}:training")
    driver.change(RunSettings(optimizer=False, restore_state=True))
    driver.check("drop")
    driver.run(2)
    ordinary = driver.finished[-1].loss
    intervene(driver, on("last", Slot.INPUT, Scale(2.0)))
    trial = try_out(driver)
    assert trial.loss_before == ordinary
    assert moved(driver, trial)["drop", Slot.OUTPUT].changed == 0


def test_that_a_training_step_after_trials_is_the_one_that_it_would_have_been():
    losses = []
    for trials in (0, 3):
        with driving() as driver:
            driver.load(f"{MODELS}:training")
            driver.run(2)
            for number in range(trials):
                intervene(driver, on("first", Slot.OUTPUT, Scale(float(number))))
                try_out(driver)
            intervene(driver)
            driver.run(3)
            losses.append([step.loss for step in driver.finished if not step.is_trial])
    assert losses[0] == losses[1]


def test_that_a_trial_before_any_step_does_not_use_the_first_batch_up(driver):
    driver.load(f"{MODELS}:training")
    driver.check("first")
    intervene(driver, on("first", Slot.OUTPUT, Scale(2.0)))
    first = try_out(driver).before
    driver.run()
    ref = TensorRef("first", Slot.INPUT, "args.0")
    assert mean(driver, ref, first) == mean(driver, ref)


def test_that_an_intervention_on_a_parameter_is_gone_before_the_optimizer_steps(driver):
    driver.load(f"{MODELS}:plain_descent")
    driver.check("")
    intervene(driver, on("", Slot.PARAMETER, Scale(10.0), leaf="weight"))
    driver.run()
    assert driver.finished[-1].loss == 30.0
    assert trial_models.made[-1].model.weight.tolist() == [[0.5, 1.5]]
    assert mean(driver, TensorRef("", Slot.PARAMETER, "weight")) == 15.0


def test_that_captured_parameters_of_both_steps_stay_as_they_were_captured(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0", "2")
    ref = TensorRef("0", Slot.PARAMETER, "weight")
    for factor in range(2, 8):
        intervene(driver, on("0", Slot.PARAMETER, Scale(float(factor)), leaf="weight"))
        trial = try_out(driver)
        assert trial.loss_after == 10.0 * factor
        assert (mean(driver, ref, trial.before), mean(driver, ref, trial.after)) == (2.5, 2.5 * factor)
        found = moved(driver, trial)
        assert (found["0", Slot.PARAMETER].changed, found["2", Slot.PARAMETER].changed) == (4, 0)


def test_that_a_step_from_which_values_are_taken_is_kept(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    driver.run()
    weight = trial_models.made[-1].model[0].weight
    with torch.no_grad():
        weight *= 3
    assert intervene(driver, on("0", Slot.OUTPUT, FromStep(1))) == {}
    driver.run(15)
    assert driver.finished[-1].loss == 10.0
    intervene(driver)
    driver.run(15)
    assert driver.finished[-1].loss == 30.0
    assert isinstance(look(driver, FIRST_OUT, 1), NoPicture)


@pytest.mark.parametrize("slot", [Slot.INPUT, Slot.OUTPUT])
def test_that_captures_show_the_change_from_the_next_step_on_when_it_was_set_within_one(driver, slot):
    driver.load(f"{MODELS}:waiting")
    driver.check("first", "middle", "second")
    driver.send(commands.RunSteps(1))
    assert trial_models.entered.wait(20)
    driver.send(commands.SetInterventions((on("middle", slot, Scale(2.0)),)))
    look(driver, TensorRef("first", Slot.OUTPUT, "out"))
    trial_models.go_on.set()
    driver.expect(events.RunFinished)
    driver.run()
    leaf = "args.0" if slot is Slot.INPUT else "out"
    assert driver.badges("middle", slot, leaf) == ["changed"]


@pytest.mark.parametrize("slot", [Slot.OUTPUT, Slot.GRAD_OUTPUT])
def test_that_an_intervention_that_fails_ends_the_step_and_leaves_the_state_as_it_was(driver, slot):
    driver.load(f"{MODELS}:training")
    driver.check("first")
    driver.run(2)
    workload = trial_models.made[-1]
    before = bits_of(workload)
    intervene(driver, on("drop", slot, Mean(dim=9)))
    driver.send(commands.RunSteps(1))
    acted = driver.expect(events.InterventionsActed)
    failure = driver.expect(events.Failed).failure
    assert driver.expect(events.RunFinished).reason is events.RunEnd.FAILED
    assert (failure.kind, failure.module_path) == (FailureKind.INTERVENTION_FAILED, "drop")
    assert (failure.values["id"], failure.values["slot"], failure.values["leaf"]) == ("1", slot.value, "out")
    assert failure.values["reason"]
    assert acted.statuses[0].applied == 0
    assert isinstance(try_out(driver), events.RunFinished)
    intervene(driver)
    assert {**bits_of(workload), "hooks": None} == {**before, "hooks": None}
    driver.run()
    assert driver.finished[-1].optimizer_stepped


def test_that_an_expression_that_raises_tells_what_it_raised(driver):
    driver.load(f"{MODELS}:net")
    intervene(driver, on("1", Slot.OUTPUT, Expression("x @ torch.ones(9, 9)")))
    driver.run()
    assert driver.failures[-1].failure.kind is FailureKind.INTERVENTION_FAILED
    assert "9" in driver.failures[-1].failure.values["reason"]


def test_that_interventions_can_be_set_within_a_step(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("first", "middle", "second")
    driver.send(commands.RunSteps(1))
    assert trial_models.entered.wait(20)
    driver.send(commands.SetInterventions((on("second", Slot.OUTPUT, Scale(0.0)),)))
    look(driver, TensorRef("first", Slot.OUTPUT, "out"))  # so that it has been taken
    trial_models.go_on.set()
    driver.expect(events.RunFinished)
    assert (driver.finished[-1].loss, driver.finished[-1].acted) == (0.0, 1)


def test_that_a_trial_can_be_given_up(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("first", "middle", "second")
    before = bits_of(trial_models.made[-1])
    driver.send(commands.RunTrial())
    assert trial_models.entered.wait(20)
    driver.send(commands.Abort())
    look(driver, TensorRef("first", Slot.OUTPUT, "out"))
    trial_models.go_on.set()
    assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED
    assert bits_of(trial_models.made[-1]) == before
    assert try_out(driver).before == 2


def test_that_what_is_set_within_a_trial_waits_for_its_end(driver):
    driver.load(f"{MODELS}:waiting")
    driver.check("first", "middle", "second")
    driver.send(commands.RunTrial())
    assert trial_models.entered.wait(20)
    driver.send(commands.SetInterventions((on("second", Slot.OUTPUT, Scale(0.0)),)))
    look(driver, TensorRef("first", Slot.OUTPUT, "out"))
    trial_models.go_on.set()
    trial = driver.expect(events.TrialFinished)
    assert trial.loss_before == trial.loss_after
    driver.expect(events.InterventionsSet)
    assert try_out(driver).loss_after == 0.0


def test_that_breakpoints_do_not_stop_a_trial(driver):
    driver.load(f"{MODELS}:net")
    driver.send(commands.SetBreakpoints((Breakpoint(1, "*", (EventPhase.FORWARD_ENTER,)),)))
    driver.expect(events.BreakpointsSet)
    driver.send(commands.RunTrial())
    assert isinstance(driver.expect(events.Stopped | events.TrialFinished), events.TrialFinished)


def test_that_a_trial_of_a_model_without_input_says_so(driver):
    driver.load("tests.engine.models:odd_module")
    driver.send(commands.RunTrial())
    driver.expect(events.RunFinished)
    assert driver.failures[-1].failure.kind is FailureKind.NEEDS_INPUT
    assert torch.is_grad_enabled()
