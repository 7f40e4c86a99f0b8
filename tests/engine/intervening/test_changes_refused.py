"""Changes that cannot be made: what is said, and whether beforehand or when the tensor is there."""

import pytest
import torch
from torch import nn

from hookscope import changes
from hookscope.engine.intervening.changes import ChangeError, compile_change
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span
from tests.engine.intervening.by_hand import CHANGES, WHERE, tensor

X = torch.ones(2, 3)


def refusal(change: changes.Change, where: Selection | None = None, *, is_gradient: bool = False) -> str:
    with pytest.raises(ChangeError) as caught:
        compile_change(change, where, is_gradient=is_gradient)
    return str(caught.value)


def failure(change: changes.Change, x: torch.Tensor = X, where: Selection | None = None) -> str:
    compiled = compile_change(change, where, is_gradient=False)
    with pytest.raises(ChangeError) as caught:
        compiled.apply(x, WHERE, differentiable=False)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changes.Clamp(None, None), "expected a low or a high bound, given neither"),
        (changes.Clamp(2, 1), "expected a low bound that is not above the high one, given 2 and 1"),
        (changes.Clamp(torch.nan, 1), "expected numbers as bounds, given NaN"),
        (changes.ClipNorm(0), "expected a limit above 0, given 0"),
        (changes.ClipNorm(torch.nan), "expected a limit above 0, given nan"),
        (changes.Noise(-0.1), "expected a standard deviation from 0 on, given -0.1"),
        (changes.Noise(0.1, -1), "expected a seed from 0 on, given -1"),
        (changes.Shuffle(-1), "expected a seed from 0 on, given -1"),
        (changes.FromStep(0), "expected a step from 1 on, given 0"),
        (changes.Expression(""), "the expression is empty"),
        (changes.Expression("y * 2"), "unknown name `y`; there are x, module, path, call, step, torch,"),
        (changes.Expression("tensor * 2"), "unknown name `tensor`; did you mean `x`?"),
        (changes.Expression("x = x * 2"), "`=` stores a value; write the new value alone (column 3)"),
        (changes.Expression("x *= 2"), "an expression gives a new value; this stores a value (column 3)"),
        (changes.Expression("x.mul_(2)"), "an expression gives a new value; `mul_` would change something (column 1)"),
        (
            changes.Expression("torch.add(x, 1, out=x)"),
            "an expression gives a new value; `out=` would change something",
        ),
        (changes.Expression("(x"), "'(' was never closed (column 1)"),
        (changes.StraightThrough(changes.Expression("(x")), "'(' was never closed (column 1)"),
        (
            changes.StraightThrough(changes.StopGradient()),
            "expected a change that lets the gradient pass, given StopGradient",
        ),
        (changes.StraightThrough(changes.NanTo()), "expected a change of numbers, given NanTo: where x is NaN,"),
    ],
    ids=str,
)
def test_that_a_change_that_can_never_be_made_is_refused_beforehand(change: changes.Change, message: str) -> None:
    assert message in refusal(change)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (Index((Span(step=0),)), "expected a slice with a step from 1 on, given 0"),
        (Index((0, Span(step=-1))), "expected a slice with a step from 1 on, given -1"),
        (Channels(()), "expected at least one number, given none"),
        (Heads((), 2), "expected at least one number, given none"),
        (Heads((0,), 0), "expected at least one head, given 0"),
        (Heads((2,), 2), "expected an index into 2 heads, given 2"),
        (MagnitudeAbove(-1), "expected a limit from 0 on, given -1"),
        (MagnitudeAbove(torch.nan), "expected a limit from 0 on, given nan"),
    ],
    ids=str,
)
def test_that_a_selection_that_can_never_be_made_is_refused_beforehand(where: Selection, message: str) -> None:
    assert message in refusal(changes.Zero(), where)


