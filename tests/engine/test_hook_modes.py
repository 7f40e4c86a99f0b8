"""Native capture to the exact value, refusals, and that the model is as before afterwards, whatever the mode."""

import copy
import pickle

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from hookscope.engine.pause import Gate, StepAborted
from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.modes import TWO, Around, Unrolled, detail, observed, with_grad
from tests.engine.observing import linear, step

HOOKS = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_is_full_backward_hook",
)
OTHER_MODES = (HookMode.NATIVE, HookMode.ALIAS, HookMode.LEGACY)


def test_that_native_gradients_are_those_of_the_full_backward_hook():
    model = nn.Sequential(linear([[1, 2], [3, -4]]), nn.Sigmoid())
    x = torch.ones(1, 2, requires_grad=True)
    delivered = []
    handle = model[0].register_full_backward_hook(lambda _m, given, taken: delivered.append((given, taken)))
    model(x).sum().backward()
    handle.remove()
    seen = observed(model, HookMode.NATIVE, lambda m: m(x).sum(), ("0",))
    ((grad_input,), (grad_output,)) = delivered[0]
    assert torch.equal(seen.tensor("0", Slot.GRAD_INPUT, "args.0"), grad_input)
    assert torch.equal(seen.tensor("0", Slot.GRAD_OUTPUT, "out"), grad_output)
    assert seen.badges("0", Slot.GRAD_INPUT, "args.0") == [BadgeKind.NATIVE]
    assert seen.badges("0", Slot.GRAD_OUTPUT, "out") == [BadgeKind.NATIVE]
    assert seen.value("0", Slot.INPUT, "args.0") == [[1, 1]]
    assert seen.value("0", Slot.OUTPUT, "out") == [[3, -1]]


def test_that_native_gradients_come_in_the_order_in_which_the_hooks_fire():
    seen = observed(
        nn.Sequential(linear(TWO), linear(TWO)), HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum(), ("", "0", "1")
    )
    gradients = [(c.ref.path, c.ref.slot) for c in seen.order if c.ref.slot in {Slot.GRAD_INPUT, Slot.GRAD_OUTPUT}]
    assert gradients == [
        ("", Slot.GRAD_OUTPUT),
        ("1", Slot.GRAD_OUTPUT),
        ("1", Slot.GRAD_INPUT),
        ("0", Slot.GRAD_OUTPUT),
        ("0", Slot.GRAD_INPUT),
        ("", Slot.GRAD_INPUT),
    ]


def test_that_native_calls_of_a_shared_module_are_told_apart():
    seen = observed(Unrolled(), HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum(), ("cell",))
    assert [seen.value("cell", Slot.GRAD_OUTPUT, "out", call) for call in range(3)] == [[4, 4], [2, 2], [1, 1]]
    assert [seen.value("cell", Slot.GRAD_INPUT, "args.0", call) for call in range(3)] == [[8, 8], [4, 4], [2, 2]]


def test_that_native_shows_the_zeros_that_the_hook_makes_of_nothing():
    class First(nn.Module):
        def forward(self, a, b):
            return 2 * a

    seen = observed(First(), HookMode.NATIVE, lambda m: m(with_grad(1), with_grad(1)).sum())
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [2]
    assert seen.value("", Slot.GRAD_INPUT, "args.1") == [0]


class Shapes(nn.Module):
    """Takes and gives tensors in every place that the full backward hook may or may not see."""

    def forward(self, x, inside, *, named):
        return x * inside[0] * named, [2 * x], x.argmax()


@pytest.mark.parametrize(
    ("slot", "leaf", "kind", "words"),
    [
        (Slot.GRAD_INPUT, "args.1.0", BadgeKind.NATIVE, "inside a container"),
        (Slot.GRAD_INPUT, "kwargs.named", BadgeKind.NATIVE, "keyword arguments"),
        (Slot.GRAD_OUTPUT, "out.1.0", BadgeKind.NATIVE, "inside a container"),
        (Slot.GRAD_OUTPUT, "out.2", BadgeKind.INTEGER_OUTPUT, ""),
    ],
)
def test_that_native_says_why_a_gradient_was_not_delivered(slot, leaf, kind, words):
    seen = observed(
        Shapes(), HookMode.NATIVE, lambda m: m(with_grad(3, 1), [with_grad(5, 5)], named=with_grad(7, 7))[0].sum()
    )
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [35, 35]
    assert seen.value("", Slot.GRAD_OUTPUT, "out.0") == [1, 1]
    assert seen.tensor("", slot, leaf) is None
    assert words in detail(seen, "", slot, leaf, kind)


def test_that_native_says_when_the_hook_does_not_fire_for_a_dict():
    class Packing(nn.Module):
        def forward(self, x):
            return {"h": 2 * x}

    seen = observed(Packing(), HookMode.NATIVE, lambda m: m(with_grad(1))["h"].sum())
    for slot, leaf in ((Slot.GRAD_OUTPUT, "out.h"), (Slot.GRAD_INPUT, "args.0")):
        assert "the output is a dict" in detail(seen, "", slot, leaf, BadgeKind.NATIVE)


