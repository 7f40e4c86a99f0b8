"""Captured tensors as files: exact values, an index that tells what is what, and nothing half written."""

import contextlib
import csv
import json
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from hookscope.engine.capture.captures import Capture
from hookscope.engine.code.call_stack import VariableStore
from hookscope.engine.exports import tensor_files
from hookscope.engine.exports.exporter import Exporter
from hookscope.engine.exports.tensor_files import write_tensor, written_dtype
from hookscope.engine.specs import spec_of
from hookscope.protocol.commands import ExportStep, ExportTensor
from hookscope.protocol.events import Event, Exported
from hookscope.protocol.exports import ExportEnd, ExportForm
from hookscope.protocol.identity import Slot, TensorRef
from tests.engine.observing import Seen, step

INPUT = torch.tensor([[1.0, -2.0, 0.5]])


class Answers:
    """What an exporter posts, and the end of each export; `hold` keeps it at what it posts until `let_go`."""

    def __init__(self) -> None:
        self.told: list[Event] = []
        self._ended = threading.Semaphore(0)
        self._is_free = threading.Event()
        self._is_free.set()

    def hold(self) -> None:
        self._is_free.clear()

    def let_go(self) -> None:
        self._is_free.set()

    def post(self, event: Event) -> None:
        self._is_free.wait(timeout=60)
        self.told.append(event)
        if isinstance(event, Exported):
            self._ended.release()

    def end(self) -> Exported:
        assert self._ended.acquire(timeout=60)
        return [event for event in self.told if isinstance(event, Exported)][-1]


@pytest.fixture
def seen() -> Seen:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    return step(model, lambda net: net(INPUT).sum())


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def variables() -> VariableStore:
    return VariableStore()


@pytest.fixture
def exporter(seen: Seen, variables: VariableStore, answers: Answers) -> Iterator[Exporter]:
    made = Exporter(seen.store, variables, lambda: 1, answers.post)
    yield made
    made.close()


def wrote_nothing(_bytes: int) -> None:
    """Take progress, and do nothing with it."""


