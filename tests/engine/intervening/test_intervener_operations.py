"""Interventions on what operations give, and on the gradients there."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from hookscope.engine.workloads.function_model import model_of
from hookscope.protocol.hooks import OperationRef
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Index, Intervention
from hookscope.protocol.tensor_changes import Add, Clamp, Constant, Expression, Noise, Scale
from hookscope.protocol.tensors import BadgeKind
from tests.engine.intervening.running import Session
from tests.engine.observing import linear
from tests.engine.operating import Running, leaf, no_trace_on


def on(operation: str, change, slot: Slot = Slot.OUTPUT, **further) -> Intervention:
    return Intervention(1, "", slot, change, operation=operation, **further)


def test_that_the_gradient_of_a_leaf_of_a_function_is_scaled():
    def product(w, x):
        a = w + x
        b = w + 1
        return a * b

    w, x = leaf(1), leaf(2)
    model, _ = model_of(product, (w, x))
    Session(model).run(lambda m: m())
    assert (w.grad.tolist(), x.grad.tolist()) == ([5], [2])
    w.grad = x.grad = None
    session = Session(model, Intervention(1, "", Slot.PARAMETER_GRAD, Scale(3), leaf="w")).run(lambda m: m())
    assert (w.grad.tolist(), x.grad.tolist()) == ([15], [2])
    assert session.value("", Slot.PARAMETER_GRAD, "w") == [15]


def test_that_the_gradient_of_an_intermediate_tensor_is_scaled():
    def sums(a, b, d):
        c = a + b
        e = c * d
        return e.sum()

    a, b, d = leaf(1, 2), leaf(3, 4), leaf(2)
    model, _ = model_of(sums, (a, b, d))
    checked = [OperationRef("", "add", 0), OperationRef("", "mul", 0)]
    session = Session(model, on("add:0", Scale(2), Slot.GRAD_OUTPUT), operations=checked).run(lambda m: m())
    assert [tensor.grad.tolist() for tensor in (a, b, d)] == [[4, 4], [4, 4], [10]]
    assert session.value("", Slot.GRAD_OUTPUT, "out", operation="add:0") == [4, 4]
    assert session.value("", Slot.GRAD_OUTPUT, "out", operation="mul:0") == [1, 1]
    (ref,) = session.status.refs
    assert (ref.operation, ref.slot) == ("add:0", Slot.GRAD_OUTPUT)
    session.close()
    assert no_trace_on(model)


def test_that_an_output_is_changed_and_captured_as_changed():
    model = Running(lambda _self, x: (x * 2) * 3)
    x = leaf(1, 2)
    session = Session(model, on("mul:1", Add(10)), operations=[OperationRef("", "mul", 1)])
    results = []
    session.run(lambda m: results.append(m(x)) or results[0].sum())
    assert results[0].tolist() == [16, 22]
    assert session.value("", Slot.OUTPUT, "out", operation="mul:1") == [16, 22]
    badges = [badge.kind for badge in session.capture("", Slot.OUTPUT, "out", 0, "mul:1").badges]
    assert badges == [BadgeKind.CHANGED]
    assert x.grad.tolist() == [6, 6]


def test_that_only_the_operations_of_the_module_itself_are_meant_and_numbers_are_those_of_the_recorder():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Running(lambda _self, x: x + 1)

        def forward(self, x):
            x.dim()  # no operation
            return self.inner(x + 10) + 100

    x = leaf(0)
    session = Session(Two(), on("add:1", Scale(2)), operations=[OperationRef("", "add", 1)])
    session.run(lambda m: m(x).sum())
    assert session.value("", Slot.OUTPUT, "out", operation="add:1") == [222]
    assert session.value("", Slot.OUTPUT, "out") == [222]


def inside_other(model_of_part):
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = model_of_part

        def forward(self, x):
            return self.part(x * 1) * 1

    return Outer()


def test_that_the_recorder_sees_the_new_value_although_it_watched_an_outer_module_before():
    model = inside_other(Running(lambda _self, x: x * 2))
    x = leaf(1)
    checked = [OperationRef("", "mul", 0), OperationRef("part", "mul", 0)]
    meant = Intervention(1, "part", Slot.OUTPUT, Constant(7), operation="mul:0")
    session = Session(model, meant, operations=checked).run(lambda m: (m(x) + x).sum())
    assert session.value("part", Slot.OUTPUT, "out", operation="mul:0") == [7]
    assert session.value("", Slot.OUTPUT, "out") == [7]


IN_PLACE = {
    "add_:0": lambda x: x.add_(1),
    "iadd": lambda x: x.__iadd__(1),
    "sigmoid_:0": lambda x: x.sigmoid_(),
    "relu:0": lambda x: functional.relu(x, inplace=True),
    "relu": lambda x: functional.relu(x, True),
    "relu_:0": torch.relu_,
    "setitem:0": lambda x: x.__setitem__(0, 5.0),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("change", [Scale(3), Clamp(-0.2, 0.7), Constant(2)])
@pytest.mark.parametrize("is_view", [False, True])
def test_that_an_operation_in_place_is_changed_in_place(name, change, is_view):
    write = IN_PLACE[name]
    operation = {"iadd": "add_:0", "relu": "relu:0"}.get(name, name)

    def forward(_self, x):
        y = x * 1
        written = y[:2] if is_view else y
        returned = write(written)
        assert returned is None or returned is written
        return (y * y).sum()

    x, z = leaf(0.5, -1, 2), leaf(0.5, -1, 2)
    session = Session(Running(forward), on(operation, change), operations=[OperationRef("", *_parted(operation))])
    losses = []
    session.run(lambda m: losses.append(m(x)) or losses[0])
    assert session.status.applied == 1

    functions = {
        "add_": lambda t: t + 1,
        "sigmoid_": torch.sigmoid,
        "relu": torch.relu,
        "relu_": torch.relu,
        "setitem": lambda t: torch.where(torch.arange(len(t)) == 0, torch.tensor(5.0), t),
    }
    changes = {
        Scale: lambda t: t * 3,
        Clamp: lambda t: t.clamp(-0.2, 0.7),
        Constant: lambda t: torch.full_like(t, 2),
    }
    new = changes[type(change)](functions[operation.partition(":")[0]]((z * 1)[:2] if is_view else z * 1))
    y = torch.cat([new, (z * 1)[2:]]) if is_view else new
    expected = (y * y).sum()
    assert torch.allclose(losses[0], expected)
    assert session.value("", Slot.OUTPUT, "out", operation=operation) == pytest.approx(new.tolist())
    if expected.requires_grad:
        expected.backward()
        assert torch.allclose(x.grad, z.grad)


def _parted(operation: str) -> tuple[str, int]:
    name, _, number = operation.partition(":")
    return name, int(number)


def test_that_an_operation_that_hands_its_input_on_does_not_count_as_written():
    x = leaf(1)

    def forward(_self, x):
        y = x * 1
        z = functional.dropout(y, 0.5, training=False)
        return (y + 10 * z).sum()

    session = Session(Running(forward), on("dropout:0", Scale(2)))
    losses = []
    session.run(lambda m: losses.append(m(x)) or losses[0])
    assert losses[0].item() == 21
    x.grad = None
    Session(Running(forward), on("dropout:0", Scale(2), Slot.GRAD_OUTPUT)).run(lambda m: m(x))
    assert x.grad.tolist() == [21]


def test_that_a_change_of_shape_in_place_stays_one():
    model = Running(lambda _self, x: (x * 1).unsqueeze_(0))
    results = []
    Session(model, on("unsqueeze_:0", Scale(2))).run(lambda m: results.append(m(leaf(1, 2))) or results[0].sum())
    assert results[0].tolist() == [[2, 4]]


def test_that_one_of_several_results_and_a_part_of_it_is_changed():
    model = Running(lambda _self, x: torch.cat(x.chunk(2)) * 1)
    x = leaf(1, 2, 3, 4)
    meant = on("chunk:0", Scale(10), leaf="out.1", where=Index((0,)))
    session = Session(model, meant).run(lambda m: m(x).sum())
    assert x.grad.tolist() == [1, 1, 10, 1]
    assert session.status.changed == 1


def test_that_one_call_of_the_module_is_meant_and_repeated_by_checkpointing():
    class Segments(nn.Module):
        def __init__(self, wrap):
            super().__init__()
            self.part = Running(lambda _self, x: torch.sin(x * 2) * 3)
            self.wrap = wrap

        def forward(self, x):
            return (self.wrap(self.part, x) + self.wrap(self.part, x + 1)).sum()

    found = []
    wraps = (
        lambda part, x: part(x),
        lambda part, x: checkpoint(part, x, use_reentrant=False),
        lambda part, x: checkpoint(part, x, use_reentrant=True),
    )
    for wrap in wraps:
        for slot in (Slot.OUTPUT, Slot.GRAD_OUTPUT):
            for change in (Noise(0.5), Expression("x * (call + 5)")):
                x = leaf(0.3, 0.4)
                meant = Intervention(1, "part", slot, change, operation="sin:0", call=1)
                session = Session(Segments(wrap), meant).run(lambda m, x=x: m(x))
                assert session.status.idle is None
                found.append(x.grad)
    assert torch.equal(torch.stack(found[:4]), torch.stack(found[4:8]))
    assert torch.equal(torch.stack(found[:4]), torch.stack(found[8:]))


def test_that_nothing_is_left_when_the_module_or_the_operation_raises():
    def forward(_self, x):
        return (x * 2) @ torch.ones(3)

    model = Running(forward)
    session = Session(model, on("mul:0", Scale(2)))
    with pytest.raises(RuntimeError), session.step():
        model(leaf(1))
    session.close()
    assert no_trace_on(model)
    assert session.intervener.statuses()[0].applied == 1


def test_that_modules_inside_are_left_alone():
    model = inside_other(linear([[2.0]]))
    x = torch.ones(1, 1, requires_grad=True)
    session = Session(model, on("linear:0", Scale(2))).run(lambda m: m(x).sum())
    assert session.status.detail == "mul:0, mul:1"


def test_that_compiled_code_is_compiled_again_after_a_step_that_recorded_and_changed_operations():
    model = Running(lambda _self, x: x * 2)
    ran = []

    @torch.compile(backend="eager")
    def compiled(x):
        ran.append(torch.compiler.is_compiling())
        return x + 1

    with torch.compiler.set_stance("default"):
        session = Session(model, on("mul:0", Scale(2)), operations=[OperationRef("", "mul", 0)])
        session.run(lambda m: m(leaf(1)).sum())
        compiled(torch.ones(1))
    assert ran == [True]
