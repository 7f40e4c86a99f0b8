"""The memory budget of captures: what it counts, what leaves first, what is left of what does not fit."""

import pytest
import torch

from hookscope.engine.capture.buffers import BufferPool
from hookscope.engine.capture.capture_writer import CaptureWriter
from hookscope.engine.capture.captures import CaptureStore
from hookscope.engine.memory import free_bytes
from hookscope.engine.specs import spec_of
from hookscope.protocol.commands import RequestView
from hookscope.protocol.events import ViewReady
from hookscope.protocol.identity import Slot, TensorRef
from hookscope.protocol.views import HistogramRequest, NoPicture, NoPictureReason, Statistics, StatisticsRequest
from hookscope.protocol.workload import CapturePlace, RunSettings
from tests.engine.driving import driving

MODELS = "tests.engine.state_models"
LAYER_BYTES = 64 * 4
"""What the output of each of the three layers takes."""


def ref(name: object) -> TensorRef:
    return TensorRef(str(name), Slot.OUTPUT, "out")


@pytest.fixture
def driver():
    with driving() as started:
        yield started


@pytest.fixture
def written():
    """A store with two steps of three captures of 400 bytes."""
    store = CaptureStore(BufferPool(10**6))
    writer = CaptureWriter(store, lambda _capture: None)
    for step in (1, 2):
        writer.begin_step(step)
        for name in range(3):
            writer.activation(ref(name), torch.full((100,), float(step)))
    assert store.pool.held_bytes == 2400
    return store, writer


def test_that_a_smaller_budget_drops_old_steps_at_once(written):
    store, _ = written
    store.pool.set_budget(1500)
    assert store.pool.held_bytes == 1200
    with store.open(ref(0), step=1) as (old, _), store.open(ref(0)) as (new, tensor):
        assert old is None
        assert (new.step, tensor[0]) == (2, 2)


def test_that_the_newest_step_stays_until_the_next_one_needs_the_budget(written):
    store, writer = written
    store.pool.set_budget(900)
    assert store.pool.held_bytes == 1200
    writer.begin_step(3)
    captures = [writer.activation(ref(name), torch.full((100,), 3.0)) for name in range(3)]
    assert store.pool.held_bytes == 800
    assert [capture.buffer is not None for capture in captures] == [True, True, False]
    assert captures[2].statistics.mean == 3


def test_that_a_step_that_is_being_read_leaves_when_the_reader_is_done(written):
    store, _ = written
    with store.open(ref(0), step=1) as (_, tensor):
        store.pool.set_budget(1300)
        assert tensor.tolist() == [1] * 100
        assert store.pool.held_bytes == 1600
    store.pool.set_budget(1300)
    assert store.pool.held_bytes == 1200


def test_that_a_larger_budget_keeps_more(written):
    store, writer = written
    for budget, kept in [(0, 0), (800, 2), (10**6, 3)]:
        store.pool.set_budget(budget)
        writer.begin_step(writer.step + 1)
        captures = [writer.activation(ref(name), torch.ones(100)) for name in range(3)]
        assert sum(capture.buffer is not None for capture in captures) == kept


def test_that_buffers_of_one_place_are_not_reused_at_another(written):
    store, writer = written
    store.pool.set_place(CapturePlace.CPU)
    assert store.pool.held_bytes == 2400
    store.pool.set_budget(2000)
    for step in (3, 4):
        writer.begin_step(step)
    assert store.pool.held_bytes == 0
    with store.open(ref(0)) as (capture, _):
        assert capture is None


@pytest.mark.parametrize(
    ("make", "size_bytes"),
    [
        (lambda: torch.eye(8), 8 * 8 * 4),
        (lambda: torch.ones(1, 8).expand(8, 8), 8 * 8 * 4),
        (lambda: torch.eye(8).to_sparse(), 8 * 4 + 2 * 8 * 8),
        (lambda: torch.sparse_coo_tensor([[1, 1, 2]], [1.0, 2.0, 3.0], (9,), check_invariants=False), 3 * 4 + 3 * 8),
        (lambda: torch.eye(8).to_sparse_csr(), 8 * 4 + (9 + 8) * 8),
        (lambda: torch.eye(8).to_sparse_csc(), 8 * 4 + (9 + 8) * 8),
        (lambda: torch.eye(8).to_sparse_bsr((2, 2)), 4 * 4 * 4 + (5 + 4) * 8),
        (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(5)]), 7 * 4),
        (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(5)], layout=torch.jagged), 7 * 4 + 3 * 8),
        (lambda: torch.quantize_per_tensor(torch.ones(8), 1.0, 0, torch.qint8), 8),
        (lambda: torch.empty(0, 3), 0),
    ],
)
@pytest.mark.filterwarnings("ignore:.*nested tensors.*:UserWarning", "ignore:Sparse CSR.*:UserWarning")
@pytest.mark.filterwarnings("ignore:Sparse (BSR|CSC).*:UserWarning", "ignore:.*quantize.*")
def test_that_the_bytes_that_a_tensor_takes_are_counted_and_given_back(make, size_bytes):
    pool = BufferPool(10**6)
    pool.begin_step(1)
    tensor = make()
    assert spec_of(tensor).size_bytes == size_bytes
    pool.copy_activation(tensor)
    assert pool.held_bytes == size_bytes
    pool.drop_step(1)
    pool.set_budget(0)
    assert pool.held_bytes == 0


def test_that_free_memory_is_told_for_the_place_of_the_captures():
    assert 0 < free_bytes(torch.device("cpu")) < 2**50


