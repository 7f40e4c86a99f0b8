"""Conditions of breakpoints: of which tensors each one holds, and what is told of it."""

import math
import warnings
from typing import get_args

import pytest
import torch
from torch import nn

from hookscope.engine.convert import CHUNK_ELEMENTS
from hookscope.engine.specs import spec_of
from hookscope.engine.stepping.conditions import EventContext, Hit, compile_condition, describe_non_finite, number_words
from hookscope.engine.stepping.expressions import ExpressionError
from hookscope.protocol.stops import (
    Condition,
    Expression,
    MagnitudeAbove,
    NonFinite,
    NormAbove,
    NormBelow,
    SpecChanged,
    StepIs,
    ZerosAbove,
)

NAN, INF = math.nan, math.inf
BEFORE = spec_of(torch.zeros(2, 3))
CONTEXT = EventContext("layer1.0", 1, 7, nn.Linear(2, 2), {"out": BEFORE})

NORM_5 = torch.tensor([3.0, -4.0, 0.0, 0.0])


def coo(places: list[int], values: object, shape: tuple[int, ...]) -> torch.Tensor:
    indices = torch.tensor([places], dtype=torch.int64)
    return torch.sparse_coo_tensor(indices, torch.tensor(values), shape, check_invariants=False)


SPARSE = coo([0, 0, 1], [1.0, 2.0, -4.0], (4,))


def tried(condition: Condition | None, *tensors: torch.Tensor, context: EventContext = CONTEXT) -> Hit | None:
    leaves = ["out"] if len(tensors) == 1 else [f"out.{index}" for index in range(len(tensors))]
    return compile_condition(condition)(list(zip(leaves, tensors, strict=True)), context)


def of(values: list[float] | float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64).to(dtype)


@pytest.mark.parametrize(
    ("condition", "tensor", "value"),
    [
        (NonFinite(), of([1, NAN, NAN, INF, -INF]), "2 NaN, 1 +Inf, 1 -Inf"),
        (NonFinite(), of([1, INF], torch.bfloat16), "1 +Inf"),
        (NonFinite(), of([1, -INF], torch.float16), "1 -Inf"),
        (NonFinite(), of(NAN, torch.float64), "1 NaN"),
        (NonFinite(), of([1, NAN], torch.float8_e4m3fn), "1 NaN"),
        (NonFinite(), torch.tensor([1j, complex(0, NAN), complex(INF, 0)]), "1 NaN, 1 +Inf"),
        (NonFinite(), coo([3], [NAN], (4,)), "1 NaN"),
        (NonFinite(), of([3e38, -3e38, 0]), None),
        (NonFinite(), of([1.5e308, -1.5e308], torch.float64), None),
        (NonFinite(), of([2**60, -(2**60)], torch.int64), None),
        (NonFinite(), of([True], torch.bool), None),
        (NonFinite(), torch.empty(0, 3), None),
        (MagnitudeAbove(3), NORM_5, "4"),
        (MagnitudeAbove(4), NORM_5, None),
        (MagnitudeAbove(3), of(-4.0), "4"),
        (MagnitudeAbove(3), of([NAN, -4]), "4"),
        (MagnitudeAbove(3), of([NAN, 2]), None),
        (MagnitudeAbove(3), of([NAN]), None),
        (MagnitudeAbove(3), of([NAN, -INF]), "inf"),
        (MagnitudeAbove(3), of([3, -4], torch.bfloat16), "4"),
        (MagnitudeAbove(3), of([3, -4], torch.float8_e5m2), "4"),
        (MagnitudeAbove(4), torch.tensor([3 + 4j]), "5"),
        (MagnitudeAbove(50256), of([3, 50257], torch.int64), "50257"),
        (MagnitudeAbove(0.5), of([True], torch.bool), "1"),
        (MagnitudeAbove(3), SPARSE, "4"),
        (MagnitudeAbove(3), torch.empty(0), None),
        (NormAbove(4.9), NORM_5, "5"),
        (NormAbove(5), NORM_5, None),
        (NormAbove(1000), of([1234.5]), "1234"),
        (NormAbove(1), of([1, 1e-2]), "1.00005"),
        (NormAbove(1), of([NAN, 5]), None),
        (NormAbove(1), of([NAN, INF]), None),
        (NormAbove(1), of([0, -INF]), "inf"),
        (NormAbove(1e38), of([3e38, -3e38]), "4.243e+38"),
        (NormAbove(1), of([3e300, 4e300], torch.float64), "5e+300"),
        (NormAbove(5e5), torch.full((100,), 6e4, dtype=torch.float16), "600000"),
        (NormAbove(4), torch.tensor([3j, 4]), "5"),
        (NormAbove(4), of([3, 4], torch.uint8), "5"),
        (NormAbove(4.9), SPARSE, "5"),
        (NormAbove(0), torch.empty(0), None),
        (NormBelow(5.1), NORM_5, "5"),
        (NormBelow(5), NORM_5, None),
        (NormBelow(1e-3), torch.zeros(3), "0"),
        (NormBelow(1e-299), of([3e-300, 4e-300], torch.float64), "5e-300"),
        (NormBelow(1), of([NAN]), None),
        (NormBelow(1), of([INF]), None),
        (NormBelow(1), torch.empty(0), None),
        (NormBelow(1), coo([], [], (4,)), "0"),
        (ZerosAbove(0.49), NORM_5, "0.5"),
        (ZerosAbove(0.5), NORM_5, None),
        (ZerosAbove(0), of([NAN, INF, -0.0]), "0.3333"),
        (ZerosAbove(0.9), of(0.0, torch.bfloat16), "1"),
        (ZerosAbove(0.4), torch.tensor([0j, 1j]), "0.5"),
        (ZerosAbove(0.4), of([0, 5], torch.int32), "0.5"),
        (ZerosAbove(0.4), of([False, True], torch.bool), "0.5"),
        (ZerosAbove(0.4), SPARSE, "0.5"),
        (ZerosAbove(0), torch.empty(0), None),
    ],
)
def test_that_a_condition_on_values_holds_exactly_when_it_says(
    condition: Condition, tensor: torch.Tensor, value: str | None
) -> None:
    hit = tried(condition, tensor)
    assert (hit.value if hit is not None else None) == value


