"""Changes of tensors: every one, of every kind of selection, next to the same in plain PyTorch."""

import typing

import pytest
import torch
from torch import nn

from hookscope import changes
from hookscope.engine.intervening.changes import Changed, ChangeError, Moment, compile_change, seed_of
from hookscope.protocol import tensor_changes
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span
from tests.engine.intervening.by_hand import CHANGES, SELECTIONS, SHAPE, WHERE, tensor


def apply(change: changes.Change, x: torch.Tensor, where: Selection | None = None, at: Moment = WHERE) -> Changed:
    return compile_change(change, where, is_gradient=False).apply(x, at, differentiable=False)


def forward(change: changes.Change, x: torch.Tensor, where: Selection | None = None, at: Moment = WHERE) -> Changed:
    return compile_change(change, where, is_gradient=False).apply(x, at, differentiable=True)


def gradient_of(new: torch.Tensor, x: torch.Tensor) -> torch.Tensor | None:
    if not new.requires_grad:
        return None
    return torch.autograd.grad(new, x, tensor(9), allow_unused=True)[0]


def name_of(value: object) -> str:
    return str(value) if value is None or hasattr(type(value), "__struct_fields__") else ""


def test_that_the_tables_of_these_tests_hold_every_kind() -> None:
    told = {type(change) for change, _ in CHANGES} | {changes.FromFile, changes.FromStep}
    assert told == {*typing.get_args(tensor_changes.PlainChange), changes.StraightThrough}
    assert {type(where) for where, _ in SELECTIONS} == {type(None), *typing.get_args(Selection)}
    assert {name for name in changes.__all__ if name != "Change"} == {kind.__name__ for kind in told}


@pytest.mark.parametrize(("where", "selected"), SELECTIONS, ids=name_of)
@pytest.mark.parametrize(("change", "values"), CHANGES, ids=name_of)
def test_that_a_change_is_what_plain_code_does(change, values, where, selected) -> None:
    x = tensor().requires_grad_()
    kept, state = x.detach().clone(), torch.get_rng_state()
    expected = selected(x, values)
    by_hand = gradient_of(expected, x)

    made = forward(change, x, where)
    assert torch.equal(made.tensor, expected)
    assert made.elements == int((expected != x).sum())
    assert made.warning == ""
    assert (made.tensor.dtype, made.tensor.device, made.tensor.shape) == (x.dtype, x.device, x.shape)
    torch.testing.assert_close(gradient_of(made.tensor, x), by_hand)

    plain = apply(change, x, where)
    assert torch.equal(plain.tensor, expected)
    assert not plain.tensor.requires_grad
    assert torch.equal(x, kept)
    assert torch.equal(torch.get_rng_state(), state)
    made.tensor.detach().add_(1)  # its elements have places of their own, none of them shared
    assert made.tensor is x or change == changes.StopGradient() or torch.equal(x, kept)


def test_that_a_zeroed_channel_gets_no_gradient_and_the_others_keep_theirs() -> None:
    x = tensor().requires_grad_()
    forward(changes.Zero(), x, Channels((1,))).tensor.sum().backward()
    assert x.grad is not None
    assert x.grad[:, 1].eq(0).all()
    assert x.grad[:, [0, 2, 3]].eq(1).all()


def test_that_straight_through_changes_the_value_and_passes_the_gradient() -> None:
    x = tensor().requires_grad_()
    made = forward(changes.StraightThrough(changes.Zero()), x)
    made.tensor.mul(2).sum().backward()
    assert made.tensor.eq(0).all()
    assert x.grad is not None
    assert x.grad.eq(2).all()


def test_that_stop_gradient_keeps_the_value_and_stops_the_gradient() -> None:
    x = tensor().requires_grad_()
    made = forward(changes.StopGradient(), x)
    assert torch.equal(made.tensor, x)
    assert not made.tensor.requires_grad
    forward(changes.StopGradient(), x, Index((0,))).tensor.sum().backward()
    assert x.grad is not None
    assert x.grad[0].eq(0).all()
    assert x.grad[1:].eq(1).all()


def test_that_a_change_records_nothing_where_the_model_records_nothing() -> None:
    x = tensor().requires_grad_()
    with torch.no_grad():
        assert not forward(changes.Scale(2), x).tensor.requires_grad
    with torch.inference_mode():
        assert torch.equal(forward(changes.Zero(), x * 1, Channels((0,))).tensor[:, 1:], x[:, 1:])


def test_that_a_parameter_is_changed_without_a_graph_and_without_being_written_to() -> None:
    parameter = nn.Parameter(torch.ones(2, 3))
    made = apply(changes.Scale(3), parameter, Index((0,)))
    assert type(made.tensor) is torch.Tensor
    assert made.tensor.tolist() == [[3, 3, 3], [1, 1, 1]]
    assert parameter.eq(1).all()


def test_that_nothing_is_made_of_a_change_that_does_nothing() -> None:
    x = tensor().requires_grad_()
    for change in (changes.ClipNorm(1e6), changes.Expression("x"), changes.StraightThrough(changes.ClipNorm(1e6))):
        for where in (None, Channels((0,)), MagnitudeAbove(0.5)):
            made = forward(change, x, where)
            assert made == Changed(x, 0)


