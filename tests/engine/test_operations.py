"""Operations that are no modules: which there are, and what is captured of them."""

import threading
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from hookscope.engine.operations.operation_trace import OperationTrace
from hookscope.engine.pause import Gate
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.operating import Running, Session, leaf, names, no_trace_on, traced

# -- which operations there are -----------------------------------------------------------------------------------


def test_that_a_trace_lists_name_number_output_and_line_in_order():
    def forward(_self, x):
        y = x + 1
        return functional.relu(y) @ (y + x)

    operations = traced(Running(forward), "", torch.ones(2, 2))
    assert [operation.ref.text for operation in operations] == ["add:0", "relu:0", "add:1", "matmul:0"]
    assert [operation.output.shape for operation in operations] == [(2, 2)] * 4
    assert {operation.file for operation in operations} == {str(Path(__file__).absolute())}
    assert [operation.code for operation in operations] == ["y = x + 1", *["return functional.relu(y) @ (y + x)"] * 3]
    first = forward.__code__.co_firstlineno
    assert [operation.line for operation in operations] == [first + 1, first + 2, first + 2, first + 2]


def in_place(x: torch.Tensor) -> torch.Tensor:
    x += 1
    x *= 2
    x[0] = 3
    return x.relu_()


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        (lambda x: (x + 1, 1 + x, x.add(1), torch.add(x, 1)), ["add:0", "add:1", "add:2", "add:3"]),
        (lambda x: (x - 1, 1 - x), ["sub:0", "sub:1"]),
        (lambda x: (x / 2, 2 / x, x // 2, 2 // x), ["div:0", "div:1", "floor_divide:0", "floor_divide:1"]),
        (lambda x: (x**2, 2**x, x % 2, -x, abs(x)), ["pow:0", "pow:1", "remainder:0", "neg:0", "abs:0"]),
        (lambda x: ~(x > 0) & (x == 1), ["gt:0", "bitwise_not:0", "eq:0", "bitwise_and:0"]),
        (lambda x: in_place(x.clone()), ["clone:0", "add_:0", "mul_:0", "setitem:0", "relu_:0"]),
        (lambda x: x[0], ["getitem:0"]),
        (lambda x: x.T + x.mT.data, ["T:0", "mT:0", "data:0", "add:0"]),
        (lambda x: functional.softmax(x, 0), ["softmax:0"]),
        (lambda x: functional.max_pool1d(x, 2), ["max_pool1d:0"]),
        (lambda x: functional.scaled_dot_product_attention(x, x, x), ["scaled_dot_product_attention:0"]),
        (lambda x: torch.zeros(2) if x.sum().item() else x, ["sum:0", "zeros:0"]),
        (lambda x: x.chunk(2), ["chunk:0"]),
        (lambda x: (x.shape, x.dim(), x.is_cuda, x.dtype, len(x), x.numel(), x.requires_grad, repr(x)), []),
        (lambda x: (x.detach().requires_grad_(), x.tolist(), bool((x > 9).any())), ["detach:0", "gt:0", "any:0"]),
    ],
)
def test_that_operations_have_the_names_that_a_person_knows_and_queries_are_none(forward, expected):
    assert names(Running(lambda _self, x: forward(x)), "", torch.ones(2, 2)) == expected


def test_that_what_children_run_is_theirs():
    inner = Running(lambda _self, x: x * 2)
    outer = Running(lambda self, x: self.inner(x + 1) - 3, inner=inner)
    assert names(outer, "", torch.ones(1)) == ["add:0", "sub:0"]
    assert names(outer, "inner", torch.ones(1)) == ["mul:0"]
    bypassed = Running(lambda self, x: self.inner.forward(x) - 3, inner=inner)
    assert names(bypassed, "", torch.ones(1)) == ["mul:0", "sub:0"]


def test_that_only_the_first_call_is_listed_and_a_module_never_called_lists_nothing():
    twice = Running(lambda self, x: self.inner(self.inner(x)), inner=Running(lambda _self, x: x * 2))
    assert names(twice, "inner", torch.ones(1)) == ["mul:0"]
    listed = Running(lambda self, x: self.blocks[0](x), blocks=nn.ModuleList([nn.ReLU()]))
    assert names(listed, "blocks", torch.ones(1)) == []


