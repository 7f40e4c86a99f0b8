"""Backward from a gradient of the output: the same, bit for bit, as `output.backward(gradient)`; and why it cannot."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from hookscope.engine.failure_report import FailureError
from hookscope.engine.workloads.losses import compute_loss
from hookscope.protocol.failures import FailureKind
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensor_changes import Scale
from hookscope.protocol.workload import LossChoice, RunSettings
from tests.engine import trial_models
from tests.engine.driving import driving
from tests.engine.trying import MODELS, bits_of, intervene, look, on, prove, try_out

ONES, RANDOM, FILE = LossChoice.GRADIENT_ONES, LossChoice.GRADIENT_RANDOM, LossChoice.GRADIENT_FILE


@pytest.fixture
def driver():
    with driving() as started:
        yield started


def gradient_at(choice: LossChoice, output: torch.Tensor, file: Path | None = None, seed: int | None = 0):
    """Return what arrives at an output, and the loss."""
    leaf = output.clone().requires_grad_()
    loss = compute_loss(choice, None, leaf, None, seed=seed, gradient_file=str(file or ""))
    loss.backward()
    return leaf.grad, loss.item()


def trouble(choice: LossChoice, output: object, file: object = "") -> str:
    with pytest.raises(FailureError) as caught:
        compute_loss(choice, None, output, None, gradient_file=str(file))
    assert caught.value.failure.kind is FailureKind.GRADIENT_UNUSABLE
    return caught.value.failure.values["reason"]


def test_that_the_loss_of_a_gradient_is_the_sum_of_output_times_gradient(tmp_path: Path) -> None:
    np.save(tmp_path / "g.npy", np.array([2.0, -1.0]))
    gradient, loss = gradient_at(FILE, torch.tensor([3.0, 5.0]), tmp_path / "g.npy")
    assert gradient.tolist() == [2, -1]
    assert loss == 3 * 2 - 5
    assert gradient_at(ONES, torch.tensor([3.0, 5.0]))[1] == 8


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64])
def test_that_each_output_gets_exactly_its_gradient_whatever_its_values_are(dtype: torch.dtype, tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(4)
    output = torch.randn(3, 50, generator=generator).to(dtype) * 1e4
    output[0, 0] = float("inf")
    wanted = torch.randn(3, 50, generator=generator, dtype=torch.complex64 if dtype.is_complex else dtype)
    torch.save(wanted, tmp_path / "g.pt")
    assert torch.equal(gradient_at(FILE, output, tmp_path / "g.pt")[0], wanted)
    assert torch.equal(gradient_at(ONES, output)[0], torch.ones_like(output))
    drawn_as = torch.complex64 if dtype.is_complex else torch.float32
    drawn = torch.randn(3, 50, generator=torch.Generator().manual_seed(0), dtype=drawn_as)
    assert torch.equal(gradient_at(RANDOM, output)[0], drawn.to(dtype))


def test_that_a_model_gets_the_gradients_of_backward_with_that_gradient(tmp_path: Path) -> None:
    torch.manual_seed(2)
    model, x = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), torch.randn(5, 4)
    wanted = torch.randn(5, 3, dtype=torch.float64)
    torch.save(wanted, tmp_path / "g.pth")
    model(x).backward(wanted)
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    compute_loss(FILE, nn.MSELoss(), model(x), None, gradient_file=str(tmp_path / "g.pth")).backward()
    assert all(torch.equal(one.grad, other) for one, other in zip(model.parameters(), expected, strict=True))


def test_that_every_tensor_that_requires_a_gradient_gets_one_of_its_own() -> None:
    a, b = torch.zeros(3, requires_grad=True), torch.zeros(2, requires_grad=True)
    compute_loss(RANDOM, None, {"a": a, "b": [b, torch.ones(4)]}, None, seed=7).backward()
    drawn = torch.Generator().manual_seed(7)
    assert torch.equal(a.grad, torch.randn(3, generator=drawn))
    assert torch.equal(b.grad, torch.randn(2, generator=drawn))


def test_that_random_gradients_leave_the_random_state_alone_and_go_by_the_seed() -> None:
    state, output = torch.get_rng_state(), torch.zeros(6)
    first, second, other = (gradient_at(RANDOM, output, seed=seed)[0] for seed in (3, 3, 4))
    assert torch.equal(state, torch.get_rng_state())
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(gradient_at(RANDOM, output, seed=None)[0], gradient_at(RANDOM, output, seed=0)[0])


def test_that_a_file_that_does_not_do_says_what_was_expected_and_what_was_given(tmp_path: Path) -> None:
    output = torch.zeros(2, 1, requires_grad=True)
    files = {
        "flat.npy": np.zeros(2),
        "complex.npy": np.zeros((2, 1), np.complex64),
        "text.npy": np.array([["a"], ["b"]]),
    }
    for name, values in files.items():
        np.save(tmp_path / name, values)
    torch.save({"g": torch.zeros(2, 1)}, tmp_path / "state.pt")
    assert trouble(FILE, output) == "expected a .npy, .pt or .pth file, given none"
    assert trouble(FILE, output, "g.txt") == "expected a .npy, .pt or .pth file, given g.txt"
    missing = tmp_path / "missing.npy"
    assert trouble(FILE, output, missing) == f"expected a file that exists, given {missing}"
    assert trouble(FILE, output, tmp_path / "flat.npy") == "expected the output's shape (2, 1), given (2,)"
    expected = "expected real numbers, as the output is float32, given complex64"
    assert trouble(FILE, output, tmp_path / "complex.npy") == expected
    assert trouble(FILE, output, tmp_path / "text.npy") == "expected numbers, given an array of <U1"
    assert trouble(FILE, output, tmp_path / "state.pt") == "expected one tensor in state.pt, given a dict"
    two = {"a": output, "b": torch.zeros(3, requires_grad=True)}
    assert trouble(FILE, two, tmp_path / "flat.npy").endswith("given 2: out.a, out.b")


# -- in a step ------------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What a step of the lesson gave: the gradient at the output, at the leaf, and the loss."""

    at_output: list[list[float]]
    of_x: list[list[float]]
    loss: float | None


