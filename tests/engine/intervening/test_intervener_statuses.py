"""What is said of interventions that did not act, that were refused, and that failed."""

from types import MappingProxyType

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from hookscope.engine.intervening.intervener import InterventionFailed
from hookscope.engine.intervening.statuses import idle_reason
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Idle, Intervention, InterventionStatus
from hookscope.protocol.tensor_changes import Expression, FromFile, Noise, Replace, Scale, StopGradient, StraightThrough
from tests.engine.intervening.running import Session, hooks_on, same
from tests.engine.observing import linear

TWICE = Scale(2)


class Many(nn.Module):
    """Has something of everything that cannot be changed."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.never = nn.Linear(2, 2)
        self.pick = nn.Identity()
        self.index = Indices()
        self.unused = Unused()
        self.chain = nn.Sequential(nn.Linear(2, 2))
        self.frozen = nn.Linear(2, 2).requires_grad_(False)

    def forward(self, x):
        h = self.first(self.frozen(x))
        h = h + self.index(h)[0]
        self.pick(h)
        with torch.no_grad():
            self.chain(h)
        return self.unused(h, h * 2).sum()


class Indices(nn.Module):
    def forward(self, x):
        return x.argmax(-1, keepdim=True), {"values": x * 1}


class Unused(nn.Module):
    def forward(self, x, _y):
        return x + 1


@pytest.mark.parametrize(
    ("meant", "idle", "detail"),
    [
        (Intervention(1, "first", Slot.OUTPUT, TWICE, enabled=False), Idle.OFF, ""),
        (Intervention(1, "frist", Slot.OUTPUT, TWICE), Idle.UNKNOWN_MODULE, "first"),
        (Intervention(1, "never", Slot.OUTPUT, TWICE), Idle.NEVER_CALLED, ""),
        (Intervention(1, "never", Slot.GRAD_INPUT, TWICE), Idle.NEVER_CALLED, ""),
        (Intervention(1, "first", Slot.OUTPUT, TWICE, call=1), Idle.NO_SUCH_CALL, "1"),
        (Intervention(1, "first", Slot.OUTPUT, TWICE, leaf="out.0"), Idle.NO_SUCH_LEAF, "out"),
        (Intervention(1, "first", Slot.INPUT, TWICE, leaf="args.1"), Idle.NO_SUCH_LEAF, "args.0"),
        (Intervention(1, "index", Slot.OUTPUT, TWICE), Idle.SEVERAL_LEAVES, "out.0, out.1.values"),
        (Intervention(1, "unused", Slot.GRAD_INPUT, TWICE), Idle.SEVERAL_LEAVES, "args.0, args.1"),
        (Intervention(1, "first", Slot.PARAMETER, TWICE), Idle.SEVERAL_LEAVES, "weight, bias"),
        (Intervention(1, "first", Slot.PARAMETER, TWICE, leaf="wight"), Idle.NO_SUCH_LEAF, "weight, bias"),
        (Intervention(1, "pick", Slot.PARAMETER_GRAD, TWICE), Idle.NO_SUCH_LEAF, ""),
        (
            Intervention(1, "unused", Slot.OUTPUT, TWICE, operation="add:1"),
            Idle.NO_SUCH_OPERATION,
            "add:0",
        ),
        (Intervention(1, "pick", Slot.GRAD_OUTPUT, TWICE), Idle.NO_GRADIENT, "no_gradient_reached"),
        (Intervention(1, "frozen", Slot.GRAD_OUTPUT, TWICE), Idle.NO_GRADIENT, "output_needs_no_grad"),
        (Intervention(1, "frozen", Slot.GRAD_INPUT, TWICE), Idle.NO_GRADIENT, "input_needs_no_grad"),
        (Intervention(1, "chain.0", Slot.GRAD_OUTPUT, TWICE), Idle.NO_GRADIENT, "no_grad_mode"),
        (Intervention(1, "chain.0", Slot.GRAD_INPUT, TWICE), Idle.NO_GRADIENT, "no_grad_mode"),
        (Intervention(1, "index", Slot.GRAD_OUTPUT, TWICE, leaf="out.0"), Idle.NO_GRADIENT, "integer_output"),
        (Intervention(1, "unused", Slot.GRAD_INPUT, TWICE, leaf="args.1"), Idle.NO_GRADIENT, "no_path_to_input"),
        (Intervention(1, "frozen", Slot.PARAMETER_GRAD, TWICE, leaf="bias"), Idle.NO_GRADIENT, "frozen"),
        (Intervention(1, "never", Slot.PARAMETER_GRAD, TWICE, leaf="bias"), Idle.NO_GRADIENT, "no_gradient_reached"),
    ],
)
def test_that_an_intervention_that_did_not_act_says_why(meant, idle, detail):
    other = Intervention(2, "first", Slot.OUTPUT, Scale(1))  # with none that is on, there is nothing to say
    session = Session(Many(), meant, other).run(lambda m: m(torch.ones(1, 2)))
    status = session.intervener.statuses()[0]
    assert (status.applied, status.idle, status.detail) == (0, idle, detail)
    assert idle_reason(status)


def test_that_every_reason_has_words():
    for idle in Idle:
        assert "{" not in idle_reason(InterventionStatus(1, 0, idle=idle, detail=""))


class Overwriting(nn.Module):
    """Uses its input twice and then writes into it."""

    def forward(self, x):
        y = x * 3 + x * 1
        x.add_(1)
        return y + x


def test_that_an_input_that_is_used_and_then_written_to_cannot_have_its_gradient_changed():
    x = torch.ones(2, requires_grad=True)
    session = Session(Overwriting(), Intervention(1, "", Slot.GRAD_INPUT, Scale(0))).run(lambda m: m(x * 1).sum())
    assert session.status.idle is Idle.INPUT_OVERWRITTEN
    assert x.grad.tolist() == [5, 5]


def test_that_a_returned_input_that_is_written_to_afterwards_says_so():
    model = nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))
    x = torch.ones(2, requires_grad=True)
    session = Session(model, Intervention(1, "0", Slot.GRAD_INPUT, Scale(5))).run(lambda m: m(x * 1).sum())
    assert session.status.idle is Idle.INPUT_OVERWRITTEN
    assert x.grad.tolist() == [1, 1]


def test_that_a_step_that_raises_says_what_it_did_not_come_to():
    class Raising(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = linear([[1.0]]), linear([[1.0]])

        def forward(self, x):
            raise RuntimeError(f"after {self.first(x)}")

    session = Session(
        Raising(), Intervention(1, "first", Slot.OUTPUT, TWICE), Intervention(2, "second", Slot.OUTPUT, TWICE)
    )
    with pytest.raises(RuntimeError), session.step():
        session.model(torch.ones(1, 1))
    first, second = session.intervener.statuses()
    assert (first.idle, second.idle) == (None, Idle.STEP_ENDED)


def test_that_what_it_made_non_finite_is_said():
    session = Session(linear([[1.0]]), Intervention(1, "", Slot.OUTPUT, Expression("x / 0")))
    session.run(lambda m: m(torch.ones(2, 1)).sum())
    assert "2" in session.status.warning


@pytest.mark.parametrize(
    ("meant", "words"),
    [
        (Intervention(7, "", Slot.OUTPUT, Expression("x +")), ""),
        (Intervention(7, "", Slot.OUTPUT, Expression("nonsense")), "nonsense"),
        (Intervention(7, "", Slot.OUTPUT, FromFile("/nowhere/at/all.npy")), "/nowhere/at/all.npy"),
        (Intervention(7, "", Slot.GRAD_OUTPUT, StopGradient()), "StopGradient"),
        (Intervention(7, "", Slot.PARAMETER_GRAD, StraightThrough(TWICE)), "StraightThrough"),
        (Intervention(7, "", Slot.PARAMETER, StopGradient()), "StopGradient"),
        (Intervention(7, "", Slot.INPUT, TWICE, operation="add:0"), "input"),
        (Intervention(7, "", Slot.PARAMETER, TWICE, call=1), "call"),
        (Intervention(7, "", Slot.OUTPUT, TWICE, call=-1), "-1"),
    ],
)
def test_that_what_can_never_be_is_refused_and_the_others_act(meant, words):
    session = Session(linear([[1.0]]), meant, Intervention(8, "", Slot.OUTPUT, TWICE))
    assert list(session.refused) == [7]
    assert words in session.refused[7]
    session.run(lambda m: m(torch.ones(1, 1)).sum())
    assert [status.id for status in session.intervener.statuses()] == [8]


def parameters(model):
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


WRONG_SHAPE = Replace([1.0, 2.0, 3.0])


@pytest.mark.parametrize("slot", [slot for slot in Slot if slot is not Slot.PARAMETER])
@pytest.mark.parametrize("wrap", [lambda m, x: m(x), lambda m, x: checkpoint(m, x, use_reentrant=False)])
def test_that_a_change_that_fails_in_a_hook_ends_the_step_and_leaves_the_model_as_it_was(slot, wrap):
    class Catching(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = linear([[1, 2], [3, 4]])

        def forward(self, x):
            try:
                return wrap(self.part, x * 1).sum()
            except Exception:
                return x.sum()

    model = Catching()
    before = parameters(model)
    x = torch.ones(1, 2, requires_grad=True)
    session = Session(
        model, Intervention(3, "part", slot, WRONG_SHAPE), Intervention(4, "part", Slot.PARAMETER, Scale(5))
    )
    with pytest.raises(InterventionFailed) as caught:
        session.run(lambda m: m(x))
    values = caught.value.values
    leaf = {"input": "args.0", "grad_input": "args.0", "parameter_grad": "weight"}.get(slot.value, "out")
    assert (values["id"], values["slot"], values["leaf"]) == ("3", slot.value, leaf)
    assert "expected" in values["reason"]
    assert "(3,)" in values["reason"]
    assert caught.value.path == "part"
    assert same(parameters(model), before)
    session.close()
    assert hooks_on(model) == 0


def test_that_a_parameter_that_cannot_be_changed_fails_before_the_step_and_those_before_it_are_put_back():
    model = nn.Sequential(linear([[1.0]]), linear([[2.0]]))
    session = Session(
        model, Intervention(1, "0", Slot.PARAMETER, Scale(9)), Intervention(2, "1", Slot.PARAMETER, WRONG_SHAPE)
    )
    with pytest.raises(InterventionFailed):
        session.run(lambda m: m(torch.ones(1, 1)).sum())
    assert [parameter.item() for parameter in model.parameters()] == [1, 2]


def test_that_a_container_that_cannot_be_made_anew_fails_in_words():
    class Taking(nn.Module):
        def forward(self, given):
            return given["x"].sum()

    session = Session(Taking(), Intervention(1, "", Slot.INPUT, Scale(2), leaf="args.0.x"))
    with pytest.raises(InterventionFailed, match=r"args\.0\.x"):
        session.run(lambda m: m(MappingProxyType({"x": torch.ones(1)})))


def test_that_noise_is_the_same_in_every_step():
    model = linear([[1.0, 2.0]])
    session = Session(model, Intervention(1, "", Slot.INPUT, Noise(1.0)))
    found = []
    for _ in range(2):
        session.run(lambda m: m(torch.ones(1, 2)).sum())
        found.append(session.value("", Slot.INPUT, "args.0"))
    assert found[0] == found[1] != [[1, 1]]
