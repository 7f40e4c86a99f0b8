"""Hook modes are tried out before a step: what is refused, in which words, and what is said of the others."""

import copy

import pytest
import torch

from hookscope.protocol import commands, events
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import BadgeKind
from tests.engine import preflight_models
from tests.engine.driving import Driver, driving

MODELS = "tests.engine.preflight_models"
NATIVE = HookMode.NATIVE


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def loaded(driver: Driver, name: str, *paths: str, mode: HookMode = NATIVE) -> events.HooksSet:
    """Load a model, check modules and give them a mode."""
    assert isinstance(driver.load(f"{MODELS}:{name}"), events.Loaded)
    driver.send(commands.SetHooks(paths, dict.fromkeys(paths, mode)))
    return driver.expect(events.HooksSet)


def step(driver: Driver) -> events.HooksSet | None:
    """Run a step; return what was said of hooks in it."""
    driver.send(commands.RunSteps(1))
    first = driver.expect((events.HooksSet, events.RunFinished))
    if isinstance(first, events.HooksSet):
        driver.expect(events.RunFinished)
        return first
    return None


def badge(driver: Driver, path: str, slot: Slot, leaf: str, kind: BadgeKind) -> str:
    record = driver.records[TensorRef(path, slot, leaf)]
    return next(badge.detail for badge in record.badges if badge.kind is kind)


def test_that_a_mode_that_can_be_holds_from_the_next_step_on(driver):
    assert loaded(driver, "calm", "0", "3") == events.HooksSet(
        ("0", "3"),
        modes={"0": NATIVE, "3": NATIVE},
        hooks=dict.fromkeys(
            ("0", "3"), ("forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook")
        ),
    )
    assert step(driver) is None
    assert badge(driver, "3", Slot.GRAD_OUTPUT, "out", BadgeKind.NATIVE) == ""
    driver.send(commands.SetHooks(("0", "3"), {"3": NATIVE}))
    answer = driver.expect(events.HooksSet)
    assert answer.hooks["0"] == ("forward_pre_hook", "forward_hook", "gradient edges (exact)")
    step(driver)
    assert driver.badges("0", Slot.GRAD_OUTPUT, "out") == []
    assert driver.badges("3", Slot.GRAD_OUTPUT, "out") == ["native"]


def test_that_trying_leaves_the_model_and_the_steps_as_they_are(driver):
    driver.load(f"{MODELS}:calm", seed=None)
    model = preflight_models.made[-1]
    random = torch.get_rng_state()
    buffers = copy.deepcopy(dict(model.named_buffers()))
    driver.run(3)
    bare = [finished.loss for finished in driver.finished]
    with torch.no_grad():
        for name, buffer in model.named_buffers():
            buffer.copy_(buffers[name])
    torch.set_rng_state(random)
    driver.send(commands.SetHooks(("0",), {"0": NATIVE}))
    driver.run(3)
    assert [finished.loss for finished in driver.finished[3:]] == bare
    newest = driver.records[TensorRef("0", Slot.GRAD_OUTPUT, "out")]
    assert (newest.step, [badge.kind for badge in newest.badges]) == (6, [BadgeKind.NATIVE])


def test_that_a_module_whose_output_is_written_to_is_refused_and_the_writer_named(driver):
    assert loaded(driver, "in_place", "0", "1", "2", "3").refused == {
        "1": "it works in place (inplace=True), which PyTorch's full backward hook does not allow"
    }
    answer = step(driver)
    assert answer.refused["0"] == "its output is modified in place by `1` (ReLU)"
    assert answer.modes == {"2": NATIVE, "3": NATIVE}
    assert answer.hooks["0"] == ("forward_pre_hook", "forward_hook", "gradient edges (exact)")
    assert driver.finished[-1].loss is not None
    assert badge(driver, "0", Slot.GRAD_OUTPUT, "out", BadgeKind.NATIVE_REFUSED) == answer.refused["0"]
    assert driver.badges("2", Slot.GRAD_OUTPUT, "out") == ["native"]
    assert step(driver) is None  # it is tried once


