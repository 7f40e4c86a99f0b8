"""Acceptance, 17 to 20: abort, pause, restored state and compiled models, on the debuggee as the window drives it."""

import threading

import pytest
import torch
from torch import nn

from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol import commands, events
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import StatisticsRequest
from hookscope.protocol.workload import RunSettings
from tests.engine.acceptance import workloads
from tests.engine.acceptance.seeing import TWO, linear
from tests.engine.driving import driving
from tests.engine.observing import step

WORKLOADS = "tests.engine.acceptance.workloads"


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def gradients(model):
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def test_17_that_an_abort_surfaces_and_leaves_the_rest_of_the_gradients_unmade():
    gate = Gate()
    model = nn.Sequential(linear(TWO), nn.Sigmoid(), linear(TWO))

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        gate.abort_wanted = True
        return loss

    with pytest.raises(StepAborted):
        step(model, run, paths=("0",), gate=gate)
    assert [name for name, gradient in gradients(model).items() if gradient is not None] == ["2.weight"]


def test_17_that_after_an_aborted_step_the_state_is_restored_and_the_next_one_runs(driver, monkeypatch):
    driver.load(f"{WORKLOADS}:held_in_backward")
    driver.check("0")
    monkeypatch.setattr(workloads.Held, "wanted", True)
    driver.send(commands.RunSteps(1))
    assert workloads.held.wait(30)
    driver.send(commands.Abort())
    driver.view("0", Slot.OUTPUT, "out", StatisticsRequest())  # answered after the abort was heard
    workloads.go_on.set()
    assert driver.expect(events.RunFinished) == events.RunFinished(events.RunEnd.ABORTED, 0)
    assert workloads.noted == [{"0.weight": False, "2.weight": True}]
    assert TensorRef("0", Slot.GRAD_OUTPUT, "out") in driver.records
    assert list(gradients(workloads.made[-1]).values()) == [None, None]
    monkeypatch.setattr(workloads.Held, "wanted", False)
    assert driver.run() == events.RunFinished(events.RunEnd.COMPLETED, 1)
    assert TensorRef("0", Slot.PARAMETER_GRAD, "weight") in driver.records


def test_18_that_a_hook_that_waits_holds_up_nothing_but_its_own_step():
    """The wait is an errand, run at the safe point of the hook, as a window's wish is."""
    model = nn.Sequential(linear(TWO), linear(TWO))
    waiting, go_on = threading.Event(), threading.Event()
    seen_in_hook = {}

    def errand():
        seen_in_hook["thread"] = threading.get_ident()
        seen_in_hook["downstream"] = model[1].weight.grad is not None
        seen_in_hook["own"] = model[0].weight.grad is not None
        waiting.set()
        assert go_on.wait(30)

    def work():
        seen_in_hook["worker"] = threading.get_ident()
        gate = Gate(errand)

        def run(m):
            loss = m(torch.ones(1, 2)).sum()
            gate.errand_wanted = True
            return loss

        step(model, run, paths=("0",), gate=gate)

    worker = threading.Thread(target=work)
    worker.start()
    assert waiting.wait(30)
    assert seen_in_hook["thread"] == seen_in_hook["worker"]
    assert seen_in_hook["downstream"]
    assert not seen_in_hook["own"]
    x = torch.ones(1, requires_grad=True)
    (3 * x).sum().backward()
    assert x.grad.tolist() == [3]
    go_on.set()
    worker.join(30)
    assert model[0].weight.grad.tolist() == [[2, 2], [2, 2]]


HOOK_DICTS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_forward_hooks_with_kwargs",
)


def test_19_that_a_step_leaves_the_state_as_it_was_and_repeats_to_the_bit(driver):
    torch.manual_seed(7)
    driver.load(f"{WORKLOADS}:with_state", seed=None)
    model = workloads.made[-1]
    buffers = {name: (buffer, buffer.clone()) for name, buffer in model.named_buffers()}
    flags = [
        {name: dict(getattr(module, name)) for name in HOOK_DICTS} | {"full": module._is_full_backward_hook}
        for module in model.modules()
    ]
    random_state = torch.get_rng_state()
    driver.check("", "0", "1", "2", "3")
    driver.run()
    first = driver.values("", Slot.OUTPUT, "out")
    assert workloads.noted == [1]
    assert torch.equal(torch.get_rng_state(), random_state)
    for name, buffer in model.named_buffers():
        assert buffer is buffers[name][0]
        assert torch.equal(buffer, buffers[name][1])
    assert all(gradient is None for gradient in gradients(model).values())
    driver.run()
    assert workloads.noted == [1, 1]
    assert driver.values("", Slot.OUTPUT, "out") == first
    assert driver.finished[0].loss == driver.finished[1].loss
    driver.check()
    assert flags == [
        {name: dict(getattr(module, name)) for name in HOOK_DICTS} | {"full": module._is_full_backward_hook}
        for module in model.modules()
    ]


def outputs(driver):
    """Return the modules that gave an output."""
    return sorted(
        ref.path for ref, record in driver.records.items() if ref.slot is Slot.OUTPUT and record.spec is not None
    )


def test_20_that_a_compiled_model_is_seen_when_it_runs_eagerly(driver):
    loaded = driver.load(f"{WORKLOADS}:compiled")
    assert [info.path for info in loaded.tree.modules] == ["", "0", "1"]
    driver.check("", "0", "1")
    driver.run()
    assert outputs(driver) == []
    assert [driver.badges(path, Slot.OUTPUT, "out") for path in ("", "0", "1")] == [["compiled"]] * 3
    driver.records.clear()
    driver.change(RunSettings(run_eagerly=True))
    driver.run()
    assert outputs(driver) == ["", "0", "1"]
    assert driver.values("", Slot.OUTPUT, "out") == [[2, 2]]
