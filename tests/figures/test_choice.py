"""Which views are offered for which tensor."""

from typing import get_args

import pytest

from hookscope.figures.choice import view_kinds
from hookscope.protocol.identity import Slot
from hookscope.protocol.tensors import TensorSpec
from hookscope.protocol.views import ViewRequest

TAGS = {request.__struct_config__.tag for request in get_args(ViewRequest)}


def spec(*shape: int, dtype: str = "float32", device: str = "cpu", layout: str = "strided") -> TensorSpec:
    return TensorSpec(shape, dtype, device, layout)


@pytest.mark.parametrize(
    ("shape", "first"),
    [
        ((13,), "curve"),
        ((4, 5), "heatmap"),
        ((3, 8, 8), "grid"),
        ((16, 3, 8, 8), "grid"),
        ((1, 16, 3, 8, 8), "grid"),
    ],
)
def test_that_the_best_view_of_an_activation_comes_first(shape: tuple[int, ...], first: str) -> None:
    kinds = view_kinds(spec(*shape), Slot.OUTPUT)
    assert kinds[0] == first
    assert "kernels" not in kinds
    assert len(set(kinds)) == len(kinds)
    assert {"statistics", "table"} <= set(kinds) <= TAGS


@pytest.mark.parametrize("shape", [(), (1,), (12,), (1, 10), (3, 4)])
@pytest.mark.parametrize("slot", list(Slot))
def test_that_a_few_numbers_are_read_rather_than_looked_at(shape: tuple[int, ...], slot: Slot) -> None:
    kinds = view_kinds(spec(*shape), slot)
    assert kinds[0] == "table"
    assert kinds.count("table") == 1
    assert kinds[-1] == "statistics"


@pytest.mark.parametrize("slot", [Slot.PARAMETER, Slot.PARAMETER_GRAD])
def test_that_convolution_weights_and_their_gradients_are_kernels_first(slot: Slot) -> None:
    for shape in ((8, 3, 5), (8, 3, 5, 5), (8, 3, 5, 5, 5)):
        assert view_kinds(spec(*shape), slot)[0] == "kernels"
    assert view_kinds(spec(10, 64), slot)[0] == "heatmap"
    assert view_kinds(spec(64), slot)[0] == "curve"


@pytest.mark.parametrize(
    ("kind", "fitting", "others"),
    [
        ("rgb", [(3, 8, 8), (2, 3, 8, 8), (8, 8, 3)], [(8, 3), (2, 1, 8, 2)]),
        ("cosine", [(8, 3), (2, 8, 3)], [(8,), (2, 8, 3, 3)]),
        ("attention", [(2, 7, 64), (2, 8, 7, 64)], [(7, 64), (1, 2, 8, 7, 64)]),
        ("singular_values", [(8, 3)], [(8,), (2, 8, 3)]),
        ("channels", [(8, 3), (2, 8, 3)], [(8,), ()]),
        ("scatter", [(8,), (2, 8, 3)], [()]),
        ("embedding", [(8, 3), (2, 8, 3)], [(8,)]),
    ],
)
def test_that_further_views_are_offered_where_they_make_sense(
    kind: str, fitting: list[tuple[int, ...]], others: list[tuple[int, ...]]
) -> None:
    assert all(kind in view_kinds(spec(*shape), Slot.OUTPUT) for shape in fitting)
    assert not any(kind in view_kinds(spec(*shape), Slot.OUTPUT) for shape in others)


def test_that_a_weight_is_a_matrix_but_no_query_and_no_picture() -> None:
    kinds = view_kinds(spec(8, 3, 3, 3), Slot.PARAMETER)
    assert "singular_values" in kinds
    assert not {"attention", "rgb", "cosine"} & set(kinds)
    assert "attention" not in view_kinds(spec(2, 7, 64, dtype="int64"), Slot.OUTPUT)


@pytest.mark.parametrize(
    "unreadable",
    [
        spec(0, 30),
        spec(3, layout="nested"),
        spec(layout="uninitialized"),
        spec(2, 3, device="meta"),
        spec(2, 3, dtype="uint4"),
        spec(2, 3, dtype="int1"),
        spec(2, 3, dtype="bits2x4"),
        spec(2, 3, dtype="float4_e2m1fn_x2"),
    ],
    ids=str,
)
def test_that_without_values_only_statistics_are_offered(unreadable: TensorSpec) -> None:
    assert view_kinds(unreadable, Slot.OUTPUT) == ("statistics",)


@pytest.mark.parametrize("dtype", ["uint16", "int64", "uint8", "float8_e4m3fn", "bfloat16", "complex64", "qint8"])
def test_that_readable_dtypes_offer_pictures(dtype: str) -> None:
    assert view_kinds(spec(4, 5, dtype=dtype), Slot.OUTPUT)[0] == "heatmap"


def test_that_sparse_tensors_offer_what_dense_ones_do() -> None:
    assert view_kinds(spec(2, 3, layout="sparse_coo"), Slot.OUTPUT) == view_kinds(spec(2, 3), Slot.OUTPUT)
