"""One element by its index or by what it is, and values as text."""

import csv
import io
import math

import pytest
import torch

from hookscope.engine.views import build_view, text
from hookscope.protocol.views import (
    Axes,
    NoPicture,
    NoPictureReason,
    Place,
    PlaceRequest,
    TableText,
    Target,
    TextForm,
    TextRequest,
    Value,
    ValueRequest,
)

NAN, INF = math.nan, math.inf


def place(tensor: torch.Tensor, what: Target) -> tuple[tuple[int, ...], str]:
    result = build_view(tensor, PlaceRequest(what))
    assert isinstance(result, Place)
    assert result.what is what
    return result.index, result.text


def written(tensor: torch.Tensor, request: TextRequest) -> TableText:
    result = build_view(tensor, request)
    assert isinstance(result, TableText)
    return result


def read_back(tensor: torch.Tensor) -> torch.Tensor:
    source = written(tensor, TextRequest(form=TextForm.PYTHON)).text
    value = eval(source, {"torch": torch})
    assert isinstance(value, torch.Tensor)
    return value


def test_that_a_value_is_exact_and_its_index_is_clamped() -> None:
    tensor = torch.tensor([[0.1, 2.0], [3.0, NAN]])
    assert build_view(tensor, ValueRequest((1, 1))) == Value("nan", (1, 1))
    assert build_view(tensor, ValueRequest()) == Value("0.1", (0, 0))
    assert build_view(tensor, ValueRequest((7, -7, 3))) == Value("3.0", (1, 0))
    assert build_view(torch.tensor(2**63 - 1), ValueRequest()) == Value(str(2**63 - 1), ())


def test_that_the_first_extreme_finite_value_is_found() -> None:
    tensor = torch.tensor([[NAN, 3.0, -INF], [-2.0, 3.0, -2.0], [INF, 0.0, 1.0]])
    assert place(tensor, Target.MAXIMUM) == ((0, 1), "3.0")
    assert place(tensor, Target.MINIMUM) == ((1, 0), "-2.0")
    assert place(tensor, Target.FIRST_NON_FINITE) == ((0, 0), "nan")
    assert place(tensor[:, 1:], Target.FIRST_NON_FINITE) == ((0, 1), "-inf")
    assert place(torch.tensor(1.5), Target.MAXIMUM) == ((), "1.5")


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (torch.int64, [2**53, 2**53 + 1, -(2**63), -(2**63) + 1]),
        (torch.uint64, [2**53, 2**64 - 1, 0, 2**64 - 2]),
        (torch.bool, [False, True, False, True]),
        (torch.uint8, [7, 255, 1, 255]),
        (torch.float8_e4m3fn, [0.5, 448.0, -448.0, 448.0]),
        (torch.complex64, [1j, 3 + 4j, 0j, -5 + 0j]),
    ],
    ids=str,
)
def test_that_extremes_of_every_dtype_are_exact(dtype: torch.dtype, values: list[float]) -> None:
    tensor = torch.tensor(values, dtype=dtype)
    assert place(tensor, Target.MAXIMUM)[0] == (1,)
    assert place(tensor, Target.MINIMUM)[0] == ((0,) if dtype is torch.bool else (2,))


def test_that_places_in_parts_and_in_any_layout_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hookscope.engine.views.sampling.chunk_elements", lambda tensor: 7)
    wide = torch.zeros(4, 5, 6)
    wide[2, 3, 1] = 9.0
    wide[3, 0, 0] = 9.0
    wide[1, 4, 5] = -9.0
    wide[3, 1, 1] = INF
    for tensor in (
        wide,
        wide.transpose(0, 2).contiguous().transpose(0, 2),
        wide.mT.contiguous().mT,
    ):
        assert place(tensor, Target.MAXIMUM)[0] == (2, 3, 1)
        assert place(tensor, Target.MINIMUM)[0] == (1, 4, 5)
        assert place(tensor, Target.FIRST_NON_FINITE)[0] == (3, 1, 1)