def test_that_a_line_of_the_model_itself_that_writes_to_an_output_is_named(driver):
    loaded(driver, "residual", "branch", "last")
    answer = step(driver)
    assert answer.refused.keys() == {"branch"}
    assert answer.refused["branch"].startswith("its output is modified in place by preflight_models.py:")
    assert answer.refused["branch"].endswith("`out += x`")


def test_that_a_module_that_writes_to_its_input_is_refused(driver):
    loaded(driver, "writes_to_input", "0", "1")
    refused = step(driver).refused
    assert refused["1"].startswith("its input is modified in place by preflight_models.py:")
    assert refused["0"].startswith("its output is modified in place by preflight_models.py:")


def test_that_modules_whose_hooks_make_the_model_raise_are_found_whatever_it_raises(driver):
    loaded(driver, "picky", "0", "1", "2", "3")
    reason = "with the hook on it the model raises ValueError: no hooks, please"
    answer = step(driver)
    assert answer.refused == {"1": reason, "2": reason}
    assert answer.modes == {"0": NATIVE, "3": NATIVE}


@pytest.mark.parametrize(
    ("model", "path", "mode", "words"),
    [
        ("structseq", "largest", NATIVE, "its output is a max, a tuple that PyTorch's hook cannot make anew"),
        ("transformed", "layer", NATIVE, "it runs inside a torch.func transform"),
        ("no_tensor", "boxing", HookMode.LEGACY, "in which PyTorch finds no tensor"),
    ],
)
def test_that_what_pytorch_cannot_do_is_refused_with_the_reason(driver, model, path, mode, words):
    loaded(driver, model, path, mode=mode)
    assert words in step(driver).refused[path]
    assert driver.finished[-1].loss is not None


def test_that_a_change_of_the_numbers_is_said(driver):
    loaded(driver, "unused", "first")
    assert step(driver) is None
    remark = "changes the model's numbers: parameters without a gradient get one (2)"
    assert badge(driver, "first", Slot.GRAD_OUTPUT, "out", BadgeKind.NATIVE) == remark


def test_that_a_model_that_differs_from_itself_is_not_blamed_on_the_hook(driver):
    loaded(driver, "forgetful", "layer")
    assert step(driver) is None
    assert badge(driver, "layer", Slot.GRAD_OUTPUT, "out", BadgeKind.NATIVE) == ""


def test_that_modes_that_were_tried_are_not_tried_again_when_others_are_unchecked(driver):
    loaded(driver, "forgetful", "", "layer")
    step(driver)
    calls = preflight_models.Forgetful.calls
    driver.send(commands.SetHooks(("layer",), {"layer": NATIVE}))
    assert driver.expect(events.HooksSet).modes == {"layer": NATIVE}
    step(driver)
    assert preflight_models.Forgetful.calls == calls + 1
    assert driver.badges("layer", Slot.GRAD_OUTPUT, "out") == ["native"]


def test_that_a_lazy_model_is_tried_after_its_first_step(driver):
    loaded(driver, "lazy", "0", "1")
    answer = step(driver)
    assert answer.refused.keys() == {"0", "1"}
    assert "from the next step on" in answer.refused["1"]
    assert step(driver).modes == {"0": NATIVE, "1": NATIVE}
    assert driver.badges("1", Slot.GRAD_OUTPUT, "out") == ["native"]


def test_that_a_model_that_raises_anyway_fails_as_ever(driver):
    loaded(driver, "broken", "")
    assert step(driver) is None
    assert driver.failures[0].failure.exception.message == "broken"


@pytest.mark.parametrize("mode", [HookMode.NATIVE, HookMode.ALIAS, HookMode.LEGACY])
def test_that_after_unchecking_everything_hooks_and_flags_are_as_before(driver, mode):
    driver.load(f"{MODELS}:in_place")
    modules = list(preflight_models.made[-1].modules())
    before = [{name: copy.copy(value) for name, value in vars(module).items() if "hook" in name} for module in modules]
    driver.send(commands.SetHooks(("0", "1", "2"), dict.fromkeys(("0", "1", "2"), mode)))
    driver.expect(events.HooksSet)
    step(driver)
    driver.check()
    after = [{name: value for name, value in vars(module).items() if "hook" in name} for module in modules]
    assert after == before
