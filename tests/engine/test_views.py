"""Every view of any tensor there is: a picture, or the reason why there is none."""

import math
import warnings
from functools import partial

import msgspec
import numpy as np
import pytest
import torch
from msgspec import structs

from hookscope.engine.convert import real_chunks
from hookscope.engine.views import BUILDERS, PAIR_BUILDERS, build_view, census
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.tensors import Array
from hookscope.protocol.views import (
    CosineRequest,
    EmbeddingRequest,
    GridRequest,
    KernelRequest,
    NoPicture,
    NoPictureReason,
    RgbRequest,
    SingularValuesRequest,
    StatisticsRequest,
    ViewRequest,
    ViewResult,
)
from hookscope.protocol.wire import decode_event, encode

NAN, INF = math.nan, math.inf
FLOAT32_MAX = float(np.finfo(np.float32).max)
OTHER = TensorRef("a.0", Slot.OUTPUT, "key")
REQUESTS = [*(request() for request in BUILDERS), *(request(OTHER) for request in PAIR_BUILDERS)]


PAIRED = tuple(PAIR_BUILDERS)
SHAPES = [(), (0,), (5,), (2, 3), (0, 30), (2, 3, 4), (2, 3, 2, 2), (1, 2, 2, 2, 2), (2, 1, 2, 1, 2, 2)]
DTYPES = sorted({value for value in vars(torch).values() if isinstance(value, torch.dtype)}, key=str)


def kind(request: object) -> str:
    return type(request).__name__


def view(tensor: torch.Tensor, request: ViewRequest) -> ViewResult:
    """Build the view of a tensor; of two tensors, that of the tensor and itself."""
    return build_view(tensor, request, tensor if isinstance(request, PAIRED) else None)


def assert_answered(result: ViewResult, told: object = "") -> None:
    """The result is a picture or a reason, and can be sent."""
    assert not (isinstance(result, NoPicture) and result.reason is NoPictureReason.FAILED), f"{told}: {result}"
    event = ViewReady("panel", 1, TensorRef("a.0", Slot.OUTPUT, "out"), 1, None, (), result)
    assert encode(decode_event(encode(event))) == encode(event)


