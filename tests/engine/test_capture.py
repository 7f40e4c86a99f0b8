"""Capture of values: the right tensor in every slot, or the reason why there is none."""

import dataclasses

import pytest
import torch
from torch import nn

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_that_a_layer_before_an_in_place_relu_keeps_its_own_values():
    model = nn.Sequential(linear([[1, 2], [3, -4]]), nn.ReLU(inplace=True), linear([[1, 1]]))
    seen = step(model, lambda m: m(torch.ones(1, 2, requires_grad=True) * 1).sum())
    assert seen.value("0", Slot.OUTPUT, "out") == [[3, -1]]
    assert seen.value("1", Slot.INPUT, "args.0") == [[3, -1]]
    assert seen.badges("1", Slot.INPUT, "args.0") == [BadgeKind.MODIFIED_IN_PLACE]
    assert seen.value("1", Slot.OUTPUT, "out") == [[3, 0]]
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[1, 0]]
    assert seen.value("0", Slot.GRAD_INPUT, "args.0") == [[1, 2]]
    assert seen.value("1", Slot.GRAD_INPUT, "args.0") == [[1, 0]]
    assert seen.value("0", Slot.PARAMETER_GRAD, "weight") == [[1, 1], [0, 0]]


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = linear(TWO)

    def forward(self, x):
        o = self.b(x)
        o += x
        return o


def test_that_an_in_place_residual_leaves_the_gradients_of_its_branch_right():
    seen = step(Residual(), lambda m: m(torch.ones(1, 2, requires_grad=True) * 1).sum())
    assert seen.value("b", Slot.OUTPUT, "out") == [[2, 2]]
    assert seen.value("", Slot.OUTPUT, "out") == [[3, 3]]
    assert seen.value("b", Slot.GRAD_OUTPUT, "out") == [[1, 1]]
    assert seen.value("b", Slot.GRAD_INPUT, "args.0") == [[2, 2]]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [[3, 3]]


class ViewThenChanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = ViewOfLinear()

    def forward(self, x):
        return self.inner(x).mul_(3)


class ViewOfLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = linear(TWO)

    def forward(self, x):
        return self.layer(x).view(1, 2, 1)


def test_that_a_view_modified_in_place_gets_its_gradient_from_the_base():
    x = torch.ones(1, 2, requires_grad=True)
    seen = step(ViewThenChanged(), lambda m: m(x).sum())
    assert seen.value("inner", Slot.OUTPUT, "out") == [[[2], [2]]]
    assert seen.value("inner", Slot.GRAD_OUTPUT, "out") == [[[3], [3]]]
    assert seen.badges("inner", Slot.GRAD_OUTPUT, "out") == [BadgeKind.FROM_BASE]
    assert x.grad.tolist() == [[6, 6]]


@dataclasses.dataclass
class Result:
    h: torch.Tensor


@pytest.mark.parametrize(
    ("pack", "leaf"),
    [
        (lambda t: {"h": t, "n": None}, "out.h"),
        (Result, "out.h"),
        (lambda t: [t, 7], "out.0"),
        (lambda t: ("text", (t,)), "out.1.0"),
    ],
    ids=["dict", "dataclass", "list", "nested tuple"],
)
def test_that_every_container_of_outputs_is_entered(pack, leaf):
    class Packing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            self.made = self.layer(x)
            return pack(self.made)

    x = torch.ones(1, 2, requires_grad=True)
    model = Packing()

    def run(m):
        m(x * 1)
        return m.made.sum()

    seen = step(model, run)
    assert seen.leaves("", Slot.GRAD_OUTPUT) == [leaf]
    assert seen.value("", Slot.GRAD_OUTPUT, leaf) == [[1, 1]]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [[2, 2]]


def test_that_only_the_leaf_that_the_loss_used_has_a_gradient():
    class Nested(nn.Module):
        def forward(self, x):
            return 2 * x, (3 * x, 5 * x)

    seen = step(Nested(), lambda m: m(torch.ones(2, requires_grad=True) * 1)[1][0].sum())
    assert seen.leaves("", Slot.GRAD_OUTPUT) == ["out.1.0"]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out.0") == [BadgeKind.NO_GRADIENT_REACHED]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [3, 3]


def test_that_keyword_inputs_have_gradients():
    class Product(nn.Module):
        def forward(self, *, q, k):
            return q * k

    q, k = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    seen = step(Product(), lambda m: m(q=q, k=k).sum())
    assert seen.value("", Slot.GRAD_INPUT, "kwargs.q") == [3]
    assert seen.value("", Slot.GRAD_INPUT, "kwargs.k") == [2]


def test_that_a_module_that_returns_its_input_is_labelled_and_shows_the_total():
    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.same = nn.Identity()

        def forward(self, x):
            return self.same(x) + 100 * x

    x = torch.ones(2, requires_grad=True)
    seen = step(Around(), lambda m: m(x * 1).sum())
    assert seen.value("same", Slot.GRAD_OUTPUT, "out") == [101, 101]
    assert seen.value("same", Slot.GRAD_INPUT, "args.0") == [101, 101]
    assert seen.badges("same", Slot.GRAD_INPUT, "args.0") == [BadgeKind.PASS_THROUGH]


