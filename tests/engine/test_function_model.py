"""Plain functions as workloads: leaves are parameters, the rest is input, and the lessons' numbers come out."""

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from hookscope import Workload
from hookscope.engine.workloads.inputs import Batches
from hookscope.protocol import commands, events
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.hooks import OperationInfo
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import TableRequest
from hookscope.protocol.workload import LossChoice, RunSettings, SyntheticInput
from tests.engine import operation_models as models
from tests.engine.driving import Driver, driving


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def weigh(w, x, b):
    return w * x + b


def run(workload: Workload) -> torch.Tensor:
    batch = Batches(workload).first()
    return workload.model(*batch.args, **batch.kwargs)


def parameters(workload: Workload) -> list[str]:
    return [name for name, _ in workload.model.named_parameters()]


# -- what becomes of a function's inputs ------------------------------------------------------------------------------


def test_that_leaves_in_a_mapping_become_parameters_and_the_rest_stays():
    w, x, b = leaf(2.0), torch.tensor([3.0]), leaf(1.0)
    workload = Workload(weigh, {"w": w, "x": x, "b": b})
    assert isinstance(workload.model, nn.Module)
    assert parameters(workload) == ["w", "b"]
    assert workload.inputs == {"x": x}
    assert run(workload).tolist() == [7]
    run(workload).backward()
    assert (w.grad.tolist(), b.grad.tolist()) == ([3], [1])


def test_that_arguments_of_a_tuple_have_the_names_of_the_signature():
    workload = Workload(weigh, (leaf(2.0), torch.tensor([3.0]), leaf(1.0)))
    assert parameters(workload) == ["w", "b"]
    assert len(workload.inputs) == 1
    assert run(workload).tolist() == [7]


@pytest.mark.parametrize("function", [torch.sigmoid, lambda *tensors: tensors[0] * 2])
def test_that_arguments_without_a_name_are_numbered(function):
    workload = Workload(function, leaf(0.0))
    assert parameters(workload) == ["argument_0"]
    assert run(workload).shape == (1,)


def test_that_a_tensor_that_has_a_history_or_no_gradient_stays_an_input():
    made = leaf(2.0) * 1
    workload = Workload(weigh, {"w": made, "x": torch.tensor([1]), "b": torch.tensor([1.0])})
    assert parameters(workload) == []
    assert set(workload.inputs) == {"w", "x", "b"}
    assert run(workload).tolist() == [3]


def test_that_an_argument_may_have_the_name_of_an_attribute_of_modules():
    workload = Workload(lambda type, forward: type * forward, {"type": leaf(2.0), "forward": leaf(3.0)})  # noqa: A006
    assert parameters(workload) == ["type", "forward"]
    assert run(workload).tolist() == [6]


def test_that_batches_of_an_iterable_have_no_parameters():
    workload = Workload(weigh, [(leaf(1.0), leaf(2.0), leaf(3.0)), {"w": leaf(2.0), "x": leaf(2.0), "b": leaf(2.0)}])
    assert parameters(workload) == []
    batches = Batches(workload)
    found = [batches.next(), batches.next()]
    assert [workload.model(*batch.args, **batch.kwargs).tolist() for batch in found] == [[5], [6]]


def test_that_a_wrong_number_of_inputs_is_said_in_the_words_of_the_function():
    model = Workload(weigh, {"w": leaf(2.0), "x": torch.tensor([3.0]), "b": leaf(1.0)}).model
    for arguments in ((), (torch.ones(1), torch.ones(1))):
        with pytest.raises(TypeError, match=r"weigh\(w, x, b\) needs x besides its leaves"):
            model(*arguments)


def test_that_the_leaves_are_the_users_own_so_that_an_optimizer_of_them_works():
    w = leaf(1.0)
    workload = Workload(weigh, (w, torch.ones(1), torch.zeros(1)), optimizer=torch.optim.SGD([w], lr=0.5))
    run(workload).backward()
    workload.optimizer.step()
    assert w.tolist() == [0.5]
    assert run(workload).tolist() == [0.5]


def test_that_a_class_is_no_function():
    with pytest.raises(TypeError, match="not the class Linear"):
        Workload(nn.Linear, torch.ones(1))


# -- in the debuggee --------------------------------------------------------------------------------------------------


@pytest.fixture
def driver() -> Iterator[Driver]:
    with driving() as started:
        yield started


def traced(driver: Driver, path: str = "") -> tuple[OperationInfo, ...]:
    driver.send(commands.TraceOperations(path))
    answer = driver.expect(events.OperationsTraced)
    assert driver.expect(events.RunFinished) == events.RunFinished(events.RunEnd.COMPLETED, 0)
    return answer.operations