# -- through the debuggee ----------------------------------------------------------------------------------------------


def test_that_a_quarter_of_the_free_memory_is_the_budget(driver):
    driver.load(f"{MODELS}:wide")
    driver.run()
    assert 0 < driver.finished[0].budget_bytes <= free_bytes(torch.device("cpu"))
    driver.change(RunSettings(budget_bytes=12345))
    driver.run()
    driver.change(RunSettings())
    driver.run()
    assert [step.budget_bytes for step in driver.finished] == [
        driver.finished[0].budget_bytes,
        12345,
        driver.finished[0].budget_bytes,
    ]


def test_that_what_does_not_fit_is_kept_as_statistics(driver):
    driver.load(f"{MODELS}:wide")
    driver.check("0", "1", "2")
    driver.change(RunSettings(budget_bytes=2 * LAYER_BYTES))
    driver.run()
    finished = driver.finished[0]
    assert (finished.capture_bytes, finished.budget_bytes) == (2 * LAYER_BYTES, 2 * LAYER_BYTES)
    assert driver.badges("0", Slot.OUTPUT, "out") == []
    assert driver.badges("1", Slot.OUTPUT, "out") == ["over_budget"]
    answer = driver.view("1", Slot.OUTPUT, "out", StatisticsRequest())
    assert isinstance(answer.result, Statistics)
    assert (answer.result.count, answer.result.minimum, answer.result.maximum) == (64, 4, 4)
    answer = driver.view("1", Slot.OUTPUT, "out", HistogramRequest())
    assert answer.result == NoPicture(NoPictureReason.NOT_CAPTURED)
    assert [badge.kind for badge in answer.badges] == ["over_budget"]
    assert answer.spec.shape == (8, 8)


def test_that_older_steps_can_be_viewed_until_they_have_left_the_budget(driver):
    driver.load(f"{MODELS}:wide")
    driver.check("0")
    driver.run()
    step_bytes = driver.finished[0].capture_bytes
    driver.change(RunSettings(budget_bytes=8 * step_bytes))
    driver.run(5)
    seen = []
    for step in range(1, 8):
        driver.send(RequestView("test", step, TensorRef("0", Slot.OUTPUT, "out"), StatisticsRequest(), step))
        answer = driver.expect(ViewReady)
        nothing = answer.result.reason if isinstance(answer.result, NoPicture) else None
        seen.append((answer.step, nothing))
    gone = (0, NoPictureReason.STEP_GONE)
    assert seen == [gone, gone, (3, None), (4, None), (5, None), (6, None), gone]
    assert driver.finished[-1].capture_bytes == 4 * step_bytes
    driver.send(RequestView("test", 9, TensorRef("1", Slot.OUTPUT, "out"), StatisticsRequest(), 6))
    assert driver.expect(ViewReady).result == NoPicture(NoPictureReason.NOT_CAPTURED)


def test_that_a_larger_budget_holds_from_the_next_step_on(driver):
    driver.load(f"{MODELS}:wide")
    driver.check("0", "1", "2")
    driver.change(RunSettings(budget_bytes=0))
    driver.run()
    assert driver.finished[0].capture_bytes == 0
    assert driver.badges("0", Slot.OUTPUT, "out") == ["over_budget"]
    driver.change(RunSettings())
    driver.run()
    assert driver.badges("0", Slot.OUTPUT, "out") == []
    assert driver.values("2", Slot.OUTPUT, "out")[0][0] == 8


def test_that_a_parameter_that_does_not_fit_is_kept_as_statistics(driver):
    driver.load(f"{MODELS}:trained")
    driver.check("3")
    driver.change(RunSettings(budget_bytes=0))
    driver.run()
    answer = driver.view("3", Slot.PARAMETER, "weight", StatisticsRequest())
    assert answer.result.count == 8
    assert [badge.kind for badge in answer.badges] == ["over_budget"]


def test_that_on_the_cpu_the_place_of_captures_makes_no_difference(driver):
    driver.load(f"{MODELS}:wide")
    driver.check("0", "1", "2")
    driver.run()
    driver.change(RunSettings(capture_place=CapturePlace.CPU))
    driver.run(2)
    assert driver.values("2", Slot.OUTPUT, "out")[0][0] == 8
    assert driver.finished[0].budget_bytes == driver.finished[2].budget_bytes


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("place", list(CapturePlace))
def test_that_captures_of_a_cuda_model_are_kept_where_they_should_be(place):
    store = CaptureStore(BufferPool(10**6))
    store.pool.set_place(place)
    writer = CaptureWriter(store, lambda _capture: None)
    tensor = torch.arange(12.0, device="cuda").view(3, 4)
    for step in range(1, 5):
        writer.begin_step(step)
        writer.activation(ref("plain"), tensor * step)
        writer.activation(ref("columns"), (tensor * step).t())
        writer.activation(ref("part"), (tensor * step)[:, 1:3])
        writer.activation(ref("sparse"), (tensor * step).to_sparse())
    expected = tensor.cpu() * 4
    for name, values in [("plain", expected), ("columns", expected.t()), ("part", expected[:, 1:3])]:
        with store.open(ref(name)) as (capture, copy):
            assert copy.is_cuda is (place is CapturePlace.DEVICE)
            assert copy.is_pinned() is (place is CapturePlace.CPU)
            assert copy.tolist() == values.tolist()
            assert capture.spec.device == "cuda:0"
    with store.open(ref("sparse")) as (_, copy):
        assert copy.to_dense().tolist() == expected.tolist()