def step_with(driver, settings: RunSettings) -> Seen:
    driver.change(settings)
    driver.run()
    assert driver.failures == []
    finished = driver.finished[-1]
    assert finished.loss_choice is settings.loss
    return Seen(driver.values("", Slot.GRAD_OUTPUT, "out"), driver.values("", Slot.PARAMETER_GRAD, "x"), finished.loss)


def test_that_the_lesson_runs_from_ones_random_numbers_and_a_file(driver, tmp_path: Path) -> None:
    driver.load("example:not_scalar")
    driver.check("")
    assert step_with(driver, RunSettings(loss=ONES)) == Seen([[1], [1]], [[1], [1]], 6)
    drawn = torch.randn(2, 1, generator=torch.Generator().manual_seed(0))
    random = step_with(driver, RunSettings(loss=RANDOM))
    assert torch.allclose(torch.tensor(random.at_output), drawn, atol=1e-4)
    assert random.of_x == random.at_output
    np.save(tmp_path / "g.npy", np.array([[0.5], [-2.0]]))
    read = step_with(driver, RunSettings(loss=FILE, gradient_file=str(tmp_path / "g.npy")))
    assert read == Seen([[0.5], [-2]], [[0.5], [-2]], 3 * 0.5 - 3 * 2)


def test_that_a_step_without_its_file_fails_with_the_reason_and_the_next_one_runs(driver, tmp_path: Path) -> None:
    driver.load("example:not_scalar")
    driver.change(RunSettings(loss=FILE, gradient_file=str(tmp_path / "g.npy")))
    driver.run()
    (failed,) = driver.failures
    assert failed.failure.kind is FailureKind.GRADIENT_UNUSABLE
    assert "expected a file that exists" in failed.failure.values["reason"]
    np.save(tmp_path / "g.npy", np.ones((2, 1)))
    driver.run()
    assert driver.finished[-1].loss == 6


def test_that_a_trial_and_its_baseline_start_from_the_same_random_gradient(driver) -> None:
    driver.load(f"{MODELS}:training")
    driver.check("")
    driver.change(RunSettings(loss=RANDOM, restore_state=True))
    assert intervene(driver, on("last", Slot.OUTPUT, Scale(3.0))) == {}
    before = bits_of(trial_models.made[-1])
    trial = try_out(driver)
    assert bits_of(trial_models.made[-1]) == before
    assert trial.loss_after == pytest.approx(3 * trial.loss_before, rel=1e-5)
    gradient = TensorRef("", Slot.GRAD_OUTPUT, "out")
    difference = look(driver, gradient, trial.after, trial.before)
    assert (difference.minimum, difference.maximum) == (0, 0)
    assert prove(driver).differing == ()
