"""What a workload accepts, and what it refuses in which words."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

import hookscope
from hookscope.engine.workloads.workload import NAMED_LOSSES, Workload, length_of, loss_name, takes

X = torch.ones(2, 3)


def double(output: torch.Tensor) -> torch.Tensor:
    return output * 2


def test_that_the_public_workload_is_the_engines() -> None:
    assert hookscope.Workload is Workload


@pytest.mark.parametrize(
    "inputs",
    [X, (X, 3), {"x": X}, [X, X], iter([X]), DataLoader(TensorDataset(X)), ()],
    ids=["tensor", "tuple", "dict", "list", "iterator", "loader", "no arguments"],
)
def test_that_every_documented_kind_of_input_is_accepted(inputs: object) -> None:
    assert Workload(nn.Linear(3, 1), inputs).inputs is inputs


@pytest.mark.parametrize("loss", [None, nn.MSELoss(), double, *NAMED_LOSSES])
def test_that_every_documented_kind_of_loss_is_accepted(loss: object) -> None:
    assert Workload(nn.Linear(3, 1), X, loss=loss).loss is loss


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"model": nn.Linear}, TypeError, "model must be a torch.nn.Module or a function, not the class Linear"),
        ({"inputs": 3}, TypeError, "iterable of batches, not int"),
        ({"inputs": "x"}, TypeError, "iterable of batches, not str"),
        ({"inputs": np.ones(3)}, TypeError, "torch.from_numpy"),
        ({"inputs": {3: X}}, TypeError, "keys must be texts"),
        ({"inputs": []}, ValueError, "inputs holds no batch"),
        ({"inputs": [X, X], "targets": [X]}, ValueError, "2 batches, but targets holds 1"),
        ({"loss": "median"}, TypeError, "mean_square"),
        ({"loss": 3}, TypeError, "loss must be a callable"),
        ({"optimizer": "sgd"}, TypeError, "optimizer must be a torch.optim.Optimizer or None, not str"),
    ],
)
def test_that_an_unusable_argument_is_refused_with_what_is_needed(
    arguments: dict[str, object], error: type[Exception], words: str
) -> None:
    given = {"model": nn.Linear(3, 1), "inputs": X} | arguments
    with pytest.raises(error, match=words):
        Workload(**given)


def test_that_a_list_of_targets_beside_one_batch_is_one_value() -> None:
    boxes = [{"boxes": X}, {"boxes": X}, {"boxes": X}]
    assert Workload(nn.Linear(3, 1), X, targets=boxes).targets is boxes


def test_that_the_arguments_of_a_loss_are_those_of_its_forward() -> None:
    assert takes(nn.CrossEntropyLoss(), 2)
    assert not takes(nn.CrossEntropyLoss(), 1)
    assert takes(double, 1)
    assert not takes(double, 2)


def test_that_a_builtin_loss_without_a_signature_takes_two_arguments() -> None:
    assert takes(torch.nn.functional.cosine_similarity, 2)
    assert not takes(torch.nn.functional.cosine_similarity, 1)


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (None, ""),
        ("mean", "mean"),
        (nn.CrossEntropyLoss(), "CrossEntropyLoss"),
        (nn.functional.mse_loss, "mse_loss"),
        (partial(nn.functional.mse_loss, reduction="sum"), "mse_loss"),
        (lambda output: output, "lambda"),
    ],
)
def test_that_a_loss_is_called_by_its_name(loss: object, name: str) -> None:
    assert loss_name(loss) == name


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield X


def test_that_a_loader_over_an_endless_data_set_has_no_length() -> None:
    assert length_of(DataLoader(Endless())) is None