@pytest.mark.parametrize("change", [changes.StopGradient(), changes.StraightThrough(changes.Zero())], ids=str)
def test_that_changes_of_the_forward_pass_are_refused_on_a_gradient(change: changes.Change) -> None:
    assert refusal(change, is_gradient=True).startswith("expected a change of a gradient's value, given St")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (Index((2,)), "expected an index into dim 0 of shape (2, 3), given 2"),
        (Index((Span(), -4)), "expected an index into dim 1 of shape (2, 3), given -4"),
        (Index((0, 0, 0)), "expected an index into shape (2, 3), given one of 3 dims"),
        (Channels((0, 3)), "expected an index into dim 1 of shape (2, 3), given 3"),
        (Channels((0,), dim=2), "expected a tensor with a dim 2, given shape (2, 3)"),
        (Heads((0,), 2), "expected a last dim of 2 equal parts, given shape (2, 3)"),
    ],
    ids=str,
)
def test_that_a_part_that_a_tensor_has_not_is_told_with_its_shape(where: Selection, message: str) -> None:
    assert failure(changes.Zero(), X, where) == message


def test_that_a_number_has_neither_heads_nor_channels() -> None:
    number = torch.tensor(1.0)
    assert failure(changes.Zero(), number, Channels((0,))) == "expected a tensor with a dim 1, given shape ()"
    assert failure(changes.Zero(), number, Heads((0,), 1)) == "expected a last dim of 1 equal parts, given shape ()"
    assert failure(changes.Mean(0), number) == "expected a tensor with a dim 0, given shape ()"
    assert failure(changes.Shuffle(), number) == "expected a tensor with a dim 0, given shape ()"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x.mean()", "expected shape (2, 3), given shape ()"),
        ("x[:, :2].double()", "expected shape (2, 3) and dtype float32, given shape (2, 2) and dtype float64"),
        ("x > 0", "expected dtype float32, given dtype bool"),
        ("x.to('meta')", "expected device cpu, given device meta"),
        ("x.to_sparse()", "expected layout strided, given layout sparse_coo"),
        ("0.5", "expected a tensor of shape (2, 3), given the number 0.5; write `torch.full_like(x, 0.5)`"),
        ("None", "expected a tensor of shape (2, 3), given None"),
        ("[x]", "expected a tensor of shape (2, 3), given a list"),
        ("x.numpy()", "expected a tensor of shape (2, 3), given a ndarray"),
        ("x @ x", "the expression raised RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        ("x / (step - 5)", ""),
        ("x * (1 / (step - 5))", "the expression raised ZeroDivisionError: division by zero"),
        ("module.weight", "the expression raised AttributeError: 'NoneType' object has no attribute 'weight'"),
    ],
)
def test_that_an_expression_with_another_result_says_what_was_expected_and_what_was_given(
    text: str, message: str
) -> None:
    if message:
        assert failure(changes.Expression(text)) == message
    else:
        made = compile_change(changes.Expression(text), None, is_gradient=False)
        assert made.apply(X, WHERE, differentiable=False).warning == "made 6 elements non-finite"


def test_that_an_expression_that_writes_into_the_tensor_is_refused() -> None:
    text = "torch.nn.functional.relu(x, inplace=True)"
    message = "expected an expression that gives a new value, given one that writes into x"
    for where in (None, Index((0,))):
        assert failure(changes.Expression(text), torch.ones(2, 3), where) == message


# -- dtypes ---------------------------------------------------------------------------------------------------------

FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
WHOLE = (torch.int64, torch.uint8)

REFUSED = {
    torch.complex64: {changes.Clamp},
    torch.int64: {changes.ClipNorm, changes.Noise, changes.Mean, changes.NanTo},
    torch.uint8: {changes.ClipNorm, changes.Noise, changes.Mean, changes.NanTo, changes.Flip},
    torch.bool: {
        *(changes.ClipNorm, changes.Noise, changes.Mean, changes.NanTo, changes.Flip, changes.Scale, changes.Add),
        *(changes.Clamp, changes.StraightThrough),
    },
}
"""What makes no sense for a dtype. Of the other dtypes nothing is refused."""

ROUND: dict[type, changes.Change] = {
    changes.Scale: changes.Scale(2),
    changes.Add: changes.Add(1),
    changes.Clamp: changes.Clamp(0, 1),
    changes.Constant: changes.Constant(1),
    changes.Expression: changes.Expression("torch.ones_like(x)"),
    changes.StraightThrough: changes.StraightThrough(changes.Constant(1)),
}
"""With whole numbers, for dtypes that have no others."""