@pytest.mark.parametrize(
    ("tensor", "what"),
    [
        (torch.tensor([NAN, INF]), Target.MAXIMUM),
        (torch.tensor([NAN, -INF]), Target.MINIMUM),
        (torch.tensor([1.0]), Target.FIRST_NON_FINITE),
        (torch.tensor([1, 2]), Target.FIRST_NON_FINITE),
    ],
)
def test_that_it_is_told_when_there_is_no_such_value(tensor: torch.Tensor, what: Target) -> None:
    result = build_view(tensor, PlaceRequest(what))
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.NOT_FOUND
    assert "finite" in result.detail


def test_that_texts_have_the_tables_window() -> None:
    tensor = torch.arange(24).reshape(2, 3, 4)
    found = written(tensor, TextRequest(Axes(index=(1,)), row=1, column=2))
    assert (found.text, found.rows, found.columns) == ("18\t19\n22\t23\n", 2, 2)
    found = written(tensor, TextRequest(Axes(rows=2, columns=0), rows=2, columns=1, form=TextForm.CSV))
    assert (found.text, found.form) == ("0\n1\n", TextForm.CSV)
    assert written(torch.tensor([1.5, 2.5]), TextRequest()).text == "1.5\n2.5\n"


def test_that_comma_separated_values_read_back() -> None:
    tensor = torch.tensor([[0.1, NAN], [INF, -1e-7]])
    rows = csv.reader(io.StringIO(written(tensor, TextRequest(form=TextForm.CSV)).text))
    read = torch.tensor([[float(cell) for cell in row] for row in rows])
    torch.testing.assert_close(read, tensor, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float16,
        torch.float32,
        torch.float64,
        torch.bfloat16,
        torch.float8_e5m2,
        torch.float8_e4m3fn,
        torch.complex64,
        torch.complex128,
    ],
    ids=str,
)
def test_that_python_source_reads_back_bit_by_bit(dtype: torch.dtype) -> None:
    values = [0.1, -1e-7, 1 / 3, 123.456, 0.0, -0.0, NAN] + ([] if dtype is torch.float8_e4m3fn else [INF, -INF])
    tensor = torch.tensor(values, dtype=torch.float64).to(dtype)
    if dtype.is_complex:
        tensor = torch.complex(tensor.real, tensor.real.flip(0))
    for shape in ((len(values),), (1, len(values)), (len(values), 1)):
        read = read_back(tensor.reshape(shape))
        assert (read.dtype, read.shape) == (dtype, shape)
        one, another = (torch.view_as_real(each) if dtype.is_complex else each for each in (read, tensor))
        known = ~another.flatten().isnan()
        bits = [each.flatten()[known].view(torch.uint8).tolist() for each in (one, another)]
        assert bits[0] == bits[1]
        assert one.flatten().isnan().tolist() == another.flatten().isnan().tolist()


def test_that_every_float32_reads_back_from_python_source() -> None:
    generator = torch.Generator().manual_seed(0)
    bits = torch.randint(-(2**31), 2**31, (20_000,), generator=generator).to(torch.int32)
    tensor = bits.view(torch.float32)
    tensor = tensor[~tensor.isnan()]
    assert torch.equal(read_back(tensor).view(torch.int32), tensor.view(torch.int32))


def test_that_integers_and_numbers_read_back_from_python_source() -> None:
    for tensor in (
        torch.tensor([[2**63 - 1, -(2**63)]]),
        torch.tensor([2**64 - 1], dtype=torch.uint64),
        torch.tensor([[True], [False]]),
        torch.tensor(0.25),
        torch.tensor([], dtype=torch.float32).sum(),
    ):
        read = read_back(tensor)
        assert (read.dtype, read.shape, read.tolist()) == (tensor.dtype, tensor.shape, tensor.tolist())
    assert (
        written(torch.tensor(0.1), TextRequest(form=TextForm.PYTHON)).text == "torch.tensor(0.1, dtype=torch.float32)"
    )


@pytest.mark.parametrize("form", TextForm)
def test_that_a_text_has_a_limit(form: TextForm) -> None:
    tensor = torch.zeros(1).expand(text.MAX_CELLS + 1, 1)
    result = build_view(tensor, TextRequest(form=form))
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.TOO_LARGE
    assert f"{text.MAX_CELLS:,} at most" in result.detail
    assert written(tensor, TextRequest(rows=3, form=form)).rows == 3