def test_that_a_module_of_torch_shows_the_line_of_its_own_forward():
    (operation,) = traced(nn.Sequential(nn.Linear(2, 2)), "0", torch.ones(1, 2))
    assert operation.ref.name == "linear"
    assert operation.file.endswith("linear.py")
    assert "F.linear(" in operation.code


def test_that_a_trace_ends_with_the_forward_however_that_ends():
    def fail(_self, x):
        raise ValueError(x.sum())

    model = Running(fail)
    trace = OperationTrace("", model, Gate())
    with pytest.raises(ValueError, match="1"), trace:
        model(torch.ones(1))
    assert [operation.ref.name for operation in trace.operations] == ["sum"]
    assert no_trace_on(model)


# -- what is captured -----------------------------------------------------------------------------------------------


def test_that_a_checked_operation_has_its_output_and_the_gradient_there():
    def forward(_self, w, x):
        return (w + x) * (w + 1)

    w, x = leaf(1), leaf(2)
    session = Session(Running(forward), ["add:0", "add:1", "mul:0"]).step(lambda m: m(w, x))
    assert [session.value(Slot.OUTPUT, name) for name in ("add:0", "add:1", "mul:0")] == [[3], [2], [6]]
    assert [session.value(Slot.GRAD_OUTPUT, name) for name in ("add:0", "add:1", "mul:0")] == [[2], [3], [1]]
    assert (w.grad.tolist(), x.grad.tolist()) == ([5], [2])


def test_that_an_operation_that_is_not_checked_is_not_captured():
    session = Session(Running(lambda _self, x: x * 2 + 1), ["mul:0"]).step(lambda m: m(leaf(1)))
    assert session.value(Slot.OUTPUT, "mul:0") == [2]
    assert session.value(Slot.OUTPUT, "add:0") is None


def test_that_an_operation_in_place_is_copied_right_after_it():
    def forward(_self, x):
        y = x * 1
        y += 1
        y *= 3
        y[0] = 0
        return y.sum()

    session = Session(Running(forward), ["add_:0", "mul_:0", "setitem:0"]).step(lambda m: m(leaf(1, 2)))
    values = [session.value(Slot.OUTPUT, name) for name in ("add_:0", "mul_:0", "setitem:0")]
    assert values == [[2, 3], [6, 9], [0, 9]]
    gradients = [session.value(Slot.GRAD_OUTPUT, name) for name in ("add_:0", "mul_:0", "setitem:0")]
    assert gradients == [[0, 3], [0, 1], [1, 1]]


def test_that_an_operation_with_several_outputs_has_a_leaf_for_each():
    def forward(_self, x):
        values, _ = x.max(0)
        first, second = x.chunk(2, 1)
        return values.sum() + (first * 2 + second * 3).sum()

    x = torch.tensor([[1.0, 5.0], [2.0, 4.0]], requires_grad=True)
    session = Session(Running(forward), ["max:0", "chunk:0"]).step(lambda m: m(x))
    assert session.value(Slot.OUTPUT, "max:0", "out.0") == [2, 5]
    assert session.value(Slot.OUTPUT, "max:0", "out.1") == [1, 0]
    assert session.value(Slot.GRAD_OUTPUT, "max:0", "out.0") == [1, 1]
    assert session.badges(Slot.GRAD_OUTPUT, "max:0", "out.1") == [BadgeKind.INTEGER_OUTPUT]
    assert session.value(Slot.GRAD_OUTPUT, "chunk:0", "out.1") == [[3], [3]]


def test_that_calls_are_numbered_and_operations_within_a_call():
    shared = Running(lambda _self, x: x * 2 * 3)
    model = Running(lambda self, x: self.shared(self.shared(x)), shared=shared)
    session = Session(model, ["mul:1"], path="shared").step(lambda m: m(leaf(1)))
    assert [session.value(Slot.OUTPUT, "mul:1", call=call) for call in (0, 1)] == [[6], [36]]
    assert [session.value(Slot.GRAD_OUTPUT, "mul:1", call=call) for call in (0, 1)] == [[6], [1]]


