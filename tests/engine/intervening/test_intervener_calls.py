"""Which call and which leaf an intervention means: shared modules, checkpointing, nested values, keywords."""

import dataclasses
import threading
from typing import NamedTuple

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensor_changes import Add, Change, Clamp, Expression, FromStep, Noise, Scale, StopGradient, Zero
from tests.engine.intervening.running import Session, gradients, same
from tests.engine.observing import linear


class Unrolled(nn.Module):
    """Calls one module three times, each time within a checkpoint if that is wanted."""

    def __init__(self, wrap=None, starts=False):
        super().__init__()
        self.cell = linear([[2, 0], [0, 2]])
        self.wrap = wrap
        self.starts = starts

    def part(self, h):
        return torch.tanh(self.cell(h))

    def forward(self, x):
        hs = [x] if not self.starts else [x, x + 1, x - 1]
        for index in range(3):
            h = hs[index] if self.starts else hs[-1]
            hs.append(self.part(h) if self.wrap is None else self.wrap(self.part, h))
        return torch.stack(hs[-3:]).sum()


def non_reentrant(function, *args):
    return checkpoint(function, *args, use_reentrant=False)


def reentrant(function, *args):
    return checkpoint(function, *args, use_reentrant=True)


def test_that_one_call_of_a_shared_module_is_meant():
    model = Unrolled()
    x = torch.ones(1, 2)
    session = Session(model, Intervention(1, "cell", Slot.OUTPUT, Add(100), call=1)).run(lambda m: m(x))
    assert session.marked() == {("cell", Slot.OUTPUT, "out", 1): "1"}
    assert (session.status.applied, session.status.changed) == (1, 2)
    session = Session(Unrolled(), Intervention(1, "cell", Slot.OUTPUT, Add(100))).run(lambda m: m(x))
    assert session.status.applied == 3
    assert [ref.call for ref in session.status.refs] == [0, 1, 2]


def test_that_one_calls_share_of_a_gradient_is_meant():
    x = torch.ones(1, 2, requires_grad=True)

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = linear([[2, 0], [0, 2]])

        def forward(self, x):
            return (self.cell(x) + 3 * self.cell(x)).sum()

    session = Session(Twice(), Intervention(1, "cell", Slot.GRAD_INPUT, Zero(), call=1)).run(lambda m: m(x * 1))
    assert x.grad.tolist() == [[2, 2]]
    assert session.value("cell", Slot.GRAD_INPUT, "args.0", 0) == [[2, 2]]
    assert session.value("cell", Slot.GRAD_INPUT, "args.0", 1) == [[0, 0]]
    x.grad = None
    Session(Twice(), Intervention(1, "cell", Slot.GRAD_OUTPUT, Zero(), call=0)).run(lambda m: m(x * 1))
    assert x.grad.tolist() == [[6, 6]]


@pytest.mark.parametrize("wrap", [non_reentrant, reentrant])
@pytest.mark.parametrize("starts", [False, True])
@pytest.mark.parametrize("call", [None, 0, 2])
@pytest.mark.parametrize("slot", [Slot.INPUT, Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.GRAD_INPUT])
def test_that_checkpointing_changes_nothing(wrap, starts, call, slot):
    changes: list[Change] = [Clamp(-0.5, 0.5), Noise(0.3), Expression("x + call")]
    if slot is Slot.OUTPUT and call is not None and wrap is non_reentrant:  # the other kind wants a gradient of each
        changes.append(StopGradient())
    for change in changes:
        plain, wrapped = Unrolled(starts=starts), Unrolled(wrap, starts=starts)
        losses = {}
        grads = {}
        for name, model in (("plain", plain), ("wrapped", wrapped)):
            x = torch.tensor([[0.3, -0.2]], requires_grad=True)
            session = Session(model, Intervention(1, "cell", slot, change, call=call))
            with session.step():
                losses[name] = model(x)
                losses[name].backward()
            grads[name] = {"x": x.grad, **gradients(model)}
            assert session.status.idle is None
        assert torch.equal(losses["plain"], losses["wrapped"])
        assert same(grads["plain"], grads["wrapped"]), change


