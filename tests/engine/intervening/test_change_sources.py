"""Changes that take their values from another tensor, a file or the capture of another step."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from hookscope import changes
from hookscope.engine.intervening.changes import ChangeError, Moment, compile_change
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.interventions import Channels, Heads, Index, MagnitudeAbove, Selection, Span
from tests.engine.intervening.by_hand import WHERE, tensor

REF = TensorRef("layer1.0", Slot.OUTPUT, "out", 2)


def made(change: changes.Change, x: torch.Tensor, where: Selection | None = None, at: Moment = WHERE) -> torch.Tensor:
    return compile_change(change, where, is_gradient=False).apply(x, at, differentiable=False).tensor


def problem(change: changes.Change, x: torch.Tensor | None = None, at: Moment = WHERE) -> str:
    with pytest.raises(ChangeError) as caught:
        made(change, torch.ones(2, 3) if x is None else x, at=at)
    return str(caught.value)


def kept(values: torch.Tensor | None, asked: list[tuple[TensorRef, int]], ref: TensorRef | None = REF) -> Moment:
    @contextmanager
    def captured(ref: TensorRef, step: int) -> Iterator[torch.Tensor | None]:
        asked.append((ref, step))
        yield values

    return Moment("layer1.0", 2, 5, captured=captured, ref=ref)


@pytest.mark.parametrize(
    ("shape", "where", "expected"),
    [
        ((2, 3), None, [[0, 1, 2], [3, 4, 5]]),
        ((3,), None, [[0, 1, 2], [0, 1, 2]]),
        ((2, 1), None, [[0, 0, 0], [1, 1, 1]]),
        ((), None, [[0, 0, 0], [0, 0, 0]]),
        ((3,), Index((1,)), [[9, 9, 9], [0, 1, 2]]),
        ((2,), Index((Span(), 1)), [[9, 0, 9], [9, 1, 9]]),
        ((2, 1), Channels((2,)), [[9, 9, 0], [9, 9, 1]]),
        ((2, 3), Channels((2,)), [[9, 9, 2], [9, 9, 5]]),
        ((2, 3), Heads((1,), 3), [[9, 1, 9], [9, 4, 9]]),
        ((2, 3), MagnitudeAbove(1), [[0, 1, 2], [3, 4, 5]]),
    ],
    ids=str,
)
def test_that_values_are_broadcast_to_the_part_or_taken_from_where_it_is(shape, where, expected) -> None:
    values = torch.arange(int(np.prod(shape))).reshape(shape)
    assert made(changes.Replace(values), torch.full((2, 3), 9.0), where).tolist() == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.complex64], ids=str)
def test_that_values_take_the_dtype_of_the_tensor(dtype: torch.dtype) -> None:
    values = tensor(shape=(2, 3), dtype=torch.float64)
    found = made(changes.Replace(values), torch.ones(2, 3, dtype=dtype))
    assert torch.equal(found, values.to(dtype))


def test_that_values_that_do_not_fit_are_refused() -> None:
    assert problem(changes.Replace(torch.ones(2, 4))) == (
        "expected shape (2, 3) or one that broadcasts to it, given (2, 4)"
    )
    assert problem(changes.Replace(torch.ones(4, 2, 3))) == (
        "expected shape (2, 3) or one that broadcasts to it, given (4, 2, 3)"
    )
    assert problem(changes.Replace(torch.ones(3, dtype=torch.complex64))) == (
        "expected real values for float32, given complex64"
    )


def test_that_a_replaced_tensor_gets_no_gradient_and_shares_no_memory() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    compiled = compile_change(changes.Replace(torch.zeros(2, 3)), Index((0,)), is_gradient=False)
    compiled.apply(x, WHERE, differentiable=True).tensor.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0, 0, 0], [1, 1, 1]]
    whole = compile_change(changes.Replace(torch.zeros(2, 3)), None, is_gradient=False)
    whole.apply(x, WHERE, differentiable=True).tensor.add_(5)
    assert whole.apply(x, WHERE, differentiable=True).tensor.eq(0).all()


# -- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["values.npy", "values.pt", "values.PTH"])
def test_that_values_come_from_a_file_that_is_read_once(name: str, tmp_path: Path) -> None:
    file, values = tmp_path / name, tensor(shape=(2, 3))
    if name.endswith("npy"):
        np.save(file, values.numpy())
    else:
        torch.save(values.requires_grad_(), file)
    compiled = compile_change(changes.FromFile(str(file)), None, is_gradient=False)
    file.unlink()
    for _ in range(2):
        changed = compiled.apply(torch.ones(2, 3), WHERE, differentiable=True)
        assert torch.equal(changed.tensor, values)
        assert not changed.tensor.requires_grad


@pytest.mark.parametrize("dtype", [">f4", "<f8", ">i2", "?", "u2"])
def test_that_numbers_in_any_order_of_bytes_are_read(dtype: str, tmp_path: Path) -> None:
    np.save(tmp_path / "values.npy", np.array([0, 1, 1], dtype=dtype))
    assert made(changes.FromFile(str(tmp_path / "values.npy")), torch.ones(2, 3)).tolist() == [[0, 1, 1]] * 2


def test_that_a_file_is_found_from_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    np.save(tmp_path / "values.npy", np.zeros(1))
    assert made(changes.FromFile(" ~/values.npy "), torch.ones(2)).tolist() == [0, 0]


def test_that_a_file_that_cannot_be_used_is_refused_beforehand(tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(1)}, tmp_path / "dict.pt")
    torch.save(Path("own"), tmp_path / "own.pt")
    torch.save(torch.ones(2, 2).to_sparse(), tmp_path / "sparse.pt")
    np.savez(tmp_path / "several.npz", a=np.ones(1))
    (tmp_path / "several.npz").rename(tmp_path / "several.npy")
    np.save(tmp_path / "objects.npy", np.array([None]), allow_pickle=True)
    np.save(tmp_path / "texts.npy", np.array(["a"]))
    np.save(tmp_path / "long.npy", np.ones(1, dtype=np.longdouble))
    for name in ("broken.npy", "broken.pt"):
        (tmp_path / name).write_bytes(b"no such thing")
    (tmp_path / "empty.npy").touch()
    (tmp_path / "folder.npy").mkdir()
    expected = {
        "dict.pt": "expected one tensor in dict.pt, given a dict",
        "own.pt": "expected a tensor saved by torch.save, given own.pt, which cannot be read as one (Unpick",
        "sparse.pt": "expected a strided tensor in sparse.pt, given sparse_coo float32",
        "several.npy": "expected one array in several.npy, given an archive of several",
        "objects.npy": "expected an array of numbers saved by numpy.save, given objects.npy, which",
        "texts.npy": "expected numbers, given an array of <U1",
        "long.npy": f"expected a dtype that torch has, given an array of {np.dtype(np.longdouble)}",
        "broken.npy": "expected an array of numbers saved by numpy.save, given broken.npy, which cannot be read as one",
        "broken.pt": "expected a tensor saved by torch.save, given broken.pt, which cannot be read as one",
        "empty.npy": "expected an array of numbers saved by numpy.save, given empty.npy, which cannot be read as one",
        "folder.npy": f"expected a file that exists, given {tmp_path / 'folder.npy'}",
        "missing.npy": f"expected a file that exists, given {tmp_path / 'missing.npy'}",
        "values.csv": "expected a .npy, .pt or .pth file, given values.csv",
    }
    for name, message in expected.items():
        with pytest.raises(ChangeError) as caught:
            compile_change(changes.FromFile(str(tmp_path / name)), None, is_gradient=False)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)
    assert problem(changes.FromFile("")) == "expected a .npy, .pt or .pth file, given none"


def test_that_a_file_of_another_shape_is_refused_when_the_tensor_is_there(tmp_path: Path) -> None:
    np.save(tmp_path / "values.npy", np.ones((5,)))
    message = "expected shape (2, 3) or one that broadcasts to it, given (5,)"
    assert problem(changes.FromFile(str(tmp_path / "values.npy"))) == message


# -- captures of other steps ----------------------------------------------------------------------------------------


def test_that_the_values_of_the_same_tensor_in_another_step_are_taken() -> None:
    asked: list[tuple[TensorRef, int]] = []
    values = tensor(shape=(2, 3))
    found = made(changes.FromStep(3), torch.ones(2, 3), Channels((1,)), kept(values, asked))
    assert asked == [(REF, 3)]
    assert torch.equal(found[:, 1], values[:, 1])
    assert found[:, [0, 2]].eq(1).all()
    whole = made(changes.FromStep(3), torch.ones(2, 3), None, kept(values, asked))
    whole.add_(1)
    assert torch.equal(whole, values + 1)


def test_that_the_values_of_another_tensor_are_taken_when_one_is_named() -> None:
    asked: list[tuple[TensorRef, int]] = []
    other = TensorRef("layer2", Slot.INPUT, "args.0")
    made(changes.FromStep(1, other), torch.ones(2, 3), None, kept(torch.zeros(2, 3), asked))
    assert asked == [(other, 1)]


def test_that_a_capture_that_is_not_there_or_of_another_shape_is_told() -> None:
    message = "expected a capture of layer1.0 output out of call 2 in step 3, given none"
    assert problem(changes.FromStep(3), at=kept(None, [])) == message
    nothing = "expected captures of step 3, given none: nothing is kept here"
    assert problem(changes.FromStep(3)) == nothing
    assert problem(changes.FromStep(3), at=kept(torch.ones(1), [], ref=None)) == nothing
    message = "expected shape (2, 3) or one that broadcasts to it, given (4,)"
    assert problem(changes.FromStep(3), at=kept(torch.ones(4), [])) == message