@pytest.mark.parametrize(
    ("condition", "hit"),
    [
        (None, Hit("", "", "", "")),
        (NonFinite(), Hit("non_finite", "1 NaN", "", "out.1")),
        (MagnitudeAbove(1e3), Hit("magnitude_above", "2000", "1000", "out.1")),
        (NormAbove(1e3), Hit("norm_above", "2000", "1000", "out.2")),
        (NormBelow(1e-4), Hit("norm_below", "0", "0.0001", "out.0")),
        (ZerosAbove(0.25), Hit("zeros_above", "1", "0.25", "out.0")),
        (SpecChanged(), Hit("spec_changed", "float32 (2,)", "float32 (2, 3)", "out.1")),
        (StepIs(7), Hit("step_is", "7", "7", "")),
        (Expression(" tensor[0] > 0 "), Hit("expression", "True", "tensor[0] > 0", "out.1")),
        (Expression("call == 1"), Hit("expression", "True", "call == 1", "")),
    ],
)
def test_that_a_hit_names_the_first_tensor_of_which_it_holds(condition: Condition | None, hit: Hit) -> None:
    context = EventContext("layer1.0", 1, 7, None, {"out.1": BEFORE, "out.2": BEFORE})
    tensors = (torch.zeros(1), of([2000.0, NAN]), of([2000.0, 0.0]))
    assert tried(condition, *tensors, context=context) == hit


def test_that_every_condition_has_a_test_and_is_told_by_its_tag() -> None:
    holding = {
        NonFinite: NonFinite(),
        MagnitudeAbove: MagnitudeAbove(1),
        NormAbove: NormAbove(1),
        NormBelow: NormBelow(10),
        ZerosAbove: ZerosAbove(0.1),
        SpecChanged: SpecChanged(),
        StepIs: StepIs(7),
        Expression: Expression("True"),
    }
    assert set(holding) == set(get_args(Condition))
    tensors = {NonFinite: of([NAN])}
    for kind, condition in holding.items():
        hit = tried(condition, tensors.get(kind, NORM_5))
        assert hit is not None
        assert hit.what == kind.__struct_config__.tag


