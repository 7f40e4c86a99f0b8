"""Capture of values: the right tensor in every slot, or the reason why there is none."""

import dataclasses

import pytest
import torch
from torch import nn

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


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
