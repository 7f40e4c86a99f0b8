"""The gate from tensors to real numbers, over every dtype and kind of tensor that torch has."""

import math
import warnings
from collections.abc import Callable

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from hookscope.engine.convert import MAX_DENSIFIED_ELEMENTS, Unreadable, as_real, dense, real_chunks

DTYPES = sorted({value for value in vars(torch).values() if isinstance(value, torch.dtype)}, key=str)
QUANTISED = {torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4}
WIDE = {torch.float64, torch.int32, torch.int64, torch.uint32, torch.uint64, torch.complex64, torch.complex128}


def is_opaque(dtype: torch.dtype) -> bool:
    """Whether torch can only store it."""
    name = str(dtype).removeprefix("torch.")
    return name.startswith(("bits", "float4")) or name.strip("uint") in set("1234567")


def ones_and_twos(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.arange(math.prod(shape)).remainder(2).add(1).reshape(shape)


def make(dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    """Make a tensor of ones and twos in any dtype; in bool, all true."""
    values = ones_and_twos(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of quantised and complex32 tensors, when they are made
        if dtype in QUANTISED:
            return torch.quantize_per_tensor(values.float(), 1.0, 0, dtype)
        if is_opaque(dtype):
            return torch.empty(shape, dtype=dtype)
        return values.to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (3,), (2, 3)], ids=str)
def test_that_every_dtype_gives_real_numbers_or_the_reason_why_not(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = make(dtype, shape)
    if is_opaque(dtype) and tensor.numel():
        with pytest.raises(Unreadable, match=str(dtype).removeprefix("torch.")):
            as_real(tensor)
        return
    real = as_real(tensor)
    assert real.shape == shape
    assert real.dtype == (torch.float64 if dtype in WIDE else torch.float32)
    assert real.tolist() == ones_and_twos(shape).clamp(max=1 if dtype is torch.bool else 2).tolist()
    chunks = list(real_chunks(tensor))
    assert sum(chunk.numel() for chunk in chunks) == math.prod(shape)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (torch.int32, 2**31 - 1),
        (torch.uint32, 2**32 - 1),
        (torch.int64, -(2**53)),
        (torch.uint64, 2**53),
        (torch.uint16, 2**16 - 1),
        (torch.float64, 1e300),
        (torch.bfloat16, 2.0**127),
        (torch.float16, 65504.0),
        (torch.float8_e4m3fn, 448.0),
        (torch.float8_e8m0fnu, 2.0**127),
    ],
)
def test_that_large_values_stay_exact(dtype: torch.dtype, value: float) -> None:
    exact = torch.tensor([value], dtype=torch.float64 if dtype.is_floating_point else dtype)
    assert as_real(exact.to(dtype)).tolist() == [value]


def test_that_complex_values_become_their_magnitude() -> None:
    assert as_real(torch.tensor([3 + 4j, -1j])).tolist() == [5.0, 1.0]
    assert as_real(torch.tensor([3 + 4j]).conj()).tolist() == [5.0]
    assert as_real(make(torch.complex32, (2,))).tolist() == [1.0, 2.0]


def test_that_the_magnitude_of_finite_float32_parts_is_finite() -> None:
    assert as_real(torch.tensor([3e38 + 3e38j])).item() == pytest.approx(3e38 * math.sqrt(2), rel=1e-6)


def test_that_negated_views_are_read_with_their_sign() -> None:
    imaginary = torch.tensor([1 + 2j]).conj().imag
    assert imaginary.is_neg()
    assert as_real(imaginary).numpy().tolist() == [-2.0]


def test_that_quantised_values_are_dequantised() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = torch.quantize_per_tensor(torch.tensor([0.5, -1.0]), 0.5, 3, torch.qint8)
    assert as_real(tensor).tolist() == [0.5, -1.0]


def test_that_a_quantised_tensor_without_a_quantiser_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="qint8"):
        as_real(torch.empty(2, dtype=torch.qint8))