def test_that_a_recursion_has_scopes_of_its_own():
    def forward(self, x, depth=2):
        y = x * 2
        return self(y, depth - 1) + y if depth else y

    session = Session(Running(forward), ["mul:0", "add:0"]).step(lambda m: m(leaf(1)))
    assert [session.value(Slot.OUTPUT, "mul:0", call=call) for call in (0, 1, 2)] == [[2], [4], [8]]
    assert [session.value(Slot.OUTPUT, "add:0", call=call) for call in (0, 1)] == [[14], [12]]


def test_that_why_there_is_no_gradient_is_said():
    def forward(_self, x):
        unused = x + 1
        with torch.no_grad():
            x - 1
        return (x * 2).sum() + unused.detach().sum() * 0

    session = Session(Running(forward), ["add:0", "sub:0", "detach:0"]).step(lambda m: m(leaf(1)))
    assert session.badges(Slot.GRAD_OUTPUT, "add:0") == [BadgeKind.NO_GRADIENT_REACHED]
    assert session.badges(Slot.GRAD_OUTPUT, "sub:0") == [BadgeKind.NO_GRAD_MODE]
    assert session.badges(Slot.GRAD_OUTPUT, "detach:0") == [BadgeKind.OUTPUT_NEEDS_NO_GRAD]


def test_that_an_operation_that_did_not_run_says_so():
    session = Session(Running(lambda _self, x, again: x * 2 * 3 if again else x * 2), ["mul:1"])
    session.step(lambda m: m(leaf(1), True))
    assert session.value(Slot.OUTPUT, "mul:1") == [6]
    session.step(lambda m: m(leaf(1), False), number=2)
    assert session.badges(Slot.OUTPUT, "mul:1") == [BadgeKind.NEVER_CALLED]


def test_that_an_operation_is_unchecked_between_forward_and_backward():
    session = Session(Running(lambda _self, x: x * 2 + 1), ["mul:0", "add:0"])

    def run(model):
        output = model(leaf(1))
        session.check("add:0")
        return output

    session.step(run)
    assert session.value(Slot.GRAD_OUTPUT, "add:0") == [1]
    assert session.value(Slot.GRAD_OUTPUT, "mul:0") is None


def test_that_checks_may_change_while_the_module_runs():
    def forward(_self, x):
        y = x * 2
        session.check()
        return y * 3

    session = Session(Running(forward), ["mul:0", "mul:1"])
    session.step(lambda m: m(leaf(1)))
    assert session.value(Slot.OUTPUT, "mul:0") == [2]
    assert session.value(Slot.OUTPUT, "mul:1") is None
    assert no_trace_on(session.model)


def test_that_a_recomputation_is_marked():
    block = Running(lambda _self, x: x * 2 * 3)
    model = Running(lambda self, x: checkpoint(self.block, x, use_reentrant=True), block=block)
    session = Session(model, ["mul:0"], path="block").step(lambda m: m(leaf(1)))
    assert session.badges(Slot.GRAD_OUTPUT, "mul:0") == [BadgeKind.NO_GRAD_MODE]
    assert session.badges(Slot.OUTPUT, "mul:0", call=1) == [BadgeKind.RECOMPUTED]
    assert session.value(Slot.GRAD_OUTPUT, "mul:0", call=1) == [3]


def test_that_a_module_in_a_thread_of_its_own_is_watched_there():
    results = []

    def run(model):
        thread = threading.Thread(target=lambda: results.append(model(leaf(1))))
        thread.start()
        thread.join()
        return results[0]

    session = Session(Running(lambda _self, x: x * 2), ["mul:0"]).step(run)
    assert session.value(Slot.OUTPUT, "mul:0") == [2]
    assert session.value(Slot.GRAD_OUTPUT, "mul:0") == [1]