def test_that_an_unused_input_stays_without_gradient():
    class First(nn.Module):
        def forward(self, a, b):
            return 2 * a

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.unused = linear([[1.0]])
            self.first = First()

        def forward(self, a, b):
            return self.first(a, self.unused(b))

    a, b = torch.ones(1, 1, requires_grad=True), torch.ones(1, 1, requires_grad=True)
    model = Both()
    seen = step(model, lambda m: m(a, b).sum())
    assert b.grad is None
    assert model.unused.weight.grad is None
    assert seen.badges("first", Slot.GRAD_INPUT, "args.1") == [BadgeKind.NO_PATH_TO_INPUT]
    assert seen.badges("unused", Slot.PARAMETER_GRAD, "weight") == [BadgeKind.NO_GRADIENT_REACHED]
    assert seen.badges("unused", Slot.GRAD_OUTPUT, "out") == [BadgeKind.NO_GRADIENT_REACHED]


def test_that_calls_of_a_shared_module_are_told_apart():
    class Unrolled(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = linear(TWO)

        def forward(self, h):
            for _ in range(3):
                h = self.cell(h)
            return h

    model = Unrolled()
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum(), paths=("cell",))
    assert [seen.value("cell", Slot.OUTPUT, "out", call) for call in range(3)] == [[[2, 2]], [[4, 4]], [[8, 8]]]
    assert [seen.value("cell", Slot.GRAD_OUTPUT, "out", call) for call in range(3)] == [[[4, 4]], [[2, 2]], [[1, 1]]]
    assert seen.value("cell", Slot.PARAMETER_GRAD, "weight") == [[12, 12], [12, 12]]
    arrivals = [c.ref.call for c in seen.order if c.ref.slot is Slot.GRAD_OUTPUT]
    assert arrivals == [2, 1, 0]


def test_that_several_contributions_to_one_input_add_up():
    class Twice(nn.Module):
        def forward(self, x):
            return 2 * x + x * x

    x = torch.tensor([3.0], requires_grad=True)
    seen = step(Twice(), lambda m: m(x * 1).sum())
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [8]


def test_that_one_tensor_given_twice_is_one_entry():
    class Product(nn.Module):
        def forward(self, q, k):
            return q * k

    x = torch.tensor([3.0], requires_grad=True) * 1
    seen = step(Product(), lambda m: m(x, x).sum())
    capture = seen.capture("", Slot.GRAD_INPUT, "args.0")
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [6]
    assert capture.same_as == ("args.1",)


@pytest.mark.parametrize(
    ("run", "path", "slot", "leaf", "badge"),
    [
        (lambda m: m(torch.ones(1, 2)).sum(), "0", Slot.GRAD_INPUT, "args.0", BadgeKind.INPUT_NEEDS_NO_GRAD),
        (lambda m: m(torch.ones(1, 2)).sum(), "1", Slot.PARAMETER_GRAD, "weight", BadgeKind.FROZEN),
        (lambda m: m[0](torch.ones(1, 2)).sum(), "1", Slot.OUTPUT, "out", BadgeKind.NEVER_CALLED),
        (
            lambda m: m(torch.ones(1, 2)).detach().sum() + m[0].weight.sum(),
            "1",
            Slot.GRAD_OUTPUT,
            "out",
            BadgeKind.NO_GRADIENT_REACHED,
        ),
    ],
    ids=["input", "frozen", "never called", "detached"],
)
def test_that_an_absence_has_its_reason(run, path, slot, leaf, badge):
    model = nn.Sequential(linear(TWO), linear(TWO))
    model[1].weight.requires_grad_(False)
    seen = step(model, run)
    assert seen.badges(path, slot, leaf) == [badge]
    assert seen.tensor(path, slot, leaf) is None


def test_that_forward_without_gradients_is_said():
    model = nn.Sequential(linear(TWO), linear(TWO))

    def run(m):
        with torch.no_grad():
            hidden = m[0](torch.ones(1, 2))
        return m[1](hidden).sum()

    seen = step(model, run)
    assert seen.badges("0", Slot.GRAD_OUTPUT, "out") == [BadgeKind.NO_GRAD_MODE]
    assert seen.badges("0", Slot.GRAD_INPUT, "args.0") == [BadgeKind.NO_GRAD_MODE]
    assert seen.value("0", Slot.OUTPUT, "out") == [[2, 2]]


def test_that_inference_mode_is_captured():
    model = nn.Sequential(linear(TWO), linear(TWO))

    def run(m):
        with torch.inference_mode():
            m[0](torch.ones(1, 2))
        return m[1](torch.ones(1, 2)).sum()

    assert step(model, run).value("0", Slot.OUTPUT, "out") == [[2, 2]]
