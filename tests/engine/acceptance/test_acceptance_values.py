"""Acceptance, 1 to 8: operations in place, views, and nested inputs and outputs, with exact values."""

import dataclasses
import subprocess
import sys

import pytest
import torch
from torch import nn

import hookscope
from tests.engine.acceptance.seeing import TWO, absence, arrived, badges, leaf_tensor, linear, value
from tests.source_tree import ROOT


def test_1_that_a_layer_before_an_in_place_relu_keeps_its_own_values():
    model = nn.Sequential(linear([[1, 2], [3, -4]]), nn.ReLU(inplace=True), linear([[1, 1]]))
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    assert value(seen, "0", "output") == [[3, -1]]
    assert value(seen, "1", "input") == [[3, -1]]
    assert badges(seen, "1", "input") == ("modified_in_place",)
    assert value(seen, "1", "output") == [[3, 0]]
    assert value(seen, "0", "grad_output") == [[1, 0]]
    assert value(seen, "0", "grad_input") == [[1, 2]]
    assert value(seen, "1", "grad_input") == [[1, 0]]
    assert value(seen, "0", "parameter_grad") == [[1, 1], [0, 0]]
    assert model[0].weight.grad.tolist() == [[1, 1], [0, 0]]


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = linear(TWO)

    def forward(self, x):
        o = self.b(x)
        o += x
        return o


def test_2_that_an_in_place_residual_leaves_the_gradients_of_its_branch_right():
    model = Residual()
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]])).sum().backward()
    assert value(seen, "b", "output") == [[2, 2]]
    assert value(seen, "", "output") == [[3, 3]]
    assert value(seen, "b", "grad_output") == [[1, 1]]
    assert value(seen, "b", "grad_input") == [[2, 2]]
    assert value(seen, "", "grad_input") == [[3, 3]]


class ViewOfLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = linear(TWO)

    def forward(self, x):
        return self.layer(x).view(1, 2, 1)


class Tripled(nn.Module):
    def __init__(self):
        super().__init__()
        self.v = ViewOfLinear()

    def forward(self, x):
        return self.v(x).mul_(3)


def test_3_that_a_view_written_to_gets_its_gradient_from_the_base():
    x, model = leaf_tensor([[1, 1]]), Tripled()
    with hookscope.observe(model) as seen:
        model(x).sum().backward()
    assert value(seen, "v", "output") == [[[2], [2]]]
    assert value(seen, "v", "grad_output") == [[[3], [3]]]
    assert badges(seen, "v", "grad_output") == ("from_base",)
    assert x.grad.tolist() == [[6, 6]]


STALE_VIEW = """
import torch
from torch import nn
import hookscope

class Stale(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 4, bias=False)
        nn.init.ones_(self.layer.weight)

    def forward(self, x):
        y = self.layer(x).view(-1, 2, 2)
        y[:, 0].add_(1)
        return y

x, model = torch.ones(1, 1, requires_grad=True), Stale()
with hookscope.observe(model) as seen:
    model(x).sum().backward()
print(seen.tensor("", "output").tolist(), seen.tensor("", "grad_output").tolist(), x.grad.tolist())
"""


def test_4_that_a_view_whose_base_was_written_to_does_not_kill_the_process():
    done = subprocess.run(
        [sys.executable, "-c", STALE_VIEW], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "[[[2.0, 2.0], [1.0, 1.0]]] [[[1.0, 1.0], [1.0, 1.0]]] [[4.0]]"


def test_5_that_a_named_result_of_torch_keeps_its_type():
    class Largest(nn.Module):
        def forward(self, x):
            return x.max(1)

    x, model = leaf_tensor([[1, 5, 2]]), Largest()
    with hookscope.observe(model) as seen:
        result = model(x)
        result.values.sum().backward()
    assert isinstance(result, torch.return_types.max)
    assert result.indices.tolist() == [1]
    assert value(seen, "", "output", "out.1") == [1]
    assert arrived(seen, "", "grad_output") == [(0, "out.0")]
    assert value(seen, "", "grad_output") == [1]
    assert badges(seen, "", "grad_output", "out.1") == ("integer_output",)
    assert value(seen, "", "grad_input") == [[0, 1, 0]]


@dataclasses.dataclass
class Result:
    h: torch.Tensor
    n: int


@pytest.mark.parametrize(
    ("pack", "unpack", "leaf"),
    [
        (lambda t: {"h": t, "n": None}, lambda out: out["h"], "out.h"),
        (lambda t: Result(t, 3), lambda out: out.h, "out.h"),
        (lambda t: [t, 7], lambda out: out[0], "out.0"),
    ],
    ids=["dict", "dataclass", "list"],
)
def test_6_that_every_container_of_outputs_is_entered(pack, unpack, leaf):
    class Packing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = linear(TWO)

        def forward(self, x):
            return pack(self.layer(x))

    model = Packing()
    with hookscope.observe(model) as seen:
        unpack(model(leaf_tensor([[1, 1]]))).sum().backward()
    assert arrived(seen, "", "grad_output") == [(0, leaf)]
    assert value(seen, "", "grad_output") == [[1, 1]]
    assert value(seen, "", "grad_input") == [[2, 2]]


def test_7_that_only_the_leaf_that_the_loss_used_has_a_gradient():
    class Nested(nn.Module):
        def forward(self, x):
            return 2 * x, (3 * x, 5 * x)

    model = Nested()
    with hookscope.observe(model) as seen:
        model(leaf_tensor([1, 1]))[1][0].sum().backward()
    assert arrived(seen, "", "grad_output") == [(0, "out.1.0")]
    assert value(seen, "", "grad_output") == [1, 1]
    assert badges(seen, "", "grad_output", "out.0") == ("no_gradient_reached",)
    assert "the loss does not use it" in absence(seen, "", "grad_output", "out.0")
    assert value(seen, "", "grad_input") == [3, 3]


def test_8_that_keyword_inputs_have_gradients():
    class Product(nn.Module):
        def forward(self, *, q, k):
            return q * k

    model = Product()
    with hookscope.observe(model) as seen:
        model(q=leaf_tensor([2]), k=leaf_tensor([3])).sum().backward()
    assert value(seen, "", "grad_input", "kwargs.q") == [3]
    assert value(seen, "", "grad_input", "kwargs.k") == [2]