# -- shapes, steps, expressions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tensor", "hit"),
    [
        (torch.ones(2, 3), None),
        (torch.ones(3, 2).t(), None),
        (torch.ones(2, 3, 1), Hit("spec_changed", "float32 (2, 3, 1)", "float32 (2, 3)", "out")),
        (torch.ones(2, 3).half(), Hit("spec_changed", "float16 (2, 3)", "float32 (2, 3)", "out")),
        (torch.ones(0), Hit("spec_changed", "float32 (0,)", "float32 (2, 3)", "out")),
        (torch.ones((), device="meta"), Hit("spec_changed", "float32 ()", "float32 (2, 3)", "out")),
    ],
)
def test_that_a_spec_has_changed_when_shape_or_dtype_have(tensor: torch.Tensor, hit: Hit | None) -> None:
    assert tried(SpecChanged(), tensor) == hit


def test_that_nothing_has_changed_in_the_first_step() -> None:
    assert tried(SpecChanged(), NORM_5, context=EventContext("", 0, 1, None, {})) is None


def test_that_a_step_and_no_condition_hold_where_there_are_no_tensors() -> None:
    assert tried(StepIs(7)) == Hit("step_is", "7", "7", "")
    assert tried(StepIs(8)) is None
    assert tried(None) == Hit("", "", "", "")


def test_that_an_expression_about_tensors_is_asked_of_each_and_another_once() -> None:
    asked: list[int] = []

    class Counter(nn.Module):
        @property
        def asked(self) -> bool:
            asked.append(1)
            return False

    context = EventContext("", 0, 1, Counter(), {})
    assert tried(Expression("module.asked"), NORM_5, NORM_5, context=context) is None
    assert len(asked) == 1
    assert tried(Expression("module.asked"), context=context) is None
    assert len(asked) == 2
    assert tried(Expression("module.asked and tensor"), NORM_5, NORM_5, context=context) is None
    assert len(asked) == 4
    assert tried(Expression("tensor is None"), context=context) is None


def test_that_an_expression_knows_the_event() -> None:
    text = "path == 'layer1.0' and call == 1 and step == 7 and module.in_features == 2 and tensor.numel() == 4"
    assert tried(Expression(text), NORM_5) == Hit("expression", "True", text, "out")


def test_that_what_an_expression_raises_is_told() -> None:
    with pytest.raises(ExpressionError, match="AttributeError: 'Tensor' object has no attribute 'nope'"):
        tried(Expression("tensor.nope"), NORM_5)


# -- wrong conditions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (MagnitudeAbove(-1), "the limit must be from 0 on: an absolute value is never below it; -1 is not"),
        (MagnitudeAbove(NAN), "nan is not"),
        (MagnitudeAbove(INF), "inf is not"),
        (NormAbove(-0.5), "the limit must be from 0 on: a norm is never below it; -0.5 is not"),
        (NormBelow(0), "the limit must be above 0: no norm is below it; 0 is not"),
        (NormBelow(INF), "inf is not"),
        (ZerosAbove(1), "the limit must be a fraction from 0 to less than 1; 1 is not"),
        (ZerosAbove(-0.1), "-0.1 is not"),
        (ZerosAbove(NAN), "nan is not"),
        (StepIs(0), "steps are counted from 1; there is no step 0"),
        (Expression("tensor >"), r"invalid syntax \(column "),
        (Expression(""), "the expression is empty"),
    ],
)
def test_that_a_condition_that_makes_no_sense_is_refused(condition: Condition, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_condition(condition)


# -- every kind of tensor -------------------------------------------------------------------------------------------

ON_VALUES = (NonFinite(), MagnitudeAbove(0), NormAbove(0), NormBelow(1e9), ZerosAbove(0))


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(3, device="meta"),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
        nn.LazyLinear(3).weight,
        torch.empty(3, dtype=torch.bits8),
        coo([1], [1.0], (3,)).to("meta"),
    ],
    ids=["meta", "nested", "lazy", "bits", "sparse meta"],
)
@pytest.mark.parametrize("condition", ON_VALUES, ids=lambda condition: type(condition).__name__)
def test_that_no_condition_holds_of_values_that_cannot_be_read(condition: Condition, tensor: torch.Tensor) -> None:
    assert tried(condition, tensor) is None