def sparse_examples() -> list[torch.Tensor]:
    eye = torch.eye(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "beta state"
        uncoalesced = torch.sparse_coo_tensor([[0, 0], [1, 1]], torch.ones(2), (4, 4))
        return [
            uncoalesced,
            eye.to_sparse(),
            eye.to_sparse(1),
            eye.to_sparse_csr(),
            eye.to_sparse_csc(),
            eye.to_sparse_bsr((2, 2)),
            eye.to_sparse_bsc((2, 2)),
            eye.to_mkldnn(),
        ]


@pytest.mark.parametrize("tensor", sparse_examples(), ids=lambda tensor: str(tensor.layout))
def test_that_small_sparse_tensors_are_filled_up(tensor: torch.Tensor) -> None:
    expected = tensor.to_dense()
    assert dense(tensor).layout is torch.strided
    assert torch.equal(as_real(tensor), expected)


def test_that_large_sparse_tensors_are_unreadable() -> None:
    side = math.isqrt(MAX_DENSIFIED_ELEMENTS) + 1
    first = torch.zeros(2, 1, dtype=torch.int64)
    tensor = torch.sparse_coo_tensor(first, torch.ones(1), (side, side), check_invariants=True)
    with pytest.raises(Unreadable, match="sparse_coo, and too large"):
        as_real(tensor)


def nested(layout: torch.layout) -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "prototype stage"
        return torch.nested.nested_tensor([torch.ones(3, 2), torch.ones(1, 2)], layout=layout)


class Wrapper(torch.Tensor):
    """Keeps its values in another tensor and can do nothing at all."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> "Wrapper":
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError(func)


def fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.ones(2)


@pytest.mark.parametrize(
    ("make_tensor", "reason"),
    [
        (lambda: nested(torch.strided), r"nested, with the shapes \(3, 2\), \(1, 2\)"),
        (lambda: nested(torch.jagged), r"nested, with the shapes \(3, 2\), \(1, 2\)"),
        (lambda: torch.ones(2, device="meta"), "meta"),
        (lambda: torch.nn.LazyLinear(3).weight, "not initialized"),
        (lambda: Wrapper(torch.ones(2)), "a Wrapper"),
        (fake, "FakeTensor"),
    ],
    ids=["nested", "jagged", "meta", "lazy", "wrapper", "fake"],
)
def test_that_tensors_without_values_say_why(make_tensor: Callable[[], torch.Tensor], reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        as_real(make_tensor())


def test_that_a_tensor_inside_vmap_is_unreadable() -> None:
    reasons = []

    def inner(row: torch.Tensor) -> torch.Tensor:
        with pytest.raises(Unreadable) as raised:
            as_real(row)
        reasons.append(str(raised.value))
        return row

    torch.vmap(inner)(torch.ones(2, 3))
    assert "torch.func" in reasons[0]


class Noisy(torch.Tensor):
    """Overrides every function of torch, as logging subclasses do."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise AssertionError("the user's override was called")


def test_that_overrides_of_a_subclass_are_not_called() -> None:
    tensor = torch.ones(2).as_subclass(Noisy)
    assert type(as_real(tensor)) is torch.Tensor
    assert [chunk.tolist() for chunk in real_chunks(tensor)] == [[1.0, 1.0]]


def test_that_parameters_leave_no_graph_and_are_unchanged() -> None:
    parameter = torch.nn.Parameter(torch.ones(2, 2))
    version = parameter._version
    real = as_real(parameter)
    assert not real.requires_grad
    assert type(real) is torch.Tensor
    assert parameter._version == version
    assert parameter.requires_grad


def test_that_nothing_random_is_drawn_and_autocast_changes_nothing() -> None:
    before = torch.get_rng_state()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert as_real(torch.tensor([1.001])).item() == pytest.approx(1.001)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(60.0).reshape(3, 4, 5),
        torch.arange(60.0).reshape(3, 4, 5).permute(2, 0, 1),
        torch.arange(120.0)[::2],
        torch.arange(12.0).reshape(3, 4, 1).expand(3, 4, 5),
        torch.tensor(7.0).expand(2, 30),
    ],
    ids=["contiguous", "permuted", "strided", "expanded", "scalar"],
)
@pytest.mark.parametrize("limit", [1, 7, 60])
def test_that_chunks_hold_every_value_once(tensor: torch.Tensor, limit: int) -> None:
    chunks = list(real_chunks(tensor, limit))
    assert all(chunk.is_contiguous() and chunk.dim() == 1 and chunk.numel() <= limit for chunk in chunks)
    assert torch.cat(chunks).sort().values.tolist() == tensor.flatten().sort().values.tolist()
