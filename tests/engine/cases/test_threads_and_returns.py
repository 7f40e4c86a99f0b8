"""What a hook returns, and on which thread it runs."""

import threading

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from hookscope.protocol.identity import Slot
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_case_032_a_checkpointed_region_computes_the_same_twice():
    layer = linear(TWO)
    x = torch.ones(1, 2, requires_grad=True)
    seen = step(layer, lambda m: checkpoint(m, x, use_reentrant=False).square().sum())
    assert [seen.value("", Slot.INPUT, "args.0", call) for call in (0, 1)] == [[[1, 1]], [[1, 1]]]
    assert seen.value("", Slot.OUTPUT, "out") == [[2, 2]]
    assert x.grad.tolist() == [[8, 8]]


def test_case_043_a_forward_hook_of_ours_replaces_nothing():
    returned = []

    class Choosy(nn.Module):
        def forward(self, x):
            returned.append(x * 2)
            return returned[-1]

    model = Choosy()
    results = []
    step(model, lambda m: results.append(m(torch.ones(2, requires_grad=True))) or results[0].sum())
    assert results[0] is returned[0]


def test_case_044_a_gradient_passes_every_hook_of_ours_unchanged():
    model = nn.Sequential(linear(TWO), linear(TWO))
    x = torch.ones(1, 2, requires_grad=True)
    gradients = []

    def run(m):
        hidden = m[0](x)
        hidden.register_hook(lambda gradient: gradient * 10)
        hidden.register_hook(gradients.append)
        return m[1](hidden).sum()

    seen = step(model, run)
    assert gradients[0].tolist() == [[20, 20]]
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[20, 20]]  # what the user's own hook has made of it
    assert x.grad.tolist() == [[40, 40]]


def test_case_079_gradients_are_captured_when_backward_runs_on_another_thread():
    model = nn.Sequential(linear(TWO), linear(TWO))

    class OnAThread:
        def __init__(self, loss):
            self.loss = loss

        def backward(self):
            thread = threading.Thread(target=self.loss.backward)
            thread.start()
            thread.join()

    seen = step(model, lambda m: OnAThread(m(torch.ones(1, 2)).sum()))
    assert seen.value("0", Slot.GRAD_OUTPUT, "out") == [[2, 2]]
    assert seen.value("0", Slot.PARAMETER_GRAD, "weight") == [[2, 2], [2, 2]]
