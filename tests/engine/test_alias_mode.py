"""Alias capture: each input's share, to the exact value, and a model that is given views without noticing."""

import dataclasses
from typing import NamedTuple

import pytest
import torch
from torch import nn

from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.modes import TWO, Around, observed, with_grad
from tests.engine.observing import linear, step


def test_that_an_alias_shows_the_share_of_a_module_that_returns_its_input():
    x = torch.ones(2, requires_grad=True)
    model = Around(nn.Identity())
    exact = observed(model, HookMode.EXACT, lambda m: m(x * 1).sum(), ("same",))
    assert exact.value("same", Slot.GRAD_INPUT, "args.0") == [101, 101]
    assert exact.badges("same", Slot.GRAD_INPUT, "args.0") == [BadgeKind.PASS_THROUGH]
    x.grad = None
    seen = observed(model, HookMode.ALIAS, lambda m: m(x * 1).sum(), ("same",))
    assert seen.value("same", Slot.GRAD_INPUT, "args.0") == [1, 1]
    assert seen.value("same", Slot.GRAD_OUTPUT, "out") == [1, 1]
    assert seen.badges("same", Slot.GRAD_INPUT, "args.0") == [BadgeKind.ALIAS]
    assert seen.badges("same", Slot.GRAD_OUTPUT, "out") == [BadgeKind.ALIAS]
    assert x.grad.tolist() == [101, 101]


def test_that_one_tensor_given_three_times_has_three_gradients():
    class Attention(nn.Module):
        def forward(self, q, k, *, v):
            return q * 2 + k * 3 + v * 5

    x = torch.ones(2, requires_grad=True)

    def run(m):
        y = x * 1
        return m(y, y, v=y).sum()

    seen = observed(Attention(), HookMode.ALIAS, run)
    shares = [seen.value("", Slot.GRAD_INPUT, leaf) for leaf in ("args.0", "args.1", "kwargs.v")]
    assert shares == [[2, 2], [3, 3], [5, 5]]
    assert x.grad.tolist() == [10, 10]


@pytest.mark.parametrize("mode", [HookMode.EXACT, HookMode.ALIAS])
def test_that_a_module_that_returns_its_input_beside_a_result_counts_each_part_once(mode):
    class Twice(nn.Module):
        def forward(self, x):
            return x, 2 * x + x * x

    def run(m):
        passed, computed = m(with_grad(3))
        return passed.sum() + computed.sum()

    seen = observed(Twice(), mode, run)
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [9]


class Pair(NamedTuple):
    left: torch.Tensor
    right: object


@dataclasses.dataclass(frozen=True)
class Box:
    value: torch.Tensor


def test_that_containers_keep_their_kind_under_an_alias():
    kinds = []

    class Unpacking(nn.Module):
        def forward(self, pair, named, boxes, plain):
            kinds.extend(
                [type(pair), pair.right, type(named), list(named), type(boxes), type(boxes[0]), plain is given]
            )
            return pair.left * named["x"] * boxes[0].value * plain[0]

    given = [torch.ones(1)]  # nothing in it requires grad, so it is not made anew
    seen = observed(
        Unpacking(),
        HookMode.ALIAS,
        lambda m: m(Pair(with_grad(2), "text"), {"x": with_grad(3), "n": None}, [Box(with_grad(5))], given).sum(),
    )
    assert kinds == [Pair, "text", dict, ["x", "n"], list, Box, True]
    assert seen.value("", Slot.GRAD_INPUT, "args.0.0") == [15]
    assert seen.value("", Slot.GRAD_INPUT, "args.1.x") == [10]
    assert seen.value("", Slot.GRAD_INPUT, "args.2.0.value") == [6]
    assert seen.badges("", Slot.GRAD_INPUT, "args.3.0") == [BadgeKind.INPUT_NEEDS_NO_GRAD]


def test_that_what_a_module_changes_in_its_arguments_is_changed_for_its_caller():
    class Caching(nn.Module):
        def forward(self, x, cache, named):
            cache.append(x * 2)
            del named["old"]
            named["new"] = cache[0]
            return x

    first, x = with_grad(1), with_grad(1)
    cache, named = [first], {"old": first}
    observed(Caching(), HookMode.ALIAS, lambda m: m(x, cache, named).sum())
    assert len(cache) == 2
    assert cache[0] is first
    assert list(named) == ["new"]
    assert named["new"] is first


def test_that_a_container_that_holds_itself_does_no_harm_under_an_alias():
    class Taking(nn.Module):
        def forward(self, knot):
            return knot["x"] * 2

    def run(m):
        knot = {"x": with_grad(1)}
        knot["self"] = knot
        return m(knot).sum()

    assert observed(Taking(), HookMode.ALIAS, run).value("", Slot.GRAD_INPUT, "args.0.x") == [2]


def test_that_an_alias_is_void_when_the_module_writes_to_its_input():
    model = nn.Sequential(linear([[1, 2], [3, -4]]), nn.ReLU(inplace=True), linear([[1, 1]]))
    seen = observed(model, HookMode.ALIAS, lambda m: m(with_grad(1, 1)).sum(), ("1",))
    assert seen.value("1", Slot.GRAD_INPUT, "args.0") == [1, 0]
    assert seen.badges("1", Slot.GRAD_INPUT, "args.0") == [BadgeKind.ALIAS_VOID]
    assert seen.value("1", Slot.INPUT, "args.0") == [3, -1]
    assert seen.value("1", Slot.OUTPUT, "out") == [3, 0]
    assert model[0].weight.grad.tolist() == [[1, 1], [0, 0]]


def test_that_an_alias_that_is_written_to_after_the_module_is_void_too():
    class Adding(Around):
        def forward(self, x):
            out = self.same(x)
            out += 1
            return out * 3

    x = torch.ones(2, requires_grad=True)
    seen = observed(Adding(nn.Identity()), HookMode.ALIAS, lambda m: m(x * 1).sum(), ("same",))
    assert seen.value("same", Slot.GRAD_INPUT, "args.0") == [3, 3]
    assert BadgeKind.ALIAS_VOID in seen.badges("same", Slot.GRAD_INPUT, "args.0")
    assert x.grad.tolist() == [3, 3]


def test_that_an_unused_aliased_input_stays_without_gradient():
    class First(nn.Module):
        def forward(self, a, b):
            return 2 * a

    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    seen = observed(First(), HookMode.ALIAS, lambda m: m(a, b).sum())
    assert b.grad is None
    assert seen.badges("", Slot.GRAD_INPUT, "args.1") == [BadgeKind.NO_PATH_TO_INPUT]


def test_that_alias_mode_is_exact_where_no_gradient_is_wanted():
    seen = observed(linear(TWO), HookMode.ALIAS, lambda m: m(torch.ones(1, 2)).sum())
    assert seen.badges("", Slot.GRAD_INPUT, "args.0") == [BadgeKind.INPUT_NEEDS_NO_GRAD]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out") == []


def test_that_an_alias_leaves_the_gradients_of_parameters_as_they_are():
    def gradients(modes):
        torch.manual_seed(0)
        model = nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(16, 2)
        )
        paths = tuple(path for path, _ in model.named_modules())
        step(model, lambda m: m(torch.randn(2, 3, 4, 4)).square().sum(), paths, modes=dict.fromkeys(paths, modes))
        return [parameter.grad for parameter in model.parameters()]

    pairs = zip(gradients(HookMode.EXACT), gradients(HookMode.ALIAS), strict=True)
    assert all(torch.equal(exact, alias) for exact, alias in pairs)
