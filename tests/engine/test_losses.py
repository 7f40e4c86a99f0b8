"""The one number that backward starts from, and why there may be none."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from hookscope.engine.failure_report import FailureError
from hookscope.engine.workloads.losses import compute_loss
from hookscope.protocol.failures import Failure, FailureKind
from hookscope.protocol.workload import LossChoice

AUTO = LossChoice.AUTO
X = torch.ones(3)


def grows(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


@dataclass
class Output:
    loss: torch.Tensor | None
    logits: torch.Tensor


def number(choice: LossChoice, loss: object, output: object, targets: object) -> float:
    made = compute_loss(choice, loss, output, targets)
    assert made.requires_grad
    return made.item()


def failure(choice: LossChoice, loss: object, output: object, targets: object = None) -> Failure:
    with pytest.raises(FailureError) as caught:
        compute_loss(choice, loss, output, targets)
    return caught.value.failure


def test_that_the_workloads_loss_comes_first() -> None:
    output = Output(grows(9.0), grows(1.0, 3.0))
    assert number(AUTO, lambda out, targets: nn.functional.mse_loss(out.logits, targets), output, torch.zeros(2)) == 5


def test_that_a_loss_of_one_argument_gets_the_output_alone() -> None:
    assert number(AUTO, lambda output: output.sum(), grows(1.0, 3.0), None) == 4
    assert number(AUTO, lambda output: output.sum(), grows(1.0, 3.0), torch.zeros(2)) == 4


def test_that_a_loss_with_an_optional_second_argument_gets_the_targets_when_there_are_some() -> None:
    def loss(output: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return output.sum() * scale

    assert number(AUTO, loss, grows(1.0, 3.0), None) == 4
    assert number(AUTO, loss, grows(1.0, 3.0), 2.0) == 8


@pytest.mark.parametrize("output", [Output(grows(7.0), grows(1.0, 2.0)), {"loss": grows(7.0), "logits": grows(1.0)}])
def test_that_the_outputs_own_loss_is_taken_without_a_workload_loss(output: object) -> None:
    assert number(AUTO, None, output, None) == 7


def test_that_an_output_of_one_number_is_its_own_loss() -> None:
    output = grows(3.0)
    assert compute_loss(AUTO, None, output, None) is output


@pytest.mark.parametrize(
    ("choice", "expected"), [(LossChoice.SUM, 2 + 4), (LossChoice.MEAN, 1 + 4), (LossChoice.MEAN_SQUARE, 5 + 16)]
)
def test_that_a_choice_adds_up_every_leaf_that_requires_a_gradient(choice: LossChoice, expected: float) -> None:
    output = {"a": grows(-1.0, 3.0), "b": [grows(4.0), torch.tensor([7])], "c": torch.tensor([50.0])}
    assert number(choice, None, output, None) == expected


def test_that_a_choice_in_the_window_overrules_the_workloads_loss() -> None:
    assert number(LossChoice.SUM, nn.MSELoss(), grows(1.0, 3.0), torch.zeros(2)) == 4


def test_that_a_workloads_loss_may_be_a_name() -> None:
    assert number(AUTO, "mean_square", grows(1.0, 3.0), None) == 5


def test_that_a_sum_in_half_precision_does_not_overflow() -> None:
    output = torch.full((100,), 1000.0, dtype=torch.float16, requires_grad=True)
    assert number(LossChoice.SUM, None, output, None) == 100_000


def test_that_complex_outputs_count_by_their_magnitude() -> None:
    output = torch.tensor([3 + 4j], requires_grad=True)
    assert number(LossChoice.SUM, None, output, None) == 5


def test_that_a_complex_number_is_no_loss_by_itself() -> None:
    output = torch.tensor(3 + 4j, requires_grad=True)
    assert failure(AUTO, None, output).values == {"shape": "(), and is complex64"}


def test_that_a_tensor_of_several_numbers_is_refused_with_its_shape() -> None:
    output = torch.zeros(2, 1, requires_grad=True) + 2
    refused = failure(AUTO, None, output)
    assert refused.kind is FailureKind.LOSS_NOT_SCALAR
    assert refused.values == {"shape": "(2, 1)"}


@pytest.mark.parametrize(
    ("choice", "output", "given"),
    [
        (AUTO, (grows(1.0), grows(2.0)), "a tuple"),
        (AUTO, None, "None"),
        (AUTO, Output(None, grows(1.0)), "an Output"),
        (LossChoice.MEAN, {"n": 3}, "a dict"),
    ],
)
def test_that_an_output_without_any_loss_is_named(choice: LossChoice, output: object, given: str) -> None:
    missing = failure(choice, None, output)
    assert missing.kind is FailureKind.LOSS_MISSING
    assert missing.values == {"given": given}


@pytest.mark.parametrize(
    ("choice", "output"),
    [
        (AUTO, torch.tensor(3.0)),
        (AUTO, torch.tensor(3)),
        (LossChoice.SUM, torch.ones(3)),
        (LossChoice.SUM, {"a": torch.ones(3)}),
    ],
)
def test_that_a_loss_without_a_graph_is_refused(choice: LossChoice, output: object) -> None:
    assert failure(choice, None, output).kind is FailureKind.LOSS_NEEDS_NO_GRAD


def test_that_a_loss_that_raises_is_reported_by_name_with_its_exception() -> None:
    report = failure(AUTO, nn.MSELoss(), "text", torch.zeros(2))
    assert report.kind is FailureKind.LOSS_RAISED
    assert report.values == {"loss": "MSELoss"}
    assert report.exception is not None


def test_that_a_loss_that_gives_no_tensor_says_what_it_gave() -> None:
    report = failure(AUTO, lambda output: output.item(), grows(1.0))
    assert report.kind is FailureKind.LOSS_RAISED
    assert report.exception is not None
    assert "returned a float" in report.exception.message


class Stop(BaseException):
    pass


def test_that_a_stop_from_within_the_loss_passes_through() -> None:
    def loss(output: torch.Tensor) -> torch.Tensor:
        raise Stop

    with pytest.raises(Stop):
        compute_loss(AUTO, loss, grows(1.0), None)
