"""Capture leaves no trace: private copies, nothing kept alive, and a model that does not notice."""

import copy
import gc
import pickle
import weakref

import pytest
import torch
from torch import nn

from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_that_captures_are_copies():
    kept = []

    class Keeping(nn.Module):
        def forward(self, x):
            kept.append(x * 2)
            return kept[0]

    x = torch.ones(2, requires_grad=True)
    seen = step(Keeping(), lambda m: m(x).sum())
    with torch.no_grad():
        kept[0].fill_(7)
    assert seen.value("", Slot.OUTPUT, "out") == [2, 2]


def test_that_no_activation_outlives_the_step():
    references = []

    class Watched(nn.Module):
        def forward(self, x):
            y = x * 2
            references.append(weakref.ref(y))
            return y * 1

    step(Watched(), lambda m: m(torch.ones(2, requires_grad=True)).sum())
    gc.collect()
    assert references[0]() is None


def test_that_a_model_can_be_copied_and_pickled_while_it_is_hooked():
    model = nn.Sequential(linear(TWO))
    copies = []

    def run(m):
        copies.extend([copy.deepcopy(m), pickle.loads(pickle.dumps(m))])
        return m(torch.ones(1, 2)).sum()

    seen = step(model, run)
    before = len(seen.order)
    for other in copies:
        assert other(torch.ones(1, 2)).tolist() == [[2, 2]]
    assert len(seen.order) == before


def test_that_an_exception_caught_by_the_model_does_not_confuse_the_calls():
    class Failing(nn.Module):
        def forward(self, x):
            raise ValueError("not today")

    class Tolerant(nn.Module):
        def __init__(self):
            super().__init__()
            self.bad = Failing()
            self.good = linear(TWO)

        def forward(self, x):
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    seen = step(Tolerant(), lambda m: m(torch.ones(1, 2)).sum())
    assert seen.badges("bad", Slot.OUTPUT, "out") == [BadgeKind.DID_NOT_RETURN]
    assert seen.value("", Slot.OUTPUT, "out") == [[2, 2]]


def test_that_an_abort_is_not_swallowed_by_the_model():
    gate = Gate()

    class Stubborn(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            gate.abort_wanted = True
            try:
                return self.layer(x)
            except Exception:
                return x

    with pytest.raises(StepAborted):
        step(Stubborn(), lambda m: m(torch.ones(1, 2)).sum(), gate=gate)


def test_that_an_abort_in_backward_leaves_the_earlier_layers_untouched():
    gate = Gate()
    model = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 1))

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        gate.abort_wanted = True
        return loss

    with pytest.raises(StepAborted):
        step(model, run, paths=("0",), gate=gate)
    assert model[0].weight.grad is None
    assert model[2].weight.grad is not None


def test_that_beyond_the_budget_only_the_values_are_missing():
    seen = step(nn.Sequential(nn.Linear(100, 100)), lambda m: m(torch.ones(10, 100)).sum(), budget_bytes=1000)
    capture = seen.capture("0", Slot.OUTPUT, "out")
    assert capture.spec.shape == (10, 100)
    assert seen.badges("0", Slot.OUTPUT, "out") == [BadgeKind.OVER_BUDGET]
    assert seen.tensor("0", Slot.OUTPUT, "out") is None


def dropout_net():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.Dropout(0.5),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 4 * 4, 8),
        nn.Unflatten(1, (2, 4)),
        nn.MultiheadAttention(4, 2, batch_first=True),
    )


class Attending(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = dropout_net()

    def forward(self, x):
        for layer in list(self.stack)[:-1]:
            x = layer(x)
        return self.stack[-1](x, x, x)[0]


def test_that_the_model_does_not_notice():
    def train(observed):
        model = Attending()
        torch.manual_seed(1)
        x = torch.randn(2, 3, 8, 8)
        hooks_before = [dict(vars(module)) for module in model.modules()]
        if observed:
            step(model, lambda m: m(x).square().mean())
            assert [sorted(vars(module)) for module in model.modules()] == [sorted(d) for d in hooks_before]
            assert all(not module._forward_hooks and not module._forward_pre_hooks for module in model.modules())
            assert all(not p._post_accumulate_grad_hooks for p in model.parameters())
        else:
            model(x).square().mean().backward()
        state = {name: value.clone() for name, value in model.state_dict().items()}
        return state, {n: p.grad for n, p in model.named_parameters()}, torch.get_rng_state()

    bare, observed = train(False), train(True)
    assert all(torch.equal(bare[0][name], observed[0][name]) for name in bare[0])
    assert all(torch.equal(bare[1][name], observed[1][name]) for name in bare[1])
    assert torch.equal(bare[2], observed[2])
