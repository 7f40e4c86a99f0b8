"""`hookscope.observe` with interventions, as a script uses it."""

import subprocess
import sys
import warnings

import pytest
import torch
from torch import nn

import hookscope
from hookscope import Intervention, changes
from tests.engine.intervening.running import gradients, hooks_on, same
from tests.engine.observing import linear


def model_and_input():
    model = nn.Sequential(linear([[1, 2], [3, 4]]), nn.ReLU(inplace=True), linear([[1, 1]]))
    return model, torch.ones(1, 2, requires_grad=True)


def test_that_a_script_changes_an_output_and_sees_what_comes_of_it():
    model, x = model_and_input()
    halved = Intervention("0", "output", changes.Scale(0.5), index=(slice(None), 1))
    with hookscope.observe(model, ["0", "2"], interventions=[halved]) as seen:
        model(x * 1).sum().backward()
    assert seen.tensor("0", "output").tolist() == [[3, 3.5]]
    assert seen.tensor("2", "output").tolist() == [[6.5]]
    assert x.grad.tolist() == [[1 + 1.5, 2 + 2]]
    (record,) = [record for record in seen.records() if "changed" in record.badges]
    assert (record.path, record.slot, record.leaf) == ("0", "output", "out")
    assert hooks_on(model) == 0


def test_that_the_module_need_not_be_observed_and_any_of_its_names_will_do():
    model = nn.ModuleDict({"first": linear([[2.0]])})
    model["again"] = model["first"]
    x = torch.ones(1, 1, requires_grad=True)
    with hookscope.observe(model, [], interventions=[Intervention("again", "grad_output", changes.Flip())]):
        model["first"](x).sum().backward()
    assert x.grad.tolist() == [[-2]]


@pytest.mark.parametrize("slot", ["input", "output", "grad_input", "grad_output", "parameter", "parameter_grad"])
def test_that_each_slot_can_be_named_and_nothing_stays(slot):
    model, x = model_and_input()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    with hookscope.observe(model, interventions=[Intervention("0", slot, changes.Scale(2))]) as seen:
        model(x * 1).sum().backward()
    assert [record.slot for record in seen.records() if "changed" in record.badges] == [slot]
    assert same({name: parameter.detach() for name, parameter in model.named_parameters()}, before)
    assert hooks_on(model) == 0


def test_that_an_operation_and_a_call_can_be_named():
    class Adding(nn.Module):
        def forward(self, x):
            return (x * 2) + 1

    model = Adding()
    ten = Intervention("", "output", changes.Constant(10), call=1, operation="mul:0")
    with hookscope.observe(model, interventions=[ten]):
        assert [model(torch.ones(1)).item() for _ in range(3)] == [3, 11, 3]


def test_that_without_interventions_the_numbers_stay():
    model, x = model_and_input()
    model(x * 1).sum().backward()
    plain = gradients(model)
    model.zero_grad()
    with hookscope.observe(model, interventions=()):
        model(x * 1).sum().backward()
    assert same(gradients(model), plain)


def test_that_an_exception_in_the_block_puts_parameters_back():
    model, x = model_and_input()
    zero = Intervention("0", "parameter", changes.Zero())
    with pytest.raises(RuntimeError), hookscope.observe(model, interventions=[zero]) as seen:
        model(torch.ones(1, 7))
    assert model(x).item() == 10
    assert seen.tensor("0", "parameter").tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("meant", "words"),
    [
        (Intervention("00", "output", changes.Zero()), "did you mean '0'"),
        (Intervention("0", "outputs", changes.Zero()), "did you mean 'output'"),
        (Intervention("0", "parameter", changes.Zero(), leaf="wight"), "did you mean 'weight'"),
    ],
)
def test_that_unknown_names_have_near_ones(meant, words):
    model, _ = model_and_input()
    with pytest.raises(KeyError, match=words):
        hookscope.observe(model, interventions=[meant])


def test_that_an_index_is_made_of_slices_and_ints():
    model, _ = model_and_input()
    with pytest.raises(TypeError, match="slices and ints"):
        hookscope.observe(model, interventions=[Intervention("0", "output", changes.Zero(), index=(...,))])


def test_that_what_can_never_be_is_refused_on_entering():
    model, _ = model_and_input()
    refused = Intervention("0", "grad_output", changes.StopGradient())
    with pytest.raises(ValueError, match="StopGradient"), hookscope.observe(model, interventions=[refused]):
        pytest.fail("it was entered")
    assert hooks_on(model) == 0


@pytest.mark.parametrize("slot", ["output", "grad_output", "parameter"])
def test_that_what_cannot_be_made_of_the_tensor_is_a_value_error(slot):
    model, x = model_and_input()
    wrong = Intervention("0", slot, changes.Replace(torch.ones(5)))
    with pytest.raises(ValueError, match="expected"), hookscope.observe(model, interventions=[wrong]):
        model(x * 1).sum().backward()
    assert hooks_on(model) == 0
    assert model(x).item() == 10


def test_that_one_that_never_acts_is_warned_of_at_the_line_of_the_block():
    model, x = model_and_input()
    idle = Intervention("2", "output", changes.Zero(), call=3)
    with (
        pytest.warns(UserWarning, match="'2' output did not act") as caught,
        hookscope.observe(model, interventions=[idle]),
    ):
        model(x)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyError), hookscope.observe(model, interventions=[idle]):
            raise KeyError


def test_that_blocks_may_be_nested():
    model, x = model_and_input()
    outer, inner = (Intervention("2", "output", change) for change in (changes.Add(1), changes.Scale(2)))
    with hookscope.observe(model, interventions=[outer]) as first:
        with hookscope.observe(model, interventions=[inner]) as second:
            y = model(x * 1)
        y.sum().backward()
        model(x * 1)
    assert y.item() == 21
    assert first.tensor("2", "output").item() == second.tensor("2", "output").item() == y.item()
    assert first.tensor("2", "output", call=1).item() == 11
    assert hooks_on(model) == 0


def test_that_naming_changes_loads_neither_torch_nor_numpy_first():
    code = (
        "import sys, hookscope\nassert 'torch' not in sys.modules\n"
        "hookscope.changes.Scale(2.0)\nfrom hookscope import changes\nassert 'torch' not in sys.modules\n"
        "assert hookscope.Intervention('a', 'output', changes.Zero()).path == 'a'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
