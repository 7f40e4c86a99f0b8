"""Every point of intervention: the exact numbers, and what plain PyTorch hooks written by hand do."""

import copy

import pytest
import torch
from torch import nn
from torch.autograd.graph import get_gradient_edge

from hookscope.protocol.hooks import HookMode
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Channels, Intervention
from hookscope.protocol.tensor_changes import (
    Add,
    Change,
    Clamp,
    ClipNorm,
    Constant,
    Expression,
    Flip,
    Scale,
    StopGradient,
    StraightThrough,
    Zero,
)
from hookscope.protocol.tensors import BadgeKind
from tests.engine.intervening.running import Session, gradients, same
from tests.engine.observing import linear


def small() -> nn.Sequential:
    return nn.Sequential(linear([[1, 2], [3, 4]]), nn.ReLU(inplace=True), linear([[1, 1]]))


def run_small(*interventions: Intervention) -> tuple[Session, dict[str, object]]:
    model, x = small(), torch.ones(1, 2, requires_grad=True)
    outputs = []

    def run(m):
        outputs.append(m(x * 1.0))
        return outputs[0].sum()

    session = Session(model, *interventions).run(run)
    grads = [x.grad, model[0].weight.grad, model[2].weight.grad]
    named = zip(("x", "w0", "w2"), (None if grad is None else grad.tolist() for grad in grads), strict=True)
    return session, {"y": outputs[0].item(), **dict(named)}


PLAIN = {"y": 10, "x": [[4, 6]], "w0": [[1, 1], [1, 1]], "w2": [[3, 7]]}


@pytest.mark.parametrize(
    ("path", "slot", "change", "other"),
    [
        ("0", Slot.INPUT, Scale(2), {"y": 20, "x": [[8, 12]], "w0": [[2, 2], [2, 2]], "w2": [[6, 14]]}),
        ("0", Slot.OUTPUT, Scale(0), {"y": 0, "x": [[0, 0]], "w0": [[0, 0], [0, 0]], "w2": [[0, 0]]}),
        ("0", Slot.OUTPUT, StraightThrough(Constant(5)), {"w2": [[5, 5]]}),
        ("0", Slot.OUTPUT, StopGradient(), {"x": None, "w0": None}),
        ("0", Slot.GRAD_OUTPUT, Scale(10), {"x": [[40, 60]], "w0": [[10, 10], [10, 10]]}),
        ("2", Slot.GRAD_INPUT, Constant(7), {"x": [[28, 42]], "w0": [[7, 7], [7, 7]]}),
        ("1", Slot.GRAD_INPUT, Constant(7), {"x": [[28, 42]], "w0": [[7, 7], [7, 7]]}),
        ("0", Slot.PARAMETER_GRAD, Scale(3), {"w0": [[3, 3], [3, 3]]}),
        ("0", Slot.PARAMETER_GRAD, Clamp(None, 0.5), {"w0": [[0.5, 0.5], [0.5, 0.5]]}),
        ("0", Slot.PARAMETER, Scale(2), {"y": 20, "x": [[8, 12]], "w2": [[6, 14]]}),
    ],
)
def test_that_each_point_has_its_exact_effect_and_is_captured_as_changed(path, slot, change, other):
    session, found = run_small(Intervention(5, path, slot, change))
    assert found == PLAIN | other
    status = session.status
    assert (status.applied, status.idle) == (1, None)
    (ref,) = status.refs
    assert (ref.path, ref.slot) == (path, slot)
    assert session.marked() == {(ref.path, ref.slot, ref.leaf, 0): "5"}