# -- numbers that are not finite ------------------------------------------------------------------------------------


def test_that_nan_to_replaces_nan_and_infinities_only_when_told() -> None:
    x = torch.tensor([1.0, torch.nan, torch.inf, -torch.inf])
    assert apply(changes.NanTo(7), x).tensor.tolist() == [1, 7, torch.inf, -torch.inf]
    assert apply(changes.NanTo(7, infinities=True), x).tensor.tolist() == [1, 7, 7, 7]
    assert apply(changes.NanTo(7), x).elements == 1


def test_that_elements_that_became_non_finite_are_told() -> None:
    x = torch.tensor([3e38, 1.0, torch.nan, -3e38])
    made = apply(changes.Scale(10), x)
    assert (made.elements, made.warning) == (3, "made 2 elements non-finite")
    assert apply(changes.Add(torch.nan), x, Index((1,))).warning == "made 1 element non-finite"


def test_that_bits_are_what_counts_as_a_difference() -> None:
    assert apply(changes.Flip(), torch.tensor([0.0, 1.0, torch.nan])).elements == 2
    assert apply(changes.Zero(), torch.tensor([-0.0, 0.0])).elements == 1


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_that_a_norm_that_is_not_finite_leaves_the_tensor_alone(value: float) -> None:
    x = torch.tensor([1.0, value])
    made = apply(changes.ClipNorm(1), x)
    assert made.warning == f"its norm is {value:g}, so it was left as it is"
    assert made.elements == 0
    assert torch.equal(made.tensor.isnan(), x.isnan())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_that_a_norm_is_clipped_also_where_squares_would_overflow(dtype: torch.dtype) -> None:
    x = torch.full((1000,), 6e4 if dtype is torch.float16 else 1e30, dtype=dtype)
    norm = float(apply(changes.ClipNorm(2), x).tensor.double().norm())
    assert norm == pytest.approx(2, rel=4e-3)


def test_that_a_tensor_without_dims_can_be_changed() -> None:
    x = torch.tensor(4.0, requires_grad=True)
    assert forward(changes.ClipNorm(1), x).tensor.tolist() == 1
    assert forward(changes.Zero(), x, Index(())).tensor.tolist() == 0
    assert forward(changes.Scale(2), x, MagnitudeAbove(1)).tensor.tolist() == 8


def test_that_an_empty_tensor_and_an_empty_slice_are_left_alone() -> None:
    assert apply(changes.Scale(2), torch.ones(0, 3)).elements == 0
    x = torch.ones(2, 3)
    made = apply(changes.Scale(2), x, Index((Span(5, 9),)))
    assert (made.elements, made.warning) == (0, "nothing is selected of shape (2, 3)")


# -- random numbers -------------------------------------------------------------------------------------------------


def test_that_noise_is_the_same_in_each_step_and_another_one_elsewhere() -> None:
    x = torch.zeros(SHAPE)
    first = apply(changes.Noise(1, 0), x, at=Moment("a", 0, 1)).tensor
    assert torch.equal(apply(changes.Noise(1, 0), x, at=Moment("a", 0, 2)).tensor, first)
    for other in (Moment("b", 0, 1), Moment("a", 1, 1)):
        assert not torch.equal(apply(changes.Noise(1, 0), x, at=other).tensor, first)
    assert not torch.equal(apply(changes.Noise(1, 1), x, at=Moment("a", 0, 1)).tensor, first)


def test_that_seeds_do_not_depend_on_the_process() -> None:
    assert seed_of(0, "layer1.0", 2) == 2053681589588311806
    assert seed_of(1, "", 0) == 2302661867163454224


# -- memory formats -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [None, Channels((1,)), MagnitudeAbove(0.1)], ids=str)
def test_that_strided_and_expanded_tensors_are_changed_like_any_other(where: Selection | None) -> None:
    images = tensor(shape=(2, 3, 4, 5))
    for x in (images.to(memory_format=torch.channels_last), images[:, :, ::2].transpose(2, 3)):
        for change in (changes.Scale(2), changes.Replace(torch.zeros(1)), changes.Shuffle(), changes.Mean(1)):
            made = apply(change, x, where).tensor
            assert torch.equal(made, apply(change, x.contiguous(), where).tensor)
            made.add_(1)
    row = torch.ones(1, 3).expand(2, 3)
    made = apply(changes.Scale(2), row, Channels((0,))).tensor
    assert made.tolist() == [[2, 1, 1], [2, 1, 1]]


def test_that_heads_are_found_in_a_last_dim_that_is_not_contiguous() -> None:
    x = tensor(shape=(6, 4)).t()
    made = apply(changes.Zero(), x, Heads((1,), 3)).tensor
    assert made[:, 2:4].eq(0).all()
    assert torch.equal(made[:, :2], x[:, :2])


def test_that_a_change_error_is_a_value_error() -> None:
    assert issubclass(ChangeError, ValueError)
