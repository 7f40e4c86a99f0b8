"""Compiled models: what is said of them, what hooks do to them, and how they run eagerly.

The backend is "eager": what the compiler captures is run as it is, so that no code is generated.
"""

import pytest
import torch
from torch import nn

import hookscope
from hookscope.engine.module_tree import describe_modules, named_modules
from hookscope.engine.state import eager
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from hookscope.protocol.workload import RunSettings
from tests.engine import compiled_models
from tests.engine.driving import driving
from tests.engine.observing import step

pytest.importorskip("torch._dynamo", reason="the compiler of torch cannot be imported", exc_type=Exception)

MODELS = "tests.engine.compiled_models"
EAGER = RunSettings(run_eagerly=True)


@pytest.fixture(autouse=True)
def fresh_compiler():
    yield
    torch._dynamo.reset()


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def events_of(driver):
    """Return the paths of the forward events that were recorded, in order."""
    records = [record for record in driver.records.values() if record.spec is not None]
    return sorted(
        {record.ref.path for record in records if record.ref.slot is Slot.OUTPUT},
        key=lambda path: min(r.order for r in records if r.ref.path == path and r.ref.slot is Slot.INPUT),
    )


def test_that_a_model_that_was_compiled_and_run_has_no_events_and_a_badge(driver):
    loaded = driver.load(f"{MODELS}:compiled_and_run")
    assert [info.path for info in loaded.tree.modules] == ["", "0", "1"]
    assert loaded.tree.modules[0].class_name == "Sequential"
    assert [[badge.kind for badge in info.badges] for info in loaded.tree.modules] == [[BadgeKind.COMPILED]] * 3
    driver.check("", "0", "1")
    driver.run()
    assert events_of(driver) == []
    assert [driver.badges(path, Slot.OUTPUT, "out") for path in ("", "0", "1")] == [["compiled"]] * 3
    assert len(driver.values("0", Slot.PARAMETER_GRAD, "weight")) == 2


def test_that_run_eagerly_it_has_exactly_the_events_of_its_modules(driver):
    driver.load(f"{MODELS}:compiled_and_run")
    driver.check("", "0", "1")
    driver.run()
    compiled = driver.finished[0].loss
    driver.change(EAGER)
    driver.run()
    assert events_of(driver) == ["", "0", "1"]
    assert {record.ref.call for record in driver.records.values()} == {0}
    assert driver.values("1", Slot.OUTPUT, "out") == driver.values("", Slot.OUTPUT, "out")
    assert driver.badges("0", Slot.GRAD_OUTPUT, "out") == []
    assert driver.finished[1].loss == compiled
    driver.records.clear()
    driver.change(RunSettings())
    driver.run()
    assert events_of(driver) == []


def test_that_run_eagerly_a_module_that_is_never_called_is_not_called_compiled(driver):
    driver.load(f"{MODELS}:bypassing")
    driver.check("", "unused")
    driver.run()
    assert driver.badges("unused", Slot.OUTPUT, "out") == ["compiled"]
    driver.change(EAGER)
    driver.run()
    assert driver.badges("unused", Slot.OUTPUT, "out") == ["never_called"]
    assert driver.badges("", Slot.OUTPUT, "out") == []


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning")  # torch's own
@pytest.mark.parametrize("name", ["whole", "whole_in_place", "part", "part_in_place"])
def test_that_checked_before_its_first_call_a_model_still_compiles_as_one_graph(driver, name):
    driver.load(f"{MODELS}:{name}")
    compiled_models.graphs.clear()
    model = compiled_models.made[-1]
    paths = tuple(named_modules(model))
    driver.check(*paths)
    driver.run(2)
    assert [f.failure.exception.message for f in driver.failures] == []
    assert len(compiled_models.graphs) == 1
    assert [node.op for node in compiled_models.graphs[0].nodes if node.op == "call_function"] == ["call_function"] * 2
    inside = eager.compiled_paths(model)
    assert inside
    assert set(events_of(driver)) == set(paths) - inside
    driver.change(EAGER)
    driver.run()
    assert set(events_of(driver)) == set(paths)


def test_that_the_compiler_is_as_before_after_each_step(driver):
    driver.load(f"{MODELS}:whole")
    driver.change(EAGER)
    driver.run()
    compiled_models.graphs.clear()
    driver.change(RunSettings())
    driver.run()
    assert len(compiled_models.graphs) == 1


def test_that_only_what_is_compiled_is_said_to_be():
    compiled_models.part()
    model = compiled_models.made[-1]
    inside = {"inner._orig_mod", "inner._orig_mod.0", "inner._orig_mod.1"}
    assert eager.compiled_paths(model) == inside
    kinds = {info.path: [badge.kind for badge in info.badges] for info in describe_modules(model).modules}
    assert {path for path, badges in kinds.items() if badges} == {"inner", *inside}
    assert eager.unwrapped(model) is model
    assert not eager.is_compiled(model)
    assert eager.is_compiled(model.inner)
    assert eager.unwrapped(model.inner) is model.inner._orig_mod
    assert eager.compiled_paths(model.inner) == {"", "0", "1"}
    compiled_models.part_in_place()
    assert eager.compiled_paths(compiled_models.made[-1]) == {"inner", "inner.0", "inner.1"}


def test_that_observed_alone_a_compiled_model_says_why_it_has_no_values():
    model = torch.compile(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), backend="eager")
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    with pytest.raises(hookscope.NotCaptured, match=r"torch\.compile"):
        seen.tensor("0", "output")
    assert seen.tensor("0", "parameter_grad", leaf="weight").shape == (2, 2)


def test_that_run_eagerly_gradients_keep_every_bit():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
    compiled = torch.compile(model, backend="eager")
    x = torch.randn(3, 4)

    def gradients(run):
        model.zero_grad()
        run()
        return [parameter.grad.clone() for parameter in model.parameters()]

    bare = gradients(lambda: model(x).sum().backward())
    with eager.running_eagerly(True):
        seen = None

        def observed():
            nonlocal seen
            seen = step(model, lambda _model: compiled(x).sum())

        watched = gradients(observed)
    assert all(torch.equal(one, other) for one, other in zip(bare, watched, strict=True))
    assert seen.leaves("1", Slot.GRAD_INPUT) == ["args.0"]


def test_that_without_the_wish_nothing_is_imported_or_changed():
    with eager.running_eagerly(False):
        compiled_models.graphs.clear()
        compiled_models.whole()
        compiled_models.made[-1](torch.ones(1, 2))
        assert len(compiled_models.graphs) == 1