@pytest.mark.parametrize("condition", ON_VALUES, ids=lambda condition: type(condition).__name__)
def test_that_no_condition_holds_within_vmap(condition: Condition) -> None:
    def ask(row: torch.Tensor) -> torch.Tensor:
        assert tried(condition, row) is None
        return row

    torch.vmap(ask)(torch.zeros(2, 3))


@pytest.mark.parametrize("condition", ON_VALUES, ids=lambda condition: type(condition).__name__)
def test_that_quantised_and_compressed_tensors_are_read(condition: Condition) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that these tensors may change, or go
        quantised = torch.quantize_per_tensor(of([1.0, 0.0]), 1.0, 0, torch.qint8)
        compressed = torch.eye(2).to_sparse_csr()
    expected = not isinstance(condition, NonFinite)
    assert (tried(condition, quantised) is not None) is expected
    assert (tried(condition, compressed) is not None) is expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_that_a_large_tensor_is_measured_whole(dtype: torch.dtype) -> None:
    tensor = torch.ones(2, CHUNK_ELEMENTS // 2 + 64, dtype=dtype)
    tensor[1, -1] = -3
    tensor[0, 0] = 0
    norm = math.sqrt(tensor.numel() - 2 + 9)
    assert tried(MagnitudeAbove(2.5), tensor.t()) == Hit("magnitude_above", "3", "2.5", "out")
    assert tried(NormAbove(norm * 0.999), tensor) is not None
    assert tried(NormBelow(norm * 1.001), tensor) is not None
    assert tried(ZerosAbove(1.1 / tensor.numel()), tensor) is None
    assert tried(ZerosAbove(0.9 / tensor.numel()), tensor) is not None
    assert tried(NonFinite(), tensor) is None
    tensor[1, -1] = NAN
    assert tried(NonFinite(), tensor) == Hit("non_finite", "1 NaN", "", "out")
    tensor[0, 1] = INF
    assert tried(NormAbove(1), tensor) is None


def test_that_a_huge_sparse_gradient_is_looked_at_without_filling_it_up() -> None:
    gradient = coo([0, 5], [[NAN] * 2, [1.0] * 2], (2**40, 2))
    assert tried(NonFinite(), gradient) == Hit("non_finite", "2 NaN", "", "out")
    assert tried(ZerosAbove(0.99), gradient) is not None


def test_that_looking_leaves_the_tensor_and_torch_alone() -> None:
    weight = torch.ones(2, 3, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        values = weight * 2
        version, random = values._version, torch.get_rng_state()
        for condition in ON_VALUES:
            tried(condition, values)
            tried(condition, weight)
        assert torch.is_grad_enabled()
        assert torch.is_autocast_enabled("cpu")
    assert values._version == version
    assert torch.equal(random, torch.get_rng_state())
    values.sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [[2.0] * 3] * 2


# -- words ----------------------------------------------------------------------------------------------------------


def test_that_the_first_leaf_that_is_not_finite_is_described() -> None:
    tensors = [("out.0", NORM_5), ("out.1", of([INF, NAN])), ("out.2", of([NAN]))]
    assert describe_non_finite(tensors) == ("out.1", "1 NaN, 1 +Inf")
    assert describe_non_finite(tensors[:1]) is None
    assert describe_non_finite([]) is None
    assert describe_non_finite([("out", torch.full((1234,), NAN))]) == ("out", "1,234 NaN")


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (1234.5678, None, "1235"),
        (1234.5678, 1000.0, "1235"),
        (1000.04, 1000.0, "1000.04"),
        (0.1 + 0.2, 0.3, "0.30000000000000004"),
        (INF, 3.0, "inf"),
        (0.0, 1.0, "0"),
        (1e-12, None, "1e-12"),
        (50257.4, 50256.0, "50257"),
        (-50257.4, 50257.0, "-50257"),
        (1234567.0, None, "1.235e+06"),
    ],
)
def test_that_a_number_has_as_many_digits_as_tell_it_from_the_limit(
    value: float, limit: float | None, text: str
) -> None:
    assert number_words(value, limit) == text
