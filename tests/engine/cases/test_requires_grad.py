"""What requires grad, and what is said where no gradient comes."""

import pytest
import torch
from torch import nn

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_case_010_the_first_layer_has_a_grad_output_and_a_reason_for_no_grad_input():
    model = nn.Sequential(nn.Sequential(linear(TWO), nn.ReLU()), linear([[1.0, 1.0]]))
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    for path in ("", "0", "0.0"):
        assert seen.badges(path, Slot.GRAD_INPUT, "args.0") == [BadgeKind.INPUT_NEEDS_NO_GRAD]
    arrivals = [c.ref.path for c in seen.order if c.ref.slot is Slot.GRAD_OUTPUT and c.spec is not None]
    assert max(arrivals.index(""), arrivals.index("1")) < arrivals.index("0.0")


def test_case_011_a_frozen_layer_on_a_plain_input():
    model = nn.Sequential(linear(TWO), linear(TWO))
    model[0].requires_grad_(False)
    seen = step(model, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.badges("0", Slot.PARAMETER_GRAD, "weight") == [BadgeKind.FROZEN]
    assert seen.badges("0", Slot.GRAD_OUTPUT, "out") == [BadgeKind.OUTPUT_NEEDS_NO_GRAD]
    assert seen.value("1", Slot.GRAD_OUTPUT, "out") == [[1, 1]]


def test_case_012_no_grad_and_inference_mode_are_forward_only():
    for mode in (torch.no_grad, torch.inference_mode):

        def run(m, mode=mode):
            with mode():
                m(torch.ones(1, 2))
            return torch.ones(1, requires_grad=True).sum()

        seen = step(linear(TWO), run)
        assert seen.value("", Slot.OUTPUT, "out") == [[2, 2]]
        assert seen.badges("", Slot.GRAD_OUTPUT, "out") == [BadgeKind.NO_GRAD_MODE]


@pytest.mark.parametrize("make", [lambda x: x.argmax(-1), lambda x: x > 0], ids=["int", "bool"])
def test_case_013_integer_and_bool_outputs(make):
    class Making(nn.Module):
        def forward(self, x):
            return make(x), x * 2

    x = torch.ones(2, requires_grad=True)
    seen = step(Making(), lambda m: m(x)[1].sum())
    assert seen.badges("", Slot.GRAD_OUTPUT, "out.0") == [BadgeKind.INTEGER_OUTPUT]
    assert seen.value("", Slot.GRAD_OUTPUT, "out.1") == [1, 1]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [2, 2]


def test_case_019_an_unused_output_of_two_has_no_gradient_rather_than_zero():
    class Halves(nn.Module):
        def forward(self, x):
            return x.chunk(2)

    x = torch.ones(4, requires_grad=True)
    seen = step(Halves(), lambda m: m(x)[0].sum())
    assert seen.value("", Slot.GRAD_OUTPUT, "out.0") == [1, 1]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out.1") == [BadgeKind.NO_GRADIENT_REACHED]
    assert seen.tensor("", Slot.GRAD_OUTPUT, "out.1") is None
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [1, 1, 0, 0]


def test_case_081_what_is_detached_or_not_part_of_the_loss_is_said():
    class Cut(nn.Module):
        def __init__(self):
            super().__init__()
            self.detached = linear(TWO)
            self.unused = linear(TWO)
            self.used = linear(TWO)

        def forward(self, x):
            self.unused(x)
            return self.used(self.detached(x).detach())

    seen = step(Cut(), lambda m: m(torch.ones(1, 2)).sum())
    for path in ("detached", "unused"):
        assert seen.badges(path, Slot.GRAD_OUTPUT, "out") == [BadgeKind.NO_GRADIENT_REACHED]
        assert seen.badges(path, Slot.PARAMETER_GRAD, "weight") == [BadgeKind.NO_GRADIENT_REACHED]


def test_case_053_gradients_by_autograd_grad_reach_the_output_below():
    model = nn.Sequential(linear(TWO), linear(TWO))
    x = torch.ones(1, 2, requires_grad=True)

    def run(m):
        loss = m(x).sum()
        (gradient,) = torch.autograd.grad(loss, x, retain_graph=True)
        assert gradient.tolist() == [[4, 4]]
        return loss

    seen = step(model, run)
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[2, 2]]
    assert BadgeKind.LATER_PASS in seen.badges("0", Slot.GRAD_OUTPUT, "out")


def test_case_076_the_users_input_is_never_made_to_require_grad():
    x = torch.ones(1, 2)
    step(linear(TWO), lambda m: m(x).sum())
    assert not x.requires_grad
    assert x.grad is None
