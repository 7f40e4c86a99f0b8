"""Acceptance, 9 to 16: shares and totals, unused inputs, and who is called how often, with exact values."""

import copy

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import hookscope
from hookscope.engine.module_tree import describe_modules
from tests.engine.acceptance.seeing import TWO, absence, arrived, badges, leaf_tensor, linear, value


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.same = nn.Identity()

    def forward(self, x):
        return self.same(x) + 100 * x


def test_9_that_a_module_that_returns_its_input_shows_the_total_and_says_so():
    x, model = leaf_tensor([1, 1]), Around()
    with hookscope.observe(model) as seen:
        model(x).sum().backward()
    assert value(seen, "same", "grad_output") == [101, 101]
    assert value(seen, "same", "grad_input") == [101, 101]
    assert badges(seen, "same", "grad_input") == ("pass_through",)
    assert x.grad.tolist() == [101, 101]


def test_9_that_alias_mode_tells_the_share_of_such_a_module():
    x, model = leaf_tensor([1, 1]), Around()
    with hookscope.observe(model, "same", backward="alias") as seen:
        model(x).sum().backward()
    assert value(seen, "same", "grad_input") == [1, 1]
    assert x.grad.tolist() == [101, 101]


class First(nn.Module):
    def forward(self, a, b):
        return 2 * a


class WithUnused(nn.Module):
    def __init__(self):
        super().__init__()
        self.unused = linear([[1.0]])
        self.first = First()

    def forward(self, a, b):
        return self.first(a, self.unused(b))


def test_10_that_an_unused_input_stays_without_gradient():
    a, b, model = leaf_tensor([[1]]), leaf_tensor([[1]]), WithUnused()
    with hookscope.observe(model) as seen:
        model(a, b).sum().backward()
    assert b.grad is None
    assert model.unused.weight.grad is None
    assert badges(seen, "first", "grad_input", "args.1") == ("no_path_to_input",)
    assert badges(seen, "unused", "parameter_grad") == ("no_gradient_reached",)


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.pe = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return self.pe[:3]


def test_11_that_an_output_that_ignores_the_inputs_has_a_gradient_and_the_inputs_none():
    x, model = leaf_tensor([1, 1, 1]), Positions()
    with hookscope.observe(model) as seen:
        (model(x) + x).sum().backward()
    assert value(seen, "", "grad_output") == [1, 1, 1]
    assert badges(seen, "", "grad_input") == ("no_path_to_input",)
    assert "does not depend on this input" in absence(seen, "", "grad_input")
    assert value(seen, "", "parameter_grad") == [1, 1, 1, 0]


class Unrolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = linear(TWO)

    def forward(self, h):
        for _ in range(3):
            h = self.cell(h)
        return h


def test_12_that_the_calls_of_a_shared_module_are_told_apart():
    model = Unrolled()
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    assert [value(seen, "cell", "output", call=call) for call in range(3)] == [[[2, 2]], [[4, 4]], [[8, 8]]]
    assert [value(seen, "cell", "grad_output", call=call) for call in range(3)] == [[[4, 4]], [[2, 2]], [[1, 1]]]
    assert value(seen, "cell", "parameter_grad") == [[12, 12], [12, 12]]
    assert arrived(seen, "cell", "grad_output") == [(2, "out"), (1, "out"), (0, "out")]


def checkpointed():
    return nn.Sequential(linear([[1, 0], [0, 1]]), nn.Sigmoid(), linear(TWO))


def test_13_that_under_a_checkpoint_the_gradients_belong_to_the_first_calls():
    """Non-reentrant: the first run has the graph; the second recomputes what was saved and stops as soon as it has."""
    x, model = leaf_tensor([[0, 0]]), checkpointed()
    with hookscope.observe(model, ["0", "1", "2"]) as seen:
        checkpoint(model, x, use_reentrant=False).sum().backward()
    entered = [(r.path, r.call, "recomputed" in r.badges) for r in seen.records() if r.slot == "input"]
    first, again = [(path, 0, False) for path in "012"], [(path, 1, True) for path in "012"]
    assert entered == first + again
    assert [arrived(seen, path, "output") for path in "012"] == [
        [(0, "out"), (1, "out")],
        [(0, "out"), (1, "out")],
        [(0, "out")],
    ]
    assert badges(seen, "0", "output", call=1) == ("recomputed",)
    assert "it stopped here" in absence(seen, "2", "output", call=1)
    assert {call for path in "012" for call, _ in arrived(seen, path, "grad_output")} == {0}
    assert value(seen, "1", "grad_output") == [[2, 2]]
    assert x.grad.tolist() == [[0.5, 0.5]]


def test_14_that_under_a_reentrant_checkpoint_the_gradients_belong_to_the_recomputed_calls():
    """Reentrant: the first run has no graph; the second makes it, within backward."""
    x, model = leaf_tensor([[0, 0]]), checkpointed()
    with hookscope.observe(model, ["0", "1", "2"]) as seen:
        checkpoint(model, x, use_reentrant=True).sum().backward()
    assert [arrived(seen, path, "output") for path in "012"] == [[(0, "out"), (1, "out")]] * 3
    assert [badges(seen, path, "output", call=1) for path in "012"] == [("recomputed",)] * 3
    assert {call for path in "012" for call, _ in arrived(seen, path, "grad_output")} == {1}
    assert badges(seen, "1", "grad_output", call=0) == ("no_grad_mode",)
    assert value(seen, "1", "grad_output", call=1) == [[2, 2]]
    assert "recomputed" in badges(seen, "1", "grad_output", call=1)
    assert x.grad.tolist() == [[0.5, 0.5]]


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.c = nn.Sequential(self.a)

    def forward(self, x):
        return self.b(self.a(x)) + self.c[0](x)


def test_15_that_a_module_with_three_names_is_one_module():
    model = Shared()
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    assert arrived(seen, "a", "output") == [(0, "out"), (1, "out"), (2, "out")]
    assert {record.path for record in seen.records()} == {"", "a", "c"}
    tree = {info.path: info.aliases for info in describe_modules(model).modules}
    assert tree["a"] == ("b", "c.0")
    assert torch.equal(seen.tensor("c.0", "output", 2), seen.tensor("a", "output", 2))


def test_16_that_attention_does_not_notice():
    torch.manual_seed(0)
    bare = nn.MultiheadAttention(8, 2)
    watched = copy.deepcopy(bare)
    x = torch.randn(3, 1, 8)
    expected = bare(x, x, x)[0]
    expected.square().sum().backward()
    with hookscope.observe(watched) as seen:
        output = watched(x, x, x)[0]
        output.square().sum().backward()
    assert torch.equal(output, expected)
    assert torch.equal(watched.in_proj_weight.grad, bare.in_proj_weight.grad)
    assert badges(seen, "out_proj", "output") == ("never_called_with_gradient",)
    assert "their" not in absence(seen, "", "grad_input", "args.0")
    assert torch.equal(seen.tensor("out_proj", "parameter_grad", leaf="weight"), bare.out_proj.weight.grad)
