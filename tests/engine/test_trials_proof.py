"""The proof that a model is as it was before the first intervention."""

import pytest
import torch

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensor_changes import Scale
from hookscope.protocol.workload import RunSettings
from tests.engine import trial_models
from tests.engine.driving import driving
from tests.engine.trying import MODELS, bits_of, intervene, on, prove, try_out

LOOKING = RunSettings(optimizer=False, restore_state=True, requires_grad=("args.0",))


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def test_that_a_model_is_as_it_was_once_all_interventions_are_gone(driver):
    driver.load(f"{MODELS}:training")
    driver.change(LOOKING)
    driver.check("first", "norm", "drop", "last")
    driver.run()
    before = bits_of(trial_models.made[-1])
    intervene(driver, on("norm", Slot.PARAMETER, Scale(2.0), leaf="weight"), on("drop", Slot.OUTPUT, Scale(3.0), id_=2))
    try_out(driver)
    intervene(driver)
    proof = prove(driver)
    assert (proof.differing, proof.since_set) == ((), True)
    # Loss, output, one gradient of an input and six of parameters, three buffers; six parameters and the buffers again.
    assert proof.compared == 12 + 9
    assert bits_of(trial_models.made[-1]) == before


def test_that_interventions_that_are_on_do_not_act_in_the_proof(driver):
    driver.load(f"{MODELS}:net")
    intervene(driver, on("0", Slot.INPUT, Scale(2.0)))
    assert prove(driver).differing == ()
    assert driver.finished[-1].loss == 10.0
    assert try_out(driver).loss_after == 20.0


def test_that_weights_that_are_others_than_before_are_named(driver):
    driver.load(f"{MODELS}:net")
    intervene(driver, on("0", Slot.INPUT, Scale(2.0)))
    intervene(driver)
    with torch.no_grad():
        trial_models.made[-1].model[2].weight[0, 1] += 1e-6
    proof = prove(driver)
    assert (proof.differing, proof.since_set) == (("2.weight",), True)


def test_that_weights_are_not_compared_with_those_before_training(driver):
    driver.load(f"{MODELS}:training")
    intervene(driver, on("first", Slot.OUTPUT, Scale(2.0)))
    driver.run()
    intervene(driver)
    proof = prove(driver)
    assert (proof.differing, proof.since_set) == ((), False)


def test_that_a_model_that_hooks_disturb_is_found_out(driver):
    driver.load(f"{MODELS}:suspicious")
    driver.check("")
    proof = prove(driver)
    assert {"loss", "out", "layer.weight.grad"} <= set(proof.differing)
    driver.check("layer")
    assert prove(driver).differing == ()


def test_that_what_differs_from_run_to_run_anyway_is_not_held_against_the_hooks(driver):
    driver.load(f"{MODELS}:unsteady")
    driver.check("layer")
    proof = prove(driver)
    assert proof.differing == ()
    assert proof.compared == 2  # the gradients of weight and bias


def test_that_hooks_are_back_after_the_proof(driver):
    driver.load(f"{MODELS}:net")
    driver.check("0")
    intervene(driver, on("0", Slot.INPUT, Scale(2.0)))
    before = bits_of(trial_models.made[-1])["hooks"]
    prove(driver)
    assert bits_of(trial_models.made[-1])["hooks"] == before
    driver.run()
    assert driver.finished[-1].loss == 20.0
    assert driver.badges("0", Slot.INPUT, "args.0") == ["changed"]
