"""Shapes of inputs and outputs."""

from typing import NamedTuple

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import BadgeKind
from tests.engine.observing import step

TWO = [[2.0, 0.0], [0.0, 2.0]]


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


def test_case_016_a_named_tuple_keeps_its_type():
    kept = []

    class Making(nn.Module):
        def forward(self, x):
            return Pair(x * 2, x * 3)

    x = torch.ones(2, requires_grad=True)
    seen = step(Making(), lambda m: kept.append(m(x)) or kept[0].second.sum())
    assert type(kept[0]) is Pair
    assert seen.value("", Slot.GRAD_OUTPUT, "out.1") == [1, 1]
    assert seen.value("", Slot.GRAD_INPUT, "args.0") == [3, 3]


def test_case_016_every_state_of_an_lstm_is_a_leaf():
    model = nn.LSTM(2, 3, batch_first=True)
    seen = step(model, lambda m: m(torch.ones(1, 4, 2))[1][0].sum())
    assert seen.leaves("", Slot.OUTPUT) == ["out.0", "out.1.0", "out.1.1"]
    assert seen.leaves("", Slot.GRAD_OUTPUT) == ["out.1.0"]
    assert seen.badges("", Slot.GRAD_OUTPUT, "out.0") == [BadgeKind.NO_GRADIENT_REACHED]


def test_case_016_a_packed_sequence_is_entered():
    packed = pack_padded_sequence(torch.ones(2, 3, 2), torch.tensor([3, 2]), batch_first=True)
    seen = step(nn.GRU(2, 3, batch_first=True), lambda m: m(packed)[0].data.sum())
    assert "out.0.0" in seen.leaves("", Slot.OUTPUT)
    assert seen.leaves("", Slot.GRAD_OUTPUT) == ["out.0.0"]


def test_case_018_lists_of_tensors_and_no_tensor_at_all():
    class Concatenate(nn.Module):
        def forward(self, tensors, dim):
            return torch.cat(tensors, dim)

    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    seen = step(Concatenate(), lambda m: (m([a, b], 0) * torch.tensor([1.0, 2.0])).sum())
    assert seen.value("", Slot.GRAD_INPUT, "args.0.0") == [1]
    assert seen.value("", Slot.GRAD_INPUT, "args.0.1") == [2]

    class Nothing(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = nn.Parameter(torch.ones(2))

        def forward(self, name):
            return self.value * 2

    seen = step(Nothing(), lambda m: m("text").sum())
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [1, 1]
    assert seen.leaves("", Slot.INPUT) == []


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_case_060_jagged_tensors_are_kept_as_what_they_are():
    class Doubling(nn.Module):
        def forward(self, x):
            return x * 2

    values = torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)], layout=torch.jagged, requires_grad=True)
    seen = step(Doubling(), lambda m: m(values).values().sum())
    capture = seen.capture("", Slot.OUTPUT, "out")
    assert capture.spec.layout == "nested"
    assert seen.tensor("", Slot.OUTPUT, "out").values().tolist() == [[2, 2]] * 5


class Tagged(torch.Tensor):
    """A subclass with values of its own, as libraries make them."""


def test_case_060_a_subclass_is_captured():
    x = torch.ones(2).as_subclass(Tagged).requires_grad_()
    seen = step(nn.Identity(), lambda m: (m(x) * 2).sum())
    assert seen.tensor("", Slot.OUTPUT, "out").as_subclass(torch.Tensor).tolist() == [1, 1]
    assert seen.value("", Slot.GRAD_OUTPUT, "out") == [2, 2]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_case_028_a_padded_batch_of_different_lengths_runs_through_an_encoder():
    layer = nn.TransformerEncoderLayer(16, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).eval()
    mask = torch.tensor([[False, False, False], [False, False, True]])

    def run(m):
        with torch.no_grad():
            m(torch.ones(2, 3, 16), src_key_padding_mask=mask)
        return torch.ones(1, requires_grad=True).sum()

    seen = step(model, run)
    assert seen.capture("layers.0", Slot.OUTPUT, "out") is not None
    assert not any(BadgeKind.CAPTURE_FAILED in [b.kind for b in c.badges] for c in seen.order)
