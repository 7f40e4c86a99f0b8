"""What `hookscope.observe` is asked for by name, and what it says when that is not there."""

import pytest
import torch
from torch import nn

import hookscope
from hookscope.protocol.tensors import BadgeKind
from tests.engine.acceptance.seeing import TWO, absence, leaf_tensor, linear, value


def two_layers():
    return nn.Sequential(linear(TWO), linear(TWO))


@pytest.mark.parametrize(
    ("modules", "paths"),
    [
        ("*", {"", "0", "1"}),
        ("", {""}),
        ("[01]", {"0", "1"}),
        (["1"], {"1"}),
        (["", "0*"], {"", "0"}),
        ([], set()),
    ],
)
def test_that_modules_are_chosen_by_paths_and_globs(modules, paths):
    model = two_layers()
    with hookscope.observe(model, modules) as seen:
        model(torch.ones(1, 2)).sum().backward()
    assert {record.path for record in seen.records()} == paths


def test_that_a_module_is_found_under_each_of_its_names():
    model = nn.ModuleDict({"first": linear(TWO)})
    model["again"] = model["first"]
    with hookscope.observe(model, "again") as seen:
        model["again"](torch.ones(1, 2)).sum().backward()
    assert {record.path for record in seen.records()} == {"first"}
    assert value(seen, "again", "output") == value(seen, "first", "output") == [[2, 2]]


def test_that_without_a_backward_pass_every_gradient_says_so():
    model = linear(TWO)
    with hookscope.observe(model) as seen:
        model(leaf_tensor([[1, 1]]))
    for slot in ("grad_output", "grad_input", "parameter_grad"):
        assert "no backward pass has run" in absence(seen, "", slot)


@pytest.mark.parametrize(
    ("slot", "call", "reason"),
    [
        ("parameter", 0, "no parameters"),
        ("parameter_grad", 1, "belong to no call"),
        ("input", 0, "is no tensor, so it has no values and no gradient. (str: 'text')"),
        ("output", 0, "(int: 7)"),
        ("grad_input", 0, "no tensor whose gradient"),
    ],
)
def test_that_what_cannot_be_there_is_said(slot, call, reason):
    class Seven(nn.Module):
        def forward(self, text):
            return 7

    model = Seven()
    with hookscope.observe(model) as seen:
        model("text")
    assert reason in absence(seen, "", slot, call=call)


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda model: hookscope.observe(model, "layer1.con"), "no module 'layer1.con'; did you mean 'layer1.conv' or"),
        (lambda model: hookscope.observe(model, ["layer1", "xyz*"]), "no module 'xyz*'; there are '', 'layer1'"),
        (lambda model: hookscope.observe(model, backward="exakt"), "'exakt'; did you mean 'exact'?"),
    ],
)
def test_that_a_wrong_name_is_answered_with_the_nearest_ones(ask, answer):
    model = nn.ModuleDict({"layer1": nn.ModuleDict({"conv": linear(TWO)})})
    with pytest.raises(KeyError) as caught:
        ask(model)
    assert answer in str(caught.value)
    assert isinstance(caught.value, LookupError)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("convv", "output"), "no module 'convv'; did you mean 'conv'?"),
        (("rest", "output"), "'rest' is not observed; observed are 'conv'"),
        (("conv", "outputs"), "no slot 'outputs'; did you mean 'output'"),
        (("conv", "activation"), "no slot 'activation'; there are 'input', 'output'"),
        (("conv", "output", 0, "args.0"), "no leaf 'args.0'; there are 'out'"),
        (("conv", "parameter"), "several leaves, name the one that is meant: 'weight', 'bias'"),
    ],
)
def test_that_asking_for_what_there_is_not_names_what_there_is(arguments, answer):
    model = nn.ModuleDict({"conv": nn.Linear(2, 2), "rest": nn.Linear(2, 2)})
    with hookscope.observe(model, "conv") as seen:
        model["conv"](torch.ones(1, 2)).sum().backward()
    with pytest.raises(KeyError) as caught:
        seen.tensor(*arguments)
    assert answer in str(caught.value)


def test_that_every_absence_has_a_plain_sentence():
    model = two_layers()
    model[1].weight.requires_grad_(False)
    with hookscope.observe(model) as seen:
        model(torch.ones(1, 2)).sum().backward()
    assert absence(seen, "1", "parameter_grad") == "The parameter does not require grad, so it gets no gradient."
    record = next(r for r in seen.records() if (r.path, r.slot) == ("0", "grad_input"))
    assert (record.shape, record.dtype, record.device) == (None, None, None)
    assert record.badges == (BadgeKind.INPUT_NEEDS_NO_GRAD,)
    assert record.remarks == (absence(seen, "0", "grad_input"),)