@pytest.mark.parametrize("dtype", [*FLOATS, torch.complex64, *WHOLE, torch.bool], ids=str)
@pytest.mark.parametrize(
    "change", [ROUND.get(kind, change) for kind, change in {type(c): c for c, _ in CHANGES}.items()], ids=str
)
def test_that_a_change_is_made_in_the_dtype_or_refused_as_senseless(change: changes.Change, dtype: torch.dtype) -> None:
    x = tensor().abs().to(dtype)
    if type(change) in REFUSED.get(dtype, ()):
        assert failure(change, x).startswith("expected ")
        return
    for where in (None, Channels((1,))):
        made = compile_change(change, where, is_gradient=False).apply(x, WHERE, differentiable=False)
        assert made.tensor.dtype is dtype
        assert made.elements == int((made.tensor != x).sum())


@pytest.mark.parametrize(
    ("change", "dtype", "message"),
    [
        (changes.Scale(0.5), torch.int64, "expected a whole number, for the tensor is int64; given 0.5"),
        (changes.Constant(torch.nan), torch.int32, "expected a whole number, for the tensor is int32; given nan"),
        (changes.Constant(300), torch.uint8, "expected a number from 0 to 255, for the tensor is uint8; given 300"),
        (changes.Constant(2), torch.bool, "expected a number from 0 to 1, for the tensor is bool; given 2"),
        (changes.Scale(2), torch.bool, "expected numbers, given bool"),
        (changes.Noise(), torch.bool, "expected floating point numbers, given bool"),
        (changes.Mean(), torch.int64, "expected floating point numbers, given int64"),
        (changes.Clamp(), torch.complex64, "expected numbers that have an order, given complex64"),
        (changes.Flip(), torch.uint8, "expected numbers that can be negative, given uint8"),
        (
            changes.Constant(1e6),
            torch.float16,
            "expected a tensor that torch can change so, given float16 of shape (2,): value cannot be converted",
        ),
    ],
    ids=str,
)
def test_that_a_number_that_a_dtype_has_not_is_refused(
    change: changes.Change, dtype: torch.dtype, message: str
) -> None:
    assert failure(change, torch.ones(2, dtype=dtype)).startswith(message)


def test_that_a_bool_has_no_magnitude() -> None:
    message = "expected numbers, which have a magnitude; given bool"
    assert failure(changes.Zero(), torch.ones(2, dtype=torch.bool), MagnitudeAbove(0.5)) == message


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
@pytest.mark.parametrize("where", [None, Channels((1,)), MagnitudeAbove(1)], ids=str)
def test_that_eight_bit_floats_are_changed_in_float32_and_rounded_back(dtype, where) -> None:
    x = tensor(dtype=dtype)
    for change in (changes.Scale(2.0), changes.Replace(torch.ones(6)), changes.Expression("x + 1"), changes.Mean(0)):
        compiled = compile_change(change, where, is_gradient=True)
        made = compiled.apply(x, WHERE, differentiable=False)
        wide = compiled.apply(x.float(), WHERE, differentiable=False).tensor.to(dtype)
        assert torch.equal(made.tensor.view(torch.uint8), wide.view(torch.uint8))
        assert made.elements == int((wide.float() != x.float()).sum())


# -- tensors without values that could be changed -------------------------------------------------------------------


def nested() -> torch.Tensor:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.ones(2, 2).to_sparse(), "expected a strided tensor, given a sparse_coo one"),
        (nested, "expected a strided tensor, given a nested one"),
        (lambda: torch.ones(2, device="meta"), "expected a tensor with values, given one that is on the meta device"),
        (nn.UninitializedParameter, "expected a tensor with values, given one that is not initialized"),
        (
            lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
            "expected numbers that torch computes with, given qint8",
        ),
    ],
    ids=["sparse", "nested", "meta", "lazy", "quantized"],
)
@pytest.mark.filterwarnings("ignore")
def test_that_a_tensor_without_values_that_can_be_changed_is_refused(make, message: str) -> None:
    assert failure(changes.Zero(), make()).startswith(message)


def test_that_a_tensor_within_a_transform_is_refused() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        message = "expected a tensor with values, given one that is inside a torch.func transform"
        assert failure(changes.Zero(), x).startswith(message)
        return x

    torch.func.vmap(inner)(torch.ones(2, 3))