def learn(driver: Driver, lesson: str, settings: RunSettings | None = None) -> list[tuple[str, str]]:
    """Load a lesson, check all there is, run a step; return its operations and their lines."""
    driver.load(f"example:{lesson}")
    if settings is not None:
        driver.change(settings)
    operations = traced(driver)
    driver.send(commands.SetHooks(("",), operations=tuple(operation.ref for operation in operations)))
    driver.expect(events.HooksSet)
    driver.run()
    return [(operation.ref.text, operation.code) for operation in operations]


def values(driver: Driver, slot: Slot, leaf: str = "out", operation: str = "") -> list[float]:
    ref = TensorRef("", slot, leaf, operation=operation)
    driver.send(commands.RequestView("test", 0, ref, TableRequest()))
    table = driver.expect(events.ViewReady).result
    return [float(cell) for row in table.cells for cell in row]


def test_the_lesson_on_gradients_of_intermediate_tensors(driver):
    lines = learn(driver, "leaf_gradient")
    assert lines == [("add:0", "a = w + x"), ("add:1", "b = w + 1"), ("mul:0", "y = a * b")]
    assert [values(driver, Slot.OUTPUT, operation=name) for name, _ in lines] == [[3], [2], [6]]
    assert [values(driver, Slot.GRAD_OUTPUT, operation=name) for name, _ in lines] == [[2], [3], [1]]
    assert values(driver, Slot.PARAMETER, "w") == [1]
    assert values(driver, Slot.PARAMETER_GRAD, "w") == [5]
    assert values(driver, Slot.PARAMETER_GRAD, "x") == [2]
    assert driver.finished[0].loss == 6


def test_the_lesson_on_a_gradient_of_a_non_leaf(driver):
    lines = learn(driver, "non_leaf")
    assert lines == [("add:0", "c = a + b"), ("mul:0", "e = c * d"), ("sum:0", "o = e.sum()")]
    assert values(driver, Slot.GRAD_OUTPUT, operation="add:0") == [2, 2]
    assert values(driver, Slot.GRAD_OUTPUT, operation="mul:0") == [1, 1]
    assert values(driver, Slot.PARAMETER_GRAD, "a") == [2, 2]
    assert values(driver, Slot.PARAMETER_GRAD, "b") == [2, 2]
    assert values(driver, Slot.PARAMETER_GRAD, "d") == [10]


def test_the_lesson_on_a_backward_from_no_scalar(driver):
    assert learn(driver, "not_scalar") == [("add:0", "y = x + 2")]
    (failed,) = driver.failures
    assert failed.failure.kind is FailureKind.LOSS_NOT_SCALAR
    assert failed.failure.values == {"shape": "(2, 1)"}
    assert values(driver, Slot.OUTPUT, operation="add:0") == [3, 3]
    driver.change(RunSettings(loss=LossChoice.SUM))
    driver.run()
    assert len(driver.failures) == 1
    assert values(driver, Slot.PARAMETER_GRAD, "x") == [1, 1]
    assert values(driver, Slot.GRAD_OUTPUT, operation="add:0") == [1, 1]


def test_that_a_function_runs_on_made_up_inputs_too(driver):
    driver.load("tests.engine.operation_models:half_free")
    driver.check("")
    driver.run()
    assert values(driver, Slot.OUTPUT) == [6, 6]
    driver.send(commands.SetInputs((SyntheticInput((2, 5)),)))
    driver.expect(events.SettingsApplied)
    driver.run()
    assert driver.records[TensorRef("", Slot.OUTPUT, "out")].spec.shape == (2, 5)
    assert not driver.failures


def test_that_a_trace_leaves_the_model_as_it_was_and_uses_no_batch_up(driver):
    driver.load("tests.engine.operation_models:stateful")
    model = models.made[-1]
    state, torch_state = {name: value.clone() for name, value in model.state_dict().items()}, torch.get_rng_state()
    driver.check("")
    names = [operation.ref.text for operation in traced(driver)]
    assert names == ["dropout:0", "mul:0"]
    assert model.calls == 0
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert len(model._forward_hooks) == 1
    assert not driver.records
    driver.run()
    assert values(driver, Slot.INPUT, "args.0") == [1, 1, 1, 1]


def test_that_a_trace_of_a_model_that_raises_fails_and_ends(driver):
    driver.load("tests.engine.models:failing")
    driver.send(commands.TraceOperations(""))
    failed = driver.expect(events.Failed)
    assert failed.failure.kind is FailureKind.FORWARD_RAISED
    assert failed.failure.module_path == "failing"
    assert driver.expect(events.RunFinished).reason is events.RunEnd.FAILED


def test_that_a_trace_can_be_stopped(driver):
    driver.load("tests.engine.operation_models:endless")
    driver.send(commands.TraceOperations(""))
    assert models.entered.wait(20)
    driver.send(commands.Abort())
    assert driver.expect(events.RunFinished).reason is events.RunEnd.ABORTED
    assert not models.made[-1]._forward_hooks
