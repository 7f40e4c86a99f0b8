"""In-place operations, views and identity: what breaks PyTorch's own full backward hook, and must not break capture."""

import torch
from torch import nn

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import linear, step

TWO = [[2.0, 0.0], [0.0, 2.0]]


def test_case_002_an_in_place_module_itself():
    model = nn.Sequential(linear(TWO), nn.ReLU(inplace=True), nn.Dropout(0.0, inplace=True))
    seen = step(model, lambda m: m(torch.tensor([[1.0, -1.0]])).sum(), paths=("1", "2"))
    assert seen.value("1", Slot.GRAD_OUTPUT, "out") == [[1, 1]]
    assert seen.value("1", Slot.GRAD_INPUT, "args.0") == [[1, 0]]


def test_case_006_the_input_of_an_in_place_module_is_the_one_it_was_given():
    x = torch.tensor([-1.0, 2.0])
    seen = step(nn.ReLU(inplace=True), lambda m: m(x).sum() + torch.ones(1, requires_grad=True).sum())
    assert seen.value("", Slot.INPUT, "args.0") == [-1, 2]
    assert seen.badges("", Slot.INPUT, "args.0") == [BadgeKind.MODIFIED_IN_PLACE]


def test_case_084_an_output_that_the_parent_modifies_later_keeps_its_own_value_and_is_marked():
    class Parent(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            y = self.layer(x)
            y.mul_(10)
            return y

    seen = step(Parent(), lambda m: m(torch.ones(1, 2)).sum())
    assert seen.value("layer", Slot.OUTPUT, "out") == [[2, 2]]
    assert seen.value("", Slot.OUTPUT, "out") == [[20, 20]]
    assert BadgeKind.MODIFIED_AFTERWARDS in seen.badges("layer", Slot.OUTPUT, "out")
    assert seen.value("layer", Slot.GRAD_OUTPUT, "out") == [[10, 10]]


def test_case_007_a_parent_that_writes_through_the_output_still_does():
    class Parent(nn.Module):
        def __init__(self):
            super().__init__()
            self.same = nn.Identity()

        def forward(self, x):
            y = x * 1
            self.same(y)[0] = 10
            return y

    model = Parent()
    results = []
    step(model, lambda m: results.append(m(torch.ones(2, requires_grad=True))) or results[0].sum())
    assert results[0].tolist() == [10, 1]


def test_case_008_objects_stay_the_same():
    seen_inputs = []

    class Looking(nn.Module):
        def forward(self, x):
            seen_inputs.append(x)
            return x

    x = torch.ones(2, requires_grad=True)
    outputs = []
    step(Looking(), lambda m: outputs.append(m(x)) or outputs[0].sum())
    assert seen_inputs[0] is x
    assert outputs[0] is x
    assert outputs[0].is_leaf


class MarkDirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


def test_case_066_a_custom_function_that_marks_its_input_dirty():
    class Dirty(nn.Module):
        def forward(self, x):
            return MarkDirty.apply(x)

    x = torch.ones(2, requires_grad=True)
    seen = step(Dirty(), lambda m: m(x * 1).sum())
    assert seen.value("", Slot.INPUT, "args.0") == [1, 1]
    assert seen.value("", Slot.OUTPUT, "out") == [2, 2]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [3, 3]
    assert x.grad.tolist() == [3, 3]


def test_case_083_capture_adds_no_node_to_the_graph():
    def nodes(loss):
        found, todo = set(), [loss.grad_fn]
        while todo:
            node = todo.pop()
            if node is not None and node not in found:
                found.add(node)
                todo.extend(following for following, _ in node.next_functions)
        return len(found)

    model = nn.Sequential(linear(TWO), nn.Sigmoid(), linear(TWO))
    bare = nodes(model(torch.ones(1, 2)).sum())
    counts = []

    def run(m):
        loss = m(torch.ones(1, 2)).sum()
        counts.append(nodes(loss))
        return loss

    step(model, run)
    assert counts == [bare]


def test_case_005_a_stale_view_does_not_end_the_process():
    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 4, bias=False)
            nn.init.ones_(self.layer.weight)

        def forward(self, x):
            y = self.layer(x).view(-1, 2, 2)
            y[:, 0].add_(1)
            return y

    x = torch.ones(1, 1, requires_grad=True)
    seen = step(Rows(), lambda m: m(x).sum())
    assert seen.value("", Slot.OUTPUT, "out") == [[[2, 2], [1, 1]]]
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [[[1, 1], [1, 1]]]
    assert x.grad.tolist() == [[4]]