@pytest.mark.parametrize("wrap", [lambda function, x: function(x), non_reentrant, reentrant])
def test_that_backward_may_run_on_another_thread_as_that_of_a_device_does(wrap):
    model, x = Unrolled(wrap, starts=True), torch.tensor([[0.3, -0.2]], requires_grad=True)
    interventions = [
        Intervention(number, "cell", slot, Expression("x * 2 + call"), call=1)
        for number, slot in enumerate((Slot.INPUT, Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.GRAD_INPUT))
    ]
    found = []
    for runs_elsewhere in (False, True):
        x.grad = None
        session = Session(model, *interventions)
        with session.step():
            loss = model(x)
            if runs_elsewhere:
                thread = threading.Thread(target=loss.backward)
                thread.start()
                thread.join()
            else:
                loss.backward()
        session.close()
        assert all(status.applied for status in session.intervener.statuses())
        found.append(x.grad)
    assert torch.equal(*found)


@pytest.mark.parametrize("change", [Clamp(-0.5, 0.5), Expression("x * x")])
@pytest.mark.parametrize("slot", [Slot.INPUT, Slot.OUTPUT])
def test_that_a_recomputation_may_stop_within_a_change(change, slot):
    found = []
    for wrapped in (False, True):
        cell, x = nn.Tanh(), torch.tensor([[0.3, -0.2]], requires_grad=True)
        session = Session(cell, Intervention(1, "", slot, change))
        session.run(lambda m, x=x, wrapped=wrapped: (non_reentrant(m, x * 1) if wrapped else m(x * 1)).sum())
        found.append(x.grad)
    assert torch.equal(*found)


def test_that_a_recomputed_call_is_marked_as_the_capture_of_its_own_that_it_is():
    model = Unrolled(non_reentrant, starts=True)
    x = torch.tensor([[0.3, -0.2]], requires_grad=True)
    session = Session(model, Intervention(1, "cell", Slot.INPUT, Add(1), call=2)).run(lambda m: m(x))
    refs = [ref.call for ref in session.status.refs]
    assert refs[0] == 2
    assert len(refs) == 2
    assert refs[1] > 2
    assert set(session.marked()) == {("cell", Slot.INPUT, "args.0", call) for call in refs}


def test_that_a_checkpoint_within_a_checkpoint_changes_nothing():
    class Nested(nn.Module):
        def __init__(self, wrap):
            super().__init__()
            self.cell = linear([[2, 1], [0, 2]])
            self.wrap = wrap

        def inner(self, x):
            return torch.tanh(self.cell(x))

        def outer(self, x):
            return self.wrap(self.inner, torch.sin(self.wrap(self.inner, x)))

        def forward(self, x):
            return self.wrap(self.outer, x).sum()

    found = []
    for wrap in (lambda function, x: function(x), non_reentrant):
        model, x = Nested(wrap), torch.tensor([[0.3, -0.2]], requires_grad=True)
        Session(model, Intervention(1, "cell", Slot.OUTPUT, Noise(0.5), call=1)).run(lambda m, x=x: m(x))
        found.append({"x": x.grad, **gradients(model)})
    assert same(*found)


# -- leaves ---------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@dataclasses.dataclass(frozen=True)
class Box:
    value: torch.Tensor
    other: object = None


