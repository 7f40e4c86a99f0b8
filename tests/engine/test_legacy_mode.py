"""What the deprecated `register_backward_hook` gives, to the exact value, and what is said about it."""

import torch
from torch import nn

from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.modes import Around, Unrolled, detail, observed, with_grad
from tests.engine.observing import Seen, linear


def entries(seen: Seen) -> list[tuple[object, str]]:
    """Return values and details of the legacy entries, in order."""
    leaves = sorted({c.ref.leaf for c in seen.order if c.ref.slot is Slot.GRAD_INPUT})
    return [
        (seen.value("", Slot.GRAD_INPUT, leaf), detail(seen, "", Slot.GRAD_INPUT, leaf, BadgeKind.LEGACY))
        for leaf in leaves
    ]


def layer_with_bias() -> nn.Linear:
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    return layer


def test_that_the_old_hook_gives_bias_input_and_transposed_weight_on_a_linear():
    x = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    layer = layer_with_bias()
    seen = observed(layer, HookMode.LEGACY, lambda m: (m(x) * torch.tensor([1.0, 10.0])).sum())
    assert entries(seen) == [
        ([2, 20], "no input: the gradient of the parameter bias"),
        ([[31, 42], [31, 42]], "what AddmmBackward0 passes on to the input args.0"),
        ([[12, 120], [14, 140]], "no input: the gradient of the parameter weight, transposed"),
    ]
    assert layer.weight.grad.tolist() == [[12, 14], [120, 140]]
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [[1, 10], [1, 10]]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out") == [BadgeKind.LEGACY]


def test_that_the_old_hook_gives_two_entries_on_a_linear_without_bias():
    x = torch.tensor([[5.0, 6.0]], requires_grad=True)
    seen = observed(linear([[1, 2], [3, 4]]), HookMode.LEGACY, lambda m: m(x).sum())
    assert entries(seen) == [
        ([[4, 6]], "what MmBackward0 passes on to the input args.0"),
        ([[5, 5], [6, 6]], "no input: the gradient of the parameter weight, transposed"),
    ]


def test_that_the_old_hook_gives_input_weight_and_bias_on_a_convolution():
    layer = nn.Conv2d(1, 1, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]))
    x = torch.tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]], requires_grad=True)
    seen = observed(layer, HookMode.LEGACY, lambda m: m(x).sum())
    assert entries(seen) == [
        ([[[[1, 3, 2], [3, 7, 4]]]], "what ConvolutionBackward0 passes on to the input args.0"),
        ([[[[3, 5], [9, 11]]]], "no input: the gradient of the parameter weight"),
        ([2], "no input: the gradient of the parameter bias"),
    ]


def test_that_the_old_hook_sees_only_the_last_operation():
    x = torch.tensor([[[5.0, 6.0]]], requires_grad=True)  # a third dim, so that a view comes last
    seen = observed(layer_with_bias(), HookMode.LEGACY, lambda m: m(x).sum())
    assert entries(seen) == [
        ([[1, 1]], "no input: inside the module, from its last operation ViewBackward0 to AddmmBackward0")
    ]
    model = nn.Sequential(layer_with_bias(), nn.ReLU())
    seen = observed(model, HookMode.LEGACY, lambda m: m(torch.ones(1, 2, requires_grad=True)).sum())
    assert entries(seen) == [
        ([[1, 1]], "no input: inside the module, from its last operation ReluBackward0 to AddmmBackward0")
    ]


def test_that_the_old_hook_is_not_called_where_no_operation_made_the_output():
    seen = observed(nn.Identity(), HookMode.LEGACY, lambda m: m(torch.ones(2, requires_grad=True)).sum())
    assert entries(seen) == [(None, "the hook is not called: no operation made this output")]


def test_that_the_old_hook_on_a_module_without_operation_is_that_of_an_earlier_one():
    seen = observed(Around(nn.Identity()), HookMode.LEGACY, lambda m: m(with_grad(1, 1)).sum(), ("same",))
    assert seen.value("same", Slot.GRAD_INPUT, "legacy.0") == [101, 101]
    assert "an operation before the module" in detail(seen, "same", Slot.GRAD_INPUT, "legacy.0", BadgeKind.LEGACY)


def test_that_the_old_hook_knows_only_the_outputs_of_one_operation():
    class Two(nn.Module):
        def forward(self, x):
            return x * 2, x + 3

    def run(m):
        one, two = m(with_grad(1))
        return one.sum() + two.sum()

    seen = observed(Two(), HookMode.LEGACY, run)
    assert seen.value("", Slot.GRAD_OUTPUT, "out.0") == [1]
    assert "did not make this output" in detail(seen, "", Slot.GRAD_OUTPUT, "out.1", BadgeKind.LEGACY)


def test_that_legacy_calls_of_a_shared_module_are_told_apart():
    seen = observed(Unrolled(), HookMode.LEGACY, lambda m: m(torch.ones(1, 2)).sum(), ("cell",))
    assert [seen.value("cell", Slot.GRAD_OUTPUT, "out", call) for call in range(3)] == [[[4, 4]], [[2, 2]], [[1, 1]]]