def test_that_a_step_is_written_with_an_index_that_reads_back(
    seen: Seen, exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "step"
    exporter.request(ExportStep(7, str(folder)))
    end = answers.end()
    assert (end.number, end.end, end.place) == (7, ExportEnd.WRITTEN, str(folder))
    index = json.loads((folder / "index.json").read_text())
    assert index["step"] == 1
    assert len(index["tensors"]) == end.files
    assert {file.name for file in folder.iterdir()} == {entry["file"] for entry in index["tensors"]} | {"index.json"}
    for entry in index["tensors"]:
        values = seen.tensor(entry["path"], Slot(entry["slot"]), entry["leaf"], entry["call"])
        assert values is not None
        np.testing.assert_array_equal(np.load(folder / entry["file"]), values.numpy(), strict=True)
        assert entry["shape"] == list(values.shape)
        assert entry["dtype"] == "float32"
        assert entry["statistics"]["maximum"] == values.max().item()
    found = {(entry["path"], entry["slot"], entry["leaf"]) for entry in index["tensors"]}
    assert {("0", "parameter", "weight"), ("0", "parameter_grad", "bias"), ("1", "output", "out")} <= found
    assert [(skipped.ref.path, skipped.ref.slot) for skipped in end.skipped] == [
        ("0", Slot.GRAD_INPUT),
        ("", Slot.GRAD_INPUT),
    ]
    assert "does not require" in end.skipped[0].reason


@pytest.mark.parametrize("form", ExportForm)
def test_that_one_tensor_is_written_and_takes_the_place_of_a_former_file(
    form: ExportForm, seen: Seen, exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    file = tmp_path / "weight"
    file.write_text("former")
    exporter.request(ExportTensor(1, TensorRef("0", Slot.PARAMETER, "weight"), str(file), form))
    assert answers.end().end is ExportEnd.WRITTEN
    weight = seen.tensor("0", Slot.PARAMETER, "weight")
    assert weight is not None
    if form is ExportForm.NPY:
        np.testing.assert_array_equal(np.load(file), weight.numpy(), strict=True)
    else:
        rows = list(csv.reader(file.read_text().splitlines()))
        assert torch.tensor([[float(cell) for cell in row] for row in rows]).equal(weight)
    assert list(tmp_path.iterdir()) == [file]


def test_that_an_export_that_cannot_be_done_says_why_and_leaves_nothing(
    exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    ref = TensorRef("0", Slot.OUTPUT, "out")
    exporter.request(ExportTensor(1, ref, str(tmp_path / "missing" / "file.npy")))
    end = answers.end()
    assert end.end is ExportEnd.FAILED
    assert "missing" in end.detail
    exporter.request(ExportTensor(2, TensorRef("9", Slot.OUTPUT, "out"), str(tmp_path / "file.npy")))
    assert "not kept" in answers.end().detail
    exporter.request(ExportStep(3, str(tmp_path / "folder"), step=5))
    assert "step 5 is not kept" in answers.end().detail
    assert list(tmp_path.iterdir()) == []


def test_that_a_cancelled_export_leaves_the_former_file(
    seen: Seen, exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    file = tmp_path / "out.npy"
    file.write_text("former")
    answers.hold()
    exporter.request(ExportTensor(3, TensorRef("0", Slot.OUTPUT, "out"), str(tmp_path / "first.npy")))
    exporter.request(ExportTensor(4, TensorRef("0", Slot.OUTPUT, "out"), str(file)))
    exporter.cancel(4)
    answers.let_go()
    for _ in range(2):
        answers.end()
    ends = [event.end for event in answers.told if isinstance(event, Exported)]
    assert ends == [ExportEnd.WRITTEN, ExportEnd.CANCELLED]
    assert file.read_text() == "former"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "first.npy", file]


def test_that_a_cancel_that_comes_too_late_ends_nothing_later(
    exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    request = ExportTensor(4, TensorRef("0", Slot.OUTPUT, "out"), str(tmp_path / "out.npy"))
    exporter.request(request)
    assert answers.end().end is ExportEnd.WRITTEN
    exporter.cancel(4)
    exporter.request(request)
    assert answers.end().end is ExportEnd.WRITTEN


def test_that_a_local_variable_is_written_while_its_step_is_stopped(
    exporter: Exporter, variables: VariableStore, answers: Answers, tmp_path: Path
) -> None:
    variables.begin_stop()
    ref = variables.add(0, "hidden", torch.tensor([1.5, -2.0], requires_grad=True))
    exporter.request(ExportTensor(1, ref, str(tmp_path / "hidden.npy")))
    assert answers.end().end is ExportEnd.WRITTEN
    np.testing.assert_array_equal(np.load(tmp_path / "hidden.npy"), np.array([1.5, -2.0], np.float32), strict=True)
    variables.end_stop()
    exporter.request(ExportTensor(2, ref, str(tmp_path / "gone.npy")))
    assert answers.end().detail == "the variable is gone: the step has gone on"
    assert not (tmp_path / "gone.npy").exists()


def test_that_the_difference_of_two_steps_is_written(
    seen: Seen, exporter: Exporter, answers: Answers, tmp_path: Path
) -> None:
    ref, other = TensorRef("a", Slot.OUTPUT, "out"), TensorRef("b", Slot.OUTPUT, "out")
    for number, tensors in enumerate(({ref: [1.0, 2.0], other: [1.0]}, {ref: [4.0, -2.0], other: [1.0, 2.0]}), 2):
        seen.store.begin_step(number)
        for one, values in tensors.items():
            capture = Capture(one, number, 0, spec_of(torch.tensor(values)))
            capture.live = torch.tensor(values)
            seen.store.add(capture)
    exporter.request(ExportTensor(1, ref, str(tmp_path / "out.npy"), step=3, minus=2))
    assert answers.end().end is ExportEnd.WRITTEN
    assert np.load(tmp_path / "out.npy").tolist() == [3.0, -4.0]
    exporter.request(ExportTensor(2, other, str(tmp_path / "other.npy"), step=3, minus=2))
    assert answers.end().detail == "there is no difference of the shapes (2,) and, in step 2, (1,)"
    exporter.request(ExportTensor(3, ref, str(tmp_path / "other.npy"), step=3, minus=9))
    assert answers.end().detail == "its values of step 9 are not kept"


def dtypes_with_numbers() -> list[torch.dtype]:
    """Return every dtype in which torch makes a small tensor that it can also read as numbers."""
    found = []
    for dtype in {value for value in vars(torch).values() if isinstance(value, torch.dtype)}:
        with warnings.catch_warnings(), contextlib.suppress(RuntimeError, TypeError, NotImplementedError):
            warnings.simplefilter("ignore")  # complex32 is called experimental
            torch.tensor([[1, 0]]).to(dtype).to(written_dtype(dtype)).numpy()
            found.append(dtype)
    return sorted(found, key=str)


@pytest.mark.parametrize("dtype", dtypes_with_numbers(), ids=str)
def test_that_every_dtype_is_written_exactly(dtype: torch.dtype, tmp_path: Path) -> None:
    tensor = torch.tensor([[1, 0, 1], [0, 1, 1]]).to(dtype)
    name = write_tensor(tensor, tmp_path / "x.npy", ExportForm.NPY, wrote_nothing)
    expected = tensor.to(written_dtype(dtype)).numpy()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy", allow_pickle=False), expected, strict=True)
    assert name == str(written_dtype(dtype)).removeprefix("torch.")


MANY: dict[str, Callable[[], torch.Tensor]] = {
    "contiguous": lambda: torch.arange(5000.0).reshape(5, 50, 20),
    "transposed": lambda: torch.arange(5000.0).reshape(50, 100).t(),
    "expanded": lambda: torch.arange(7.0).expand(300, 7),
    "one long row": lambda: torch.arange(3000.0).reshape(1, 3000),
    "0-D": lambda: torch.tensor(3.0),
    "empty": lambda: torch.zeros(0, 3),
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY.keys())
def test_that_blocks_follow_each_other_as_numpy_would_write_them(
    make: Callable[[], torch.Tensor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensor_files, "_BLOCK_ELEMENTS", 64)
    sizes: list[int] = []
    tensor = make()
    write_tensor(tensor, tmp_path / "x.npy", ExportForm.NPY, sizes.append)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), tensor.numpy(), strict=True)
    assert sum(sizes) == tensor.numel() * 4
    assert max(sizes) <= 64 * 4


def test_that_a_csv_lays_leading_dims_one_below_the_other(tmp_path: Path) -> None:
    tensor = torch.arange(12.0).reshape(2, 3, 2)
    write_tensor(tensor, tmp_path / "x.csv", ExportForm.CSV, wrote_nothing)
    assert (tmp_path / "x.csv").read_text() == "0.0,1.0\n2.0,3.0\n4.0,5.0\n6.0,7.0\n8.0,9.0\n10.0,11.0\n"