def same(one: object, another: object, tolerance: float) -> bool:
    """Whether two results are equal except for the last digits of floats."""
    if isinstance(one, Array) and isinstance(another, Array) and one.dtype[1] == "f":
        return one.shape == another.shape and np.allclose(
            one.to_numpy(), another.to_numpy(), rtol=tolerance, atol=tolerance, equal_nan=True
        )
    if isinstance(one, msgspec.Struct) and type(one) is type(another):
        pairs = zip(structs.astuple(one), structs.astuple(another), strict=True)
        return all(same(*pair, tolerance) for pair in pairs)
    return bool(one == (pytest.approx(another, rel=tolerance) if isinstance(one, float) else another))


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_that_every_dtype_gives_a_sendable_picture_or_a_reason(request_: ViewRequest, shape: tuple[int, ...]) -> None:
    for dtype in DTYPES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # complex32 warns when it is made
            try:
                tensor = torch.ones(shape).to(dtype)
            except (RuntimeError, NotImplementedError):
                tensor = torch.empty(shape, dtype=dtype)
        assert_answered(view(tensor, request_), dtype)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_values_that_are_not_finite_never_fail(request_: ViewRequest) -> None:
    for values in ([NAN] * 8, [INF] * 8, [-INF] * 8, [NAN, INF, -INF, 0, 1, -1, FLOAT32_MAX, -FLOAT32_MAX]):
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
            for shape in ((8,), (2, 4), (2, 2, 2), (1, 2, 2, 2), (1, 1, 2, 2, 2), (1, 1, 1, 2, 2, 2)):
                assert_answered(view(torch.tensor(values).to(dtype).reshape(shape), request_), (values, dtype))


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_extreme_values_never_fail(request_: ViewRequest) -> None:
    largest = torch.finfo(torch.float64).max
    for tensor in (
        torch.full((2, 2, 2, 2), 1e38),
        torch.tensor([1e38, -1e38]).repeat(8).reshape(2, 2, 2, 2),
        torch.tensor([largest, -largest], dtype=torch.float64).repeat(8).reshape(2, 2, 2, 2),
        torch.full((2, 2, 2, 2), 5e-324, dtype=torch.float64),
        torch.tensor([2**63 - 1, -(2**63), 2**53 + 1, 0]).repeat(4).reshape(2, 2, 2, 2),
        torch.tensor([complex(1e38, -1e38), 0j]).repeat(8).reshape(2, 2, 2, 2),
    ):
        for shape in ((16,), (2, 8), (2, 2, 4), (2, 2, 2, 2), (1, 2, 2, 2, 2)):
            assert_answered(view(tensor.reshape(shape), request_), tensor)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_memory_layout_changes_no_result(request_: ViewRequest) -> None:
    wide = torch.arange(240.0).reshape(2, 5, 4, 6)
    for tensor in (wide.permute(3, 1, 0, 2), wide[:, ::2, 1:, ::3], wide[:, :, :, :1].expand(2, 5, 4, 3)):
        before = tensor.clone()
        assert view(tensor, request_) == view(tensor.contiguous(), request_)
        assert torch.equal(tensor, before)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_a_strided_line_of_numbers_can_be_drawn(request_: ViewRequest) -> None:
    tensor = torch.arange(12.0, dtype=torch.float64)[::2]
    assert view(tensor, request_) == view(tensor.contiguous(), request_)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_parts_make_the_same_result_as_the_whole(request_: ViewRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.linspace(-1, 1, 8 * 64).reshape(8, 1, 8, 8)
    tensor[3, 0, 2, 1] = NAN
    whole = view(tensor, request_)
    monkeypatch.setattr(census, "real_chunks", partial(real_chunks, limit=100))
    parts = view(tensor, request_)
    assert same(parts, whole, 1e-12)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_no_random_number_is_drawn(request_: ViewRequest) -> None:
    before = torch.get_rng_state()
    view(torch.ones(2, 3, 4, 4), request_)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_the_users_default_device_does_not_matter(request_: ViewRequest) -> None:
    tensor = torch.arange(16.0).reshape(2, 2, 2, 2)
    expected = view(tensor, request_)
    with torch.device("meta"):
        assert view(tensor, request_) == expected


def test_that_tensors_without_values_say_why() -> None:
    result = build_view(torch.ones(2, device="meta"), StatisticsRequest())
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.NO_DATA
    assert "meta" in result.detail


def test_that_an_unknown_kind_of_request_is_answered() -> None:
    result = build_view(torch.ones(2), "no request")  # type: ignore[arg-type]
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.FAILED
    assert "KeyError" in result.detail


@pytest.mark.parametrize(
    ("request_", "shape"),
    [
        (RgbRequest(), (3, 3)),
        (CosineRequest(), (3,)),
        (SingularValuesRequest(), (3,)),
        (EmbeddingRequest(), (3,)),
        (GridRequest(), (3, 3)),
        (KernelRequest(), (3, 3)),
        (KernelRequest(), (1, 1, 1, 1, 1, 1)),
    ],
)
def test_that_a_wrong_number_of_dims_is_told(request_: ViewRequest, shape: tuple[int, ...]) -> None:
    result = view(torch.ones(shape), request_)
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.WRONG_RANK
    assert f"this tensor has {len(shape)}" in result.detail


@pytest.mark.parametrize(
    "request_", [request for request in REQUESTS if kind(request) != "StatisticsRequest"], ids=kind
)
def test_that_an_empty_tensor_is_told_apart(request_: ViewRequest) -> None:
    assert view(torch.ones(0, 30), request_) == NoPicture(NoPictureReason.EMPTY)


@pytest.mark.parametrize("request_", [request(OTHER) for request in PAIR_BUILDERS], ids=kind)
def test_that_a_second_tensor_that_is_not_there_is_told(request_: ViewRequest) -> None:
    tensor = torch.ones(2, 3)
    result = build_view(tensor, request_)
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.NOT_CAPTURED
    assert build_view(tensor, request_, torch.ones(0, 3)) == NoPicture(NoPictureReason.EMPTY)
    assert build_view(tensor, request_, torch.ones(2, 3, device="meta")).reason is NoPictureReason.NO_DATA


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_a_cuda_tensor_gives_the_result_of_its_copy(request_: ViewRequest) -> None:
    values = torch.arange(-64.0, 64.0).reshape(2, 4, 4, 4)
    values[0, 0, 0, :3] = torch.tensor([NAN, INF, -INF])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float8_e4m3fn, torch.complex64, torch.int64):
        tensor = values.nan_to_num(0, 0, 0).to(dtype) if dtype is torch.int64 else values.to(dtype)
        # The order in which a device adds up is its own, and attention is of float32.
        assert same(view(tensor.cuda(), request_), view(tensor, request_), 1e-5), dtype
