"""Operations are watched, and the model does not notice: every bit, every object and every mode is as it was."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.operating import Running, Session, leaf, names, no_trace_on


class Attention(nn.Module):
    """Attention of its own making, with dropout, a view, operations in place and children."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.norm = nn.BatchNorm1d(4)
        self.out = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        weights = functional.dropout(functional.softmax(q @ k.transpose(-1, -2) / 8**0.5, -1), 0.5)
        y = (weights @ v).view(-1, 4, 8)
        y += x
        y.relu_()
        return (self.out(y) + functional.scaled_dot_product_attention(q, k, v)).square().mean()


def one_step(model: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    torch.manual_seed(0)
    model.zero_grad()
    loss = model(x)
    loss.backward()
    return [loss, *(p.grad.clone() for p in model.parameters()), *(b.clone() for b in model.buffers()), torch.randn(1)]


def test_that_losses_gradients_buffers_and_random_numbers_keep_every_bit():
    torch.manual_seed(1)
    model, x = Attention(), torch.randn(2, 4, 8)
    twin = Attention()
    twin.load_state_dict(model.state_dict())
    expected = one_step(twin, x)
    session = Session(model, names(twin, "", x), gate=Gate())
    seen: list[torch.Tensor] = []

    def run(model: nn.Module) -> torch.Tensor:
        seen.extend(one_step(model, x))
        return seen[0].detach().requires_grad_()

    session.step(run)
    assert all(torch.equal(one, other) for one, other in zip(seen, expected, strict=True))
    assert session.value(Slot.OUTPUT, "scaled_dot_product_attention:0") is not None
    assert session.value(Slot.GRAD_OUTPUT, "add_:0") is not None
    session.check()
    assert no_trace_on(model)


def test_that_the_very_same_object_comes_back():
    def forward(_self, x):
        y = x.relu_()
        assert y is x
        result = x.max(0)
        assert type(result) is torch.return_types.max
        return result.values

    Session(Running(forward), ["relu_:0", "max:0"]).step(lambda m: m(leaf(1, 2) * 1))


def test_that_without_checked_operations_nothing_is_on_the_model():
    active = []
    model = Running(lambda _self, x: active.extend(_get_current_function_mode_stack()) or x * 2)
    Session(model, []).step(lambda m: m(leaf(1)))
    assert active == []
    assert no_trace_on(model)


def test_that_the_mode_is_active_only_while_the_module_runs():
    active = []

    def note(*_args):
        active.append(len(_get_current_function_mode_stack()))

    inner = Running(lambda _self, x: note() or x * 2)
    model = Running(lambda self, x: (note(), self.inner(x), note())[1], inner=inner)
    Session(model, ["mul:0"], path="inner").step(lambda m: m(leaf(1)))
    assert active == [0, 1, 0]


class Counting(TorchFunctionMode):
    """A mode of the user's."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_that_an_exception_that_the_model_catches_leaves_its_own_modes_in_order():
    mode = Counting()

    def fail(_self, x):
        raise ValueError(x * 2)

    def forward(self, x):
        stacks.append(_get_current_function_mode_stack())
        try:
            with mode:
                self.inner(x)
        except ValueError:
            stacks.append(_get_current_function_mode_stack())
        return x * 3

    stacks = []
    session = Session(Running(forward, inner=Running(fail)), ["mul:0"], path="inner")
    session.step(lambda m: m(leaf(1)))
    assert stacks == [[], []]
    assert session.value(Slot.OUTPUT, "mul:0") == [2]


def test_that_an_abort_ends_the_step_at_an_operation_and_the_modes_are_as_before():
    gate = Gate()
    mode = Counting()

    def forward(self, x):
        with mode:
            return self.inner(x)

    def abort(_self, x):
        gate.abort_wanted = True
        return x * 2

    model = Running(forward, inner=Running(abort))
    session = Session(model, ["mul:0"], path="inner", gate=gate)
    with pytest.raises(StepAborted):
        session.step(lambda m: m(leaf(1)))
    assert _get_current_function_mode_stack() == []
    gate.reset()
    model.inner._own_forward = lambda _self, x: x * 2
    session.step(lambda m: m(leaf(1)), number=2)
    assert session.value(Slot.OUTPUT, "mul:0") == [2]


def test_that_a_mode_that_the_model_turns_on_for_good_stays_on():
    mode = Counting()
    model = Running(lambda _self, x: mode.__enter__() and x * 2)
    Session(model, ["mul:0"]).step(lambda m: m(leaf(1)))
    assert _get_current_function_mode_stack() == [mode]
    mode.__exit__(None, None, None)


def test_that_hooks_of_ours_on_the_same_module_are_no_operations():
    model = Running(lambda _self, x: x * 2)
    session = Session(model, ["mul:0", "detach:0", "copy_:0", "empty_like:0"])
    session.recorder.watch({"": model})  # its hooks come after those of the operations, and so run within them
    session.step(lambda m: m(leaf(1)))
    assert session.value(Slot.OUTPUT, "mul:0") == [2]
    for name in ("detach:0", "copy_:0", "empty_like:0"):
        assert session.badges(Slot.OUTPUT, name) == [BadgeKind.NEVER_CALLED]


def test_that_compiled_code_within_the_module_neither_fails_nor_compiles_our_mode():
    compiled = torch.compile(lambda x: torch.relu(x) * 2, backend="eager", fullgraph=True)
    model = Running(lambda _self, w, x: w * compiled(x) + 3)
    x = torch.ones(1)
    assert model(leaf(1), x).tolist() == [5]
    session = Session(model, ["mul:0", "add:0"]).step(lambda m: m(leaf(1), x))
    assert session.value(Slot.OUTPUT, "add:0") == [5]
    assert model(leaf(1), x).tolist() == [5]
