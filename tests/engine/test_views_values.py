"""Curves and tables: the right values."""

import math

import numpy as np
import pytest
import torch

from hookscope.engine.views import build_view
from hookscope.protocol.views import (
    Axes,
    Curve,
    CurveRequest,
    Table,
    TableRequest,
)

NAN, INF = math.nan, math.inf


def curve(tensor: torch.Tensor, request: CurveRequest | None = None) -> Curve:
    result = build_view(tensor, request or CurveRequest())
    assert isinstance(result, Curve)
    assert result.low.dtype == "<f8"
    return result


def table(tensor: torch.Tensor, request: TableRequest | None = None) -> Table:
    result = build_view(tensor, request or TableRequest())
    assert isinstance(result, Table)
    return result


def test_that_a_short_curve_is_its_values() -> None:
    found = curve(torch.tensor([1.0, NAN, INF, 4.0]))
    np.testing.assert_array_equal(found.low.to_numpy(), [1, NAN, NAN, 4])
    assert found.low == found.high
    assert (found.stride, found.count, found.non_finite) == (1, 4, 2)


def test_that_a_long_curve_is_an_envelope_of_equal_runs() -> None:
    values = torch.tensor([3.0, 1.0, 2.0, NAN, NAN, NAN, 5.0, INF, 4.0, -7.0])
    found = curve(values, CurveRequest(max_points=4))
    np.testing.assert_array_equal(found.low.to_numpy(), [1, NAN, 4, -7])
    np.testing.assert_array_equal(found.high.to_numpy(), [3, NAN, 5, -7])
    assert (found.stride, found.count, found.non_finite) == (3, 10, 4)


def test_that_parts_of_a_long_curve_join(monkeypatch: pytest.MonkeyPatch) -> None:
    values = torch.arange(1000.0)
    whole = curve(values, CurveRequest(max_points=30))
    monkeypatch.setattr("hookscope.engine.views.curve.CHUNK_ELEMENTS", 100)
    assert curve(values, CurveRequest(max_points=30)) == whole
    assert whole.low.to_numpy().tolist() == list(range(0, 1000, 34))


def test_that_a_single_number_is_one_point_and_more_dims_are_flattened() -> None:
    assert curve(torch.tensor(3.0)).low.to_numpy().tolist() == [3.0]
    assert curve(torch.tensor([[1, 2], [3, 4]])).low.to_numpy().tolist() == [1, 2, 3, 4]


def column(tensor: torch.Tensor) -> list[str]:
    return [row[0] for row in table(tensor).cells]


def test_that_integers_are_exact_beyond_float64() -> None:
    assert column(torch.tensor([2**64 - 1, 2**53 + 1], dtype=torch.uint64)) == [str(2**64 - 1), str(2**53 + 1)]
    assert column(torch.tensor([-(2**63), 2**63 - 1])) == [str(-(2**63)), str(2**63 - 1)]
    assert column(torch.tensor([True, False])) == ["True", "False"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.bfloat16, torch.float8_e5m2])
def test_that_every_text_reads_back_to_the_same_value(dtype: torch.dtype) -> None:
    values = torch.tensor([0.1, -1e-7, 1 / 3, 12345.678, 0.0, -0.0, INF, -INF, NAN], dtype=torch.float64).to(dtype)
    read = torch.tensor([float(text) for text in column(values)], dtype=torch.float64).to(dtype)
    np.testing.assert_array_equal(read.double().numpy(), values.double().numpy())


def test_that_texts_are_as_short_as_the_dtype_allows() -> None:
    assert column(torch.tensor([0.1, 2.0, NAN, INF, -INF])) == ["0.1", "2.0", "nan", "inf", "-inf"]
    assert column(torch.tensor([0.1], dtype=torch.float16)) == ["0.1"]
    assert column(torch.tensor([0.1], dtype=torch.bfloat16)) == ["0.10009765625"]


def test_that_complex_values_show_both_parts() -> None:
    texts = column(torch.tensor([complex(0.1, -2), complex(NAN, INF), 1j]))
    assert texts == ["(0.1-2.0j)", "(nan+infj)", "(0.0+1.0j)"]
    assert complex(texts[0]) == complex(0.1, -2)
    assert column(torch.tensor([1 + 2j]).conj()) == ["(1.0-2.0j)"]
    assert column(torch.tensor([1 + 2j]).conj().imag) == ["-2.0"]


def test_that_a_table_is_a_window() -> None:
    tensor = torch.arange(2 * 6 * 5).reshape(2, 6, 5)
    found = table(tensor, TableRequest(Axes(index=(1,)), row=4, column=3, rows=10, columns=1))
    assert found.cells == (("53",), ("58",))
    assert (found.row, found.column, found.rows, found.columns) == (4, 3, 6, 5)
    assert (found.axes, found.shape) == (Axes(1, 2, None, (1, 0, 0)), (2, 6, 5))


def test_that_a_window_outside_is_moved_inside() -> None:
    found = table(torch.arange(6).reshape(2, 3), TableRequest(row=9, column=-2))
    assert (found.row, found.column, found.cells) == (1, 0, (("3", "4", "5"),))


def test_that_lines_and_numbers_are_a_column() -> None:
    found = table(torch.tensor([1, 2, 3]))
    assert (found.rows, found.columns, found.cells) == (3, 1, (("1",), ("2",), ("3",)))
    found = table(torch.tensor(1.5))
    assert (found.rows, found.columns, found.cells) == (1, 1, (("1.5",),))