def test_that_captures_have_the_new_values():
    session, _ = run_small(
        Intervention(1, "0", Slot.INPUT, Add(1)),
        Intervention(2, "2", Slot.GRAD_INPUT, Constant(7)),
        Intervention(3, "1", Slot.GRAD_OUTPUT, Flip()),
        Intervention(4, "0", Slot.PARAMETER, Scale(2)),
    )
    assert session.value("0", Slot.INPUT, "args.0") == [[2, 2]]
    assert session.value("0", Slot.OUTPUT, "out") == [[12, 28]]
    assert session.value("2", Slot.GRAD_INPUT, "args.0") == [[7, 7]]
    assert session.value("1", Slot.GRAD_OUTPUT, "out") == [[-7, -7]]
    assert session.value("0", Slot.PARAMETER, "weight") == [[2, 4], [6, 8]]
    assert session.model[0].weight.tolist() == [[1, 2], [3, 4]]


# -- by hand --------------------------------------------------------------------------------------------------------


class Branching(nn.Module):
    """A convolution with a residual around a block that works in place, and a head."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1)
        self.act = nn.ReLU(inplace=True)
        self.mix = nn.Conv2d(4, 4, 1)
        self.head = nn.Linear(4 * 9, 3)

    def forward(self, x):
        h = self.act(self.conv(x))
        return self.head((h + self.mix(h)).flatten(1))


def grad_output_by_hand(module, change):
    def forward_hook(_module, _args, output):
        edge = get_gradient_edge(output)
        number = edge.output_nr
        edge.node.register_prehook(lambda gs: tuple(change(g) if i == number else g for i, g in enumerate(gs)))

    return module.register_forward_hook(forward_hook)


def grad_input_by_hand(module, change):
    def pre_hook(_module, args):
        view = args[0].view_as(args[0])
        view.register_hook(change)
        return (view, *args[1:])

    return module.register_forward_pre_hook(pre_hook)


BY_HAND = {
    Slot.INPUT: lambda module, f: module.register_forward_pre_hook(lambda _m, args: (f(args[0]),)),
    Slot.OUTPUT: lambda module, f: module.register_forward_hook(lambda _m, _a, out: f(out)),
    Slot.GRAD_OUTPUT: grad_output_by_hand,
    Slot.GRAD_INPUT: grad_input_by_hand,
    Slot.PARAMETER_GRAD: lambda module, f: module.weight.register_hook(f),
}


def channel_by_hand(x):
    new = x.clone()
    new[:, 1] = 0
    return new


CHANGES: dict[str, tuple[Change, object, object]] = {
    "scale": (Scale(-1.5), None, lambda x: x * -1.5),
    "clamp": (Clamp(-0.1, 0.1), None, lambda x: x.clamp(-0.1, 0.1)),
    "channel": (Zero(), Channels((1,)), channel_by_hand),
    "norm": (ClipNorm(0.5), None, lambda x: x * (0.5 / x.double().norm()).float() if x.norm() > 0.5 else x),
    "expression": (Expression("x * x.abs()"), None, lambda x: x * x.abs()),
}


POINTS = [
    (path, slot) for path in ("conv", "act", "mix") for slot in BY_HAND if (path, slot) != ("act", Slot.PARAMETER_GRAD)
]


@pytest.mark.parametrize(("path", "slot"), POINTS)
@pytest.mark.parametrize("name", CHANGES)
def test_that_a_change_does_what_plain_hooks_do(path, slot, name):
    torch.manual_seed(0)
    model = Branching()
    by_hand = copy.deepcopy(model)
    given = torch.randn(2, 2, 3, 3)
    change, where, function = CHANGES[name]
    x = given.clone().requires_grad_()
    leaf = "weight" if slot is Slot.PARAMETER_GRAD else ""
    session = Session(model, Intervention(1, path, slot, change, where=where, leaf=leaf), paths=(path,))
    losses = []

    def run(m):
        losses.append(m(x * 1).square().sum())
        return losses[-1]

    session.run(run)

    y = given.clone().requires_grad_()
    module = by_hand.get_submodule(path)
    if path == "act" and slot is Slot.GRAD_INPUT:
        module.inplace = False  # a view that is written to has no hook; what flows is the same
    handle = BY_HAND[slot](module, function)
    expected = by_hand(y * 1).square().sum()
    expected.backward()
    handle.remove()

    assert session.status.applied == 1
    assert torch.allclose(losses[0], expected)
    assert torch.allclose(x.grad, y.grad, atol=1e-6)
    for name, gradient in gradients(by_hand).items():
        assert torch.allclose(gradients(model)[name], gradient, atol=1e-5), name


def test_that_a_parameter_is_changed_for_the_step_alone():
    model = nn.Linear(2, 2)
    with torch.no_grad():
        model.weight[0, 0] = float("nan")
        model.weight[0, 1] = -0.0
    before = model.weight.detach().clone()
    session = Session(model, Intervention(1, "", Slot.PARAMETER, Constant(2), leaf="weight"))
    with session.step():
        assert model.weight.eq(2).all()
        assert model.weight is dict(model.named_parameters())["weight"]
    assert torch.equal(model.weight.view(torch.int32), before.view(torch.int32))
    assert session.value("", Slot.PARAMETER, "weight") == [[2, 2], [2, 2]]


def test_that_changed_parameters_are_put_back_before_an_optimizer_and_the_gradient_is_that_of_the_changed_ones():
    model = linear([[3.0]])
    head = torch.ones(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    session = Session(model, Intervention(1, "", Slot.PARAMETER, Scale(10)))
    with session.step():
        model(head).square().sum().backward()
        session.intervener.restore_parameters()
        optimizer.step()
        session.intervener.restore_parameters()
    assert model.weight.tolist() == [[3 - 2 * 30]]
    assert session.value("", Slot.PARAMETER, "weight") == [[30]]


def test_that_several_interventions_act_in_their_order():
    session, found = run_small(
        Intervention(1, "0", Slot.OUTPUT, Add(1)),
        Intervention(2, "0", Slot.OUTPUT, Scale(2)),
        Intervention(9, "0", Slot.OUTPUT, Scale(3), enabled=False),
    )
    assert found["y"] == (4 + 8) * 2
    assert session.marked() == {("0", Slot.OUTPUT, "out", 0): "1 2"}
    assert [status.applied for status in session.intervener.statuses()] == [1, 1, 0]
    _, found = run_small(Intervention(2, "0", Slot.OUTPUT, Scale(2)), Intervention(1, "0", Slot.OUTPUT, Add(1)))
    assert found["y"] == 3 * 2 + 1 + 7 * 2 + 1
    with_parameter, found = run_small(
        Intervention(1, "0", Slot.PARAMETER, Add(1)), Intervention(2, "0", Slot.PARAMETER, Scale(2))
    )
    assert found["y"] == (2 + 3 + 4 + 5) * 2
    assert with_parameter.model[0].weight.tolist() == [[1, 2], [3, 4]]


def test_that_a_frozen_parameter_can_be_changed_and_its_gradient_cannot():
    model = small()
    model[0].weight.requires_grad_(False)
    session = Session(
        model, Intervention(1, "0", Slot.PARAMETER, Scale(2)), Intervention(2, "0", Slot.PARAMETER_GRAD, Scale(2))
    ).run(lambda m: m(torch.ones(1, 2)).sum())
    assert session.value("", Slot.OUTPUT, "out") == [[20]]
    changed, gradient = session.intervener.statuses()
    assert changed.idle is None
    assert gradient.detail == "frozen"


def test_that_forward_changes_act_without_gradients_too():
    session = Session(small(), Intervention(1, "0", Slot.OUTPUT, Scale(2)))
    with session.step(), torch.no_grad():
        assert session.model(torch.ones(1, 2)).item() == 20
    with session.step(), torch.inference_mode():
        assert session.model(torch.ones(1, 2)).item() == 20


@pytest.mark.parametrize("mode", HookMode)
@pytest.mark.parametrize("slot", [Slot.INPUT, Slot.OUTPUT, Slot.GRAD_OUTPUT, Slot.GRAD_INPUT])
def test_that_interventions_act_and_are_captured_in_each_hook_mode(mode, slot):
    model = nn.Sequential(linear([[1, 2], [3, 4]]), nn.Tanh(), linear([[1, 1]]))
    by_hand = copy.deepcopy(model)
    x, y = (torch.ones(1, 2, requires_grad=True) for _ in range(2))
    session = Session(model, Intervention(1, "1", slot, Scale(-3)), paths=("1",), modes={"1": mode})
    session.run(lambda m: m(x * 1).sum())
    BY_HAND[slot](by_hand[1], lambda t: t * -3)
    by_hand(y * 1).sum().backward()
    assert torch.equal(x.grad, y.grad)
    assert same(gradients(model), gradients(by_hand))
    if mode is not HookMode.LEGACY or slot is not Slot.GRAD_INPUT:  # its entries are of a node, under other names
        assert list(session.marked()) == [("1", slot, "out" if "out" in slot.value else "args.0", 0)]


def test_that_an_identity_is_changed_in_its_own_share_alone():
    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.same = nn.Identity()

        def forward(self, x):
            return self.same(x) + 100 * x

    for slot in (Slot.GRAD_INPUT, Slot.GRAD_OUTPUT):
        x = torch.ones(2, requires_grad=True)
        session = Session(Around(), Intervention(1, "same", slot, Scale(5))).run(lambda m, x=x: m(x * 1).sum())
        assert x.grad.tolist() == [105, 105]
        leaf = "out" if slot is Slot.GRAD_OUTPUT else "args.0"
        assert session.value("same", slot, leaf) == [5, 5]
        assert session.marked() == {("same", slot, leaf, 0): "1"}


def test_that_the_gradient_of_a_view_is_changed_although_it_is_written_to_afterwards():
    class Viewing(nn.Module):
        def __init__(self):
            super().__init__()
            self.flat = nn.Flatten()
            self.act = nn.ReLU(inplace=True)

        def forward(self, x):
            return self.act(self.flat(x * 1))

    for path, slot in (("flat", Slot.GRAD_OUTPUT), ("act", Slot.GRAD_INPUT)):
        x = torch.tensor([[[1.0, -1.0], [2.0, 3.0]]], requires_grad=True)
        session = Session(Viewing(), Intervention(1, path, slot, Add(10))).run(lambda m, x=x: m(x).sum())
        assert session.status.applied == 1
        assert x.grad.tolist() == [[[11, 10], [11, 11]]], path
        leaf = "out" if slot is Slot.GRAD_OUTPUT else "args.0"
        assert session.value(path, slot, leaf) == [[11, 10, 11, 11]]


def test_that_each_backward_pass_is_changed():
    model, x = linear([[2.0]]), torch.ones(1, 1, requires_grad=True)
    session = Session(model, Intervention(1, "", Slot.GRAD_INPUT, Scale(3)))
    with session.step():
        y = model(x * 1)
        y.sum().backward(retain_graph=True)
        y.sum().backward()
    assert x.grad.tolist() == [[12]]
    assert session.status.applied == 2
    badges = {badge.kind for badge in session.capture("", Slot.GRAD_INPUT, "args.0").badges}
    assert badges == {BadgeKind.LATER_PASS, BadgeKind.CHANGED}


def test_that_gradients_taken_by_autograd_grad_are_changed():
    model, x = linear([[2.0]]), torch.ones(1, 1, requires_grad=True)
    session = Session(
        model, Intervention(1, "", Slot.PARAMETER_GRAD, Scale(3)), Intervention(2, "", Slot.GRAD_OUTPUT, Scale(5))
    )
    with session.step():
        found = torch.autograd.grad(model(x * 1).sum(), [x, model.weight])
    assert [tensor.tolist() for tensor in found] == [[[10]], [[15]]]