def test_that_native_says_when_the_hook_does_not_fire_as_the_output_is_independent_of_the_inputs():
    class Constant(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.value * 3

    seen = observed(Constant(), HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum())
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [1, 1]
    assert "did not fire" in detail(seen, "", Slot.GRAD_INPUT, "args.0", BadgeKind.NATIVE)


@pytest.mark.parametrize(
    ("run", "slot", "leaf", "kind"),
    [
        (lambda m: m(torch.ones(2)).sum(), Slot.GRAD_INPUT, "args.0", BadgeKind.INPUT_NEEDS_NO_GRAD),
        (lambda m: m(with_grad(1, 1)).sum() * 0 + with_grad(1).sum(), Slot.GRAD_INPUT, "args.0", BadgeKind.NATIVE),
        (lambda m: m(with_grad(1, 1)).detach().sum() + with_grad(1).sum(), Slot.GRAD_OUTPUT, "out", None),
    ],
    ids=["no input requires grad", "zero is a gradient", "detached"],
)
def test_that_native_tells_an_absent_gradient_from_a_zero(run, slot, leaf, kind):
    seen = observed(linear(TWO), HookMode.NATIVE, run)
    assert seen.badges("", slot, leaf) == [kind or BadgeKind.NO_GRADIENT_REACHED]
    if kind is BadgeKind.INPUT_NEEDS_NO_GRAD:
        assert seen.value("", Slot.GRAD_OUTPUT, "out") == [1, 1]  # it fires nevertheless, and warns; we do not


def test_that_native_forward_without_gradients_is_said():
    def run(m):
        with torch.no_grad():
            m(with_grad(1, 1))
        return with_grad(1).sum()

    seen = observed(linear(TWO), HookMode.NATIVE, run)
    assert seen.badges("", Slot.GRAD_OUTPUT, "out") == [BadgeKind.NO_GRAD_MODE]
    assert seen.badges("", Slot.GRAD_INPUT, "args.0") == [BadgeKind.NO_GRAD_MODE]
    assert seen.value("", Slot.OUTPUT, "out") == [2, 2]


@pytest.mark.parametrize("mode", [HookMode.NATIVE, HookMode.LEGACY])
def test_that_a_stop_in_a_backward_hook_of_pytorch_surfaces(mode):
    gate = Gate()

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        gate.abort_wanted = True
        return loss

    model = nn.Sequential(linear(TWO), linear(TWO))
    with pytest.raises(StepAborted):
        observed(model, mode, run, ("0",), gate)
    assert model[0].weight.grad is None


@pytest.mark.parametrize("mode", OTHER_MODES)
def test_that_recomputed_calls_are_labelled_in_each_mode(mode):
    model = nn.Sequential(linear(TWO), nn.Sigmoid(), linear(TWO))
    seen = observed(
        model, mode, lambda m: checkpoint(m, with_grad(0, 0).reshape(1, 2), use_reentrant=True).sum(), ("0", "1", "2")
    )
    assert BadgeKind.RECOMPUTED in seen.badges("1", Slot.GRAD_OUTPUT, "out", 1)
    assert seen.value("1", Slot.GRAD_OUTPUT, "out", 1) == [[2, 2]]


def test_that_an_in_place_module_is_captured_exactly_and_says_why():
    model = nn.Sequential(linear([[1, 2], [3, -4]]), nn.ReLU(inplace=True), linear([[1, 1]]))
    seen = observed(model, HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum(), ("1",))
    assert seen.value("1", Slot.GRAD_OUTPUT, "out") == [1, 1]
    assert seen.value("1", Slot.GRAD_INPUT, "args.0") == [1, 0]
    assert "in place" in detail(seen, "1", Slot.GRAD_INPUT, "args.0", BadgeKind.NATIVE_REFUSED)


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook:FutureWarning")  # of the hook that the test puts on
@pytest.mark.parametrize(
    ("register", "mode"),
    [("register_backward_hook", HookMode.NATIVE), ("register_full_backward_hook", HookMode.LEGACY)],
)
def test_that_pytorch_allows_only_one_kind_of_backward_hook_on_a_module(register, mode):
    layer = linear(TWO)
    fired = []
    getattr(layer, register)(lambda *_: fired.append(1) and None)
    seen = observed(
        layer, mode, lambda m: m(with_grad(1, 1).reshape(1, 2)).sum() if False else m(with_grad(1, 1)).sum()
    )
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [1, 1]
    assert "only one kind" in detail(seen, "", Slot.GRAD_OUTPUT, "out", BadgeKind.NATIVE_REFUSED)
    assert fired == [1]
    assert len(layer._backward_hooks) == 1


@pytest.mark.parametrize("mode", HookMode)
def test_that_hooks_and_flags_are_as_before(mode):
    model = Around(nn.Sequential(linear(TWO), nn.ReLU()))
    model.same[0].register_forward_hook(lambda *_: None)
    before = [{name: copy.copy(vars(module)[name]) for name in HOOKS} for module in model.modules()]
    step(model, lambda m: m(with_grad(1, 1)).sum(), modes=dict.fromkeys(dict(model.named_modules()), mode))
    assert [{name: vars(module)[name] for name in HOOKS} for module in model.modules()] == before


def test_that_a_module_may_have_either_kind_of_hook_after_native_capture():
    layer = linear(TWO)
    observed(layer, HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum())
    layer.register_backward_hook(lambda *_: None).remove()


def test_that_full_backward_hooks_of_the_users_stay():
    layer = linear(TWO)
    layer.register_full_backward_hook(lambda *_: None)
    observed(layer, HookMode.NATIVE, lambda m: m(with_grad(1, 1)).sum())
    assert layer._is_full_backward_hook is True
    assert len(layer._backward_hooks) == 1


@pytest.mark.parametrize("mode", OTHER_MODES)
def test_that_a_model_can_be_copied_and_pickled_in_each_mode(mode):
    layer = linear(TWO)
    others = []

    def run(m):
        others.extend([copy.deepcopy(m), pickle.loads(pickle.dumps(m))])
        return m(with_grad(1, 1).reshape(1, 2)).sum()

    seen = observed(layer, mode, run)
    count = len(seen.order)
    for other in others:
        with torch.no_grad():
            assert other(torch.ones(1, 2)).tolist() == [[2, 2]]
    assert len(seen.order) == count
