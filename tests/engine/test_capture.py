"""Capture of values: the right tensor in every slot, and a model that does not notice."""

import copy
import dataclasses
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