class Nesting(nn.Module):
    """Takes and returns a container."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, x, *, more):
        found = self.make(x, more["y"])
        assert type(more) is dict
        return found


class Using(nn.Module):
    def __init__(self, make, use):
        super().__init__()
        self.inner = Nesting(make)
        self.use = use

    def forward(self, x):
        more = {"y": 3 * x, "kept": object()}
        found = self.inner(2 * x, more=more)
        return sum(tensor.sum() for tensor in self.use(found))


MAKERS = {
    "tuple": (lambda a, b: (a, b), lambda f: f, "out.1"),
    "list": (lambda a, b: [a, {"b": b}], lambda f: (f[0], f[1]["b"]), "out.1.b"),
    "dict": (lambda a, b: {"a": a, "b": b}, lambda f: (f["a"], f["b"]), "out.b"),
    "named": (Pair, lambda f: (f.left, f.right), "out.1"),
    "dataclass": (lambda a, b: Box(a, Pair(b, b * 0)), lambda f: (f.value, f.other.left), "out.other.0"),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_that_a_leaf_of_a_nested_output_is_changed_and_its_container_keeps_its_kind(kind):
    make, use, leaf = MAKERS[kind]
    kinds = []

    def noting(found):
        kinds.append(type(found))
        return use(found)

    x = torch.ones(1, requires_grad=True)
    session = Session(
        Using(make, noting),
        Intervention(1, "inner", Slot.OUTPUT, Scale(10), leaf=leaf),
        Intervention(2, "inner", Slot.GRAD_OUTPUT, Scale(-1), leaf=leaf),
    ).run(lambda m: m(x))
    assert x.grad.tolist() == [2 - 30]
    assert kinds == [type(make(x, x))]
    assert session.value("inner", Slot.OUTPUT, leaf) == [30]


def test_that_a_keyword_and_its_gradient_are_changed():
    x = torch.ones(1, requires_grad=True)
    session = Session(
        Using(*MAKERS["tuple"][:2]),
        Intervention(1, "inner", Slot.INPUT, Scale(10), leaf="kwargs.more.y"),
        Intervention(2, "inner", Slot.GRAD_INPUT, Scale(-1), leaf="kwargs.more.y"),
    ).run(lambda m: m(x))
    assert x.grad.tolist() == [2 - 30]
    assert session.value("inner", Slot.INPUT, "kwargs.more.y") == [30]
    assert session.value("inner", Slot.GRAD_INPUT, "kwargs.more.y") == [-1]


def test_that_one_of_three_uses_of_a_tensor_is_changed():
    class Attention(nn.Module):
        def forward(self, q, k, *, v):
            return q * 2 + k * 3 + v * 5

    for slot, expected in ((Slot.INPUT, 2 + 0 + 5), (Slot.GRAD_INPUT, 2 + 0 + 5)):
        x = torch.ones(1, requires_grad=True)
        session = Session(Attention(), Intervention(1, "", slot, Scale(0), leaf="args.1"))

        def run(m, x=x):
            y = x * 1
            return m(y, y, v=y).sum()

        session.run(run)
        assert x.grad.tolist() == [expected]
        assert session.marked() == {("", slot, "args.1", 0): "1"}


def test_that_a_list_that_the_module_changes_is_changed_for_its_caller():
    class Caching(nn.Module):
        def forward(self, x, cache):
            cache.append(x * cache[0])
            return cache[-1]

    cache = [torch.ones(1)]
    first = cache[0]
    session = Session(Caching(), Intervention(1, "", Slot.INPUT, Scale(7), leaf="args.1.0"))
    with session.step():
        assert session.model(torch.ones(1), cache).item() == 7
    assert cache[0] is first
    assert len(cache) == 2


def test_that_the_leaf_may_be_left_out_where_only_one_has_a_gradient():
    class Masked(nn.Module):
        def forward(self, x, mask):
            return (x * mask).sum()

    x = torch.ones(2, requires_grad=True)
    session = Session(Masked(), Intervention(1, "", Slot.GRAD_INPUT, Scale(4)))
    session.run(lambda m: m(x * 1, torch.tensor([1.0, 0.0])))
    assert x.grad.tolist() == [4, 0]


def test_that_an_output_that_is_a_parameter_is_changed():
    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self):
            return self.weight

    model = Table()
    Session(model, Intervention(1, "", Slot.GRAD_OUTPUT, Scale(4))).run(lambda m: m().sum())
    assert model.weight.grad.tolist() == [4, 4]


def test_that_users_hooks_run_before_and_see_nothing_of_it():
    model = nn.Sequential(linear([[1.0]]), nn.ReLU())
    seen = []
    session = Session(model, Intervention(1, "0", Slot.OUTPUT, Add(10)), Intervention(2, "0", Slot.INPUT, Add(1)))
    session.intervener.set((), session.modules)
    model[0].register_forward_hook(lambda _m, _a, out: seen.append(out.item()))
    model[0].register_forward_pre_hook(lambda _m, args: seen.append(args[0].item()))
    session.intervener.set((Intervention(1, "0", Slot.OUTPUT, Add(10)),), session.modules)
    session.run(lambda m: m(torch.ones(1, 1)).sum())
    assert seen == [1, 1]
    assert session.value("0", Slot.OUTPUT, "out") == [[11]]


def test_that_what_another_step_captured_can_be_put_in_place():
    session = Session(Unrolled()).run(lambda m: m(torch.tensor([[0.5, 0.1]])))
    before = [session.value("cell", Slot.OUTPUT, "out", call) for call in range(3)]
    session.intervener.set((Intervention(4, "cell", Slot.OUTPUT, FromStep(1), call=1),), session.modules)
    assert session.intervener.sources == {1}
    session.run(lambda m: m(torch.zeros(1, 2)))
    assert session.value("cell", Slot.OUTPUT, "out", 0) == [[0, 0]]
    assert [session.value("cell", Slot.OUTPUT, "out", call) for call in (1, 2)] == before[1:]
