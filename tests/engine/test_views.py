"""Every view of any tensor there is: a picture, or the reason why there is none."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
import torch
from msgspec import structs

from hookscope.engine.convert import real_chunks
from hookscope.engine.views import BUILDERS, build_view, census
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import (
    GridRequest,
    HeatmapRequest,
    KernelRequest,
    NoPicture,
    NoPictureReason,
    Statistics,
    StatisticsRequest,
    ViewRequest,
)
from hookscope.protocol.wire import decode_event, encode

NAN, INF = math.nan, math.inf
FLOAT32_MAX = float(np.finfo(np.float32).max)
REQUESTS = [request() for request in BUILDERS]


def kind(request: object) -> str:
    return type(request).__name__


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (0, 30), (2, 3, 4), (2, 3, 2, 2), (1, 2, 2, 2, 2)], ids=str)
def test_that_every_dtype_gives_a_sendable_picture_or_a_reason(request_: ViewRequest, shape: tuple[int, ...]) -> None:
    dtypes = sorted({value for value in vars(torch).values() if isinstance(value, torch.dtype)}, key=str)
    for dtype in dtypes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # complex32 warns when it is made
            try:
                tensor = torch.ones(shape).to(dtype)
            except (RuntimeError, NotImplementedError):
                tensor = torch.empty(shape, dtype=dtype)
        result = build_view(tensor, request_)
        if isinstance(result, NoPicture):
            assert result.reason is not NoPictureReason.FAILED, f"{dtype}: {result.detail}"
        ref = TensorRef("a.0", Slot.OUTPUT, "out")
        event = ViewReady("panel", 1, ref, 1, None, (), result)
        assert decode_event(encode(event)) == event


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_values_that_are_not_finite_never_fail(request_: ViewRequest) -> None:
    for values in ([NAN] * 8, [INF] * 8, [-INF] * 8, [NAN, INF, -INF, 0, 1, -1, FLOAT32_MAX, -FLOAT32_MAX]):
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
            for shape in ((8,), (2, 4), (2, 2, 2), (1, 2, 2, 2)):
                result = build_view(torch.tensor(values).to(dtype).reshape(shape), request_)
                assert not (isinstance(result, NoPicture) and result.reason is NoPictureReason.FAILED), result


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_memory_layout_changes_no_result(request_: ViewRequest) -> None:
    wide = torch.arange(240.0).reshape(2, 5, 4, 6)
    for tensor in (wide.permute(3, 1, 0, 2), wide[:, ::2, 1:, ::3], wide[:, :, :, :1].expand(2, 5, 4, 3)):
        before = tensor.clone()
        assert build_view(tensor, request_) == build_view(tensor.contiguous(), request_)
        assert torch.equal(tensor, before)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_a_strided_line_of_numbers_can_be_drawn(request_: ViewRequest) -> None:
    tensor = torch.arange(12.0, dtype=torch.float64)[::2]
    assert build_view(tensor, request_) == build_view(tensor.contiguous(), request_)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_parts_make_the_same_result_as_the_whole(request_: ViewRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.linspace(-1, 1, 8 * 64).reshape(8, 1, 8, 8)
    tensor[3, 0, 2, 1] = NAN
    whole = build_view(tensor, request_)
    monkeypatch.setattr(census, "real_chunks", partial(real_chunks, limit=100))
    parts = build_view(tensor, request_)
    if isinstance(whole, Statistics) and isinstance(parts, Statistics):
        assert (parts.minimum, parts.maximum, parts.negative, parts.nan) == (
            whole.minimum,
            whole.maximum,
            whole.negative,
            whole.nan,
        )
        assert parts.std == pytest.approx(whole.std, rel=1e-12)
        assert parts.norm == pytest.approx(whole.norm, rel=1e-12)
    else:
        assert parts == whole


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_no_random_number_is_drawn(request_: ViewRequest) -> None:
    before = torch.get_rng_state()
    build_view(torch.ones(2, 3, 4, 4), request_)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_the_users_default_device_does_not_matter(request_: ViewRequest) -> None:
    tensor = torch.arange(16.0).reshape(2, 2, 2, 2)
    expected = build_view(tensor, request_)
    with torch.device("meta"):
        assert build_view(tensor, request_) == expected


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
        (HeatmapRequest(), (3,)),
        (GridRequest(), (3, 3)),
        (KernelRequest(), (3, 3)),
        (KernelRequest(), (1, 1, 1, 1, 1, 1)),
    ],
)
def test_that_a_wrong_number_of_dims_is_told(request_: ViewRequest, shape: tuple[int, ...]) -> None:
    result = build_view(torch.ones(shape), request_)
    assert isinstance(result, NoPicture)
    assert result.reason is NoPictureReason.WRONG_RANK
    assert f"this tensor has {len(shape)}" in result.detail


@pytest.mark.parametrize(
    "request_", [request for request in REQUESTS if kind(request) != "StatisticsRequest"], ids=kind
)
def test_that_an_empty_tensor_is_told_apart(request_: ViewRequest) -> None:
    assert build_view(torch.ones(0, 30), request_) == NoPicture(NoPictureReason.EMPTY)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("request_", REQUESTS, ids=kind)
def test_that_a_cuda_tensor_gives_the_result_of_its_copy(request_: ViewRequest) -> None:
    values = torch.arange(-64.0, 64.0).reshape(2, 4, 4, 4)
    values[0, 0, 0, :3] = torch.tensor([NAN, INF, -INF])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float8_e4m3fn, torch.complex64, torch.int64):
        tensor = values.nan_to_num(0, 0, 0).to(dtype) if dtype is torch.int64 else values.to(dtype)
        on_cuda, on_cpu = build_view(tensor.cuda(), request_), build_view(tensor, request_)
        if isinstance(on_cuda, Statistics) and isinstance(on_cpu, Statistics):
            # The order in which a device adds up is its own.
            assert structs.asdict(on_cuda) == pytest.approx(structs.asdict(on_cpu), rel=1e-12)
        else:
            assert on_cuda == on_cpu
