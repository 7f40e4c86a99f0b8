"""Written scripts as programs: one step of a model, run where hookscope is not."""

import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import hookscope
from hookscope.client.script_writer import write_script
from hookscope.engine.workloads.losses import compute_loss
from hookscope.engine.workloads.synthetic import synthesize
from hookscope.protocol import tensor_changes as kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.interventions import Intervention
from hookscope.protocol.tensors import Array
from hookscope.protocol.workload import ExampleSource, LossChoice, RunSettings, SyntheticInput
from tests.client.written_scripts import PLACES, X, as_in_scripts, loaded

MODEL = """
from types import SimpleNamespace

import torch
from torch import nn


def workload():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5), nn.Linear(3, 2))
    batches = [(torch.ones(2, 4), torch.tensor([0, 1])), (torch.zeros(2, 4), torch.tensor([1, 1]))]
    return SimpleNamespace(model=model, inputs=batches, targets=None, loss=nn.CrossEntropyLoss())
"""


def test_that_a_script_runs_without_hookscope_and_reproduces_the_numbers(tmp_path: Path) -> None:
    model_file, script_file = tmp_path / "small_model.py", tmp_path / "written.py"
    model_file.write_text(MODEL)
    interventions = [
        Intervention(1, "0", Slot.OUTPUT, kinds.StraightThrough(kinds.Replace(Array.of(np.array([1.0, -2.0, 3.0]))))),
        Intervention(2, "2", Slot.GRAD_OUTPUT, kinds.Noise(0.1), note="as in\nthe paper"),
        Intervention(3, "0", Slot.PARAMETER_GRAD, kinds.Scale(2.0), "bias"),
    ]
    script_file.write_text(write_script(interventions, None, comment='What if "this" \\ were so?'))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = subprocess.run(
        [sys.executable, "-I", "-W", "error", str(script_file), str(model_file)],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    namespace = types.ModuleType("small_model").__dict__
    exec(MODEL, namespace)
    workload = namespace["workload"]()
    torch.manual_seed(0)
    inputs, targets = workload.inputs[0]
    with hookscope.observe(workload.model, interventions=as_in_scripts(interventions)):
        loss = workload.loss(workload.model(inputs), targets)
        loss.backward()
    lines = dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())
    assert lines.pop("loss") == f"{loss.item():.9g}"
    gradients = {name: parameter.grad for name, parameter in workload.model.named_parameters()}
    assert lines == {name: f"{grad.norm().item():.9g}" for name, grad in gradients.items() if grad is not None}


def test_that_a_script_without_a_model_says_how_it_is_used(tmp_path: Path) -> None:
    script = loaded(write_script([], None, comment="Nothing."))
    assert script.intervene(nn.Linear(1, 1)) == []
    assert "model.py:workload" in (script.__doc__ or "")


def test_that_made_up_inputs_are_those_of_the_engine() -> None:
    asked = (SyntheticInput((2, 3)), SyntheticInput((4,), "int64", 9), SyntheticInput((2,), "bfloat16"))
    made = loaded(write_script([], None, inputs=asked)).first_batch(nn.Linear(3, 1))[0]
    for given, expected in zip(made, synthesize(asked), strict=True):
        assert given.dtype is expected.dtype
        assert torch.equal(given, expected)


@pytest.mark.parametrize("choice", [choice for choice in LossChoice if choice is not LossChoice.GRADIENT_FILE])
def test_that_the_loss_is_that_of_the_engine(choice: LossChoice) -> None:
    script = loaded(write_script([], None, settings=RunSettings(loss=choice)))
    output = {"loss": X.sum().requires_grad_(), "more": [X.clone().requires_grad_()]}
    for own in (None, "mean_square", nn.MSELoss()):
        own_is_used = choice is LossChoice.AUTO and callable(own)
        value: Any = output["more"][0] if own_is_used else output
        targets = torch.ones_like(X)
        workload = types.SimpleNamespace(loss=own)
        assert torch.equal(script.loss_of(workload, value, targets), compute_loss(choice, own, value, targets))


@pytest.mark.parametrize("name", ["g.npy", "g.pt"])
def test_that_the_gradient_in_a_file_is_that_of_the_engine(name: str, tmp_path: Path) -> None:
    file, gradient = tmp_path / name, torch.linspace(-1, 1, X.numel(), dtype=torch.float64).view(X.shape)
    if name.endswith(".npy"):
        np.save(file, gradient.numpy())
    else:
        torch.save(gradient, file)
    script = loaded(
        write_script([], None, settings=RunSettings(loss=LossChoice.GRADIENT_FILE, gradient_file=str(file)))
    )
    output = X.clone().requires_grad_()
    script.loss_of(types.SimpleNamespace(), output, None).backward()
    assert torch.equal(output.grad, gradient.float())


@pytest.mark.parametrize("choice", LossChoice)
def test_that_each_loss_looks_as_if_it_was_written_by_hand(choice: LossChoice) -> None:
    look_hand_written(write_script([], None, settings=RunSettings(loss=choice, gradient_file="/data/g.npy")))


def test_that_a_batch_is_taken_as_the_engine_takes_it() -> None:
    first_batch = loaded(write_script([], None)).first_batch
    pairs = [(X, 1), (X, 2)]
    for inputs, targets, loss, expected in (
        (X, 5, None, ((X,), {}, 5)),
        ((X, 2), None, nn.MSELoss(), ((X, 2), {}, None)),
        ({"x": X}, 5, None, ((), {"x": X}, 5)),
        (pairs, None, nn.MSELoss(), ((X,), {}, 1)),
        (pairs, None, None, ((X, 1), {}, None)),
        ([X, X], [3, 4], nn.MSELoss(), ((X,), {}, 3)),
    ):
        assert first_batch(types.SimpleNamespace(inputs=inputs, targets=targets, loss=loss)) == expected


def test_that_a_script_of_an_example_runs_where_hookscope_is(capsys: pytest.CaptureFixture[str]) -> None:
    doubled = Intervention(1, "", Slot.GRAD_OUTPUT, kinds.Scale(2.0), operation="add:0")
    script = loaded(write_script([doubled], ExampleSource("non_leaf")))
    before, sys.argv = sys.argv, ["script.py"]
    try:
        script.main()
    finally:
        sys.argv = before
    norm = f"{torch.full((2,), 4.0).norm().item():.9g}"
    assert capsys.readouterr().out.split() == ["loss", "20", "a", norm, "b", norm, "d", "10"]


@pytest.mark.parametrize("name", ["several in their order", "expression with a module", "operation in place"])
def test_that_scripts_look_as_if_they_were_written_by_hand(name: str) -> None:
    look_hand_written(write_script(PLACES[name], None, comment="A comment."))


def look_hand_written(script: str) -> None:
    for arguments in (["check", "--select", "E,F,I,W,UP,B"], ["format", "--diff"]):
        run = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--isolated", "--line-length", "120", "-"],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
